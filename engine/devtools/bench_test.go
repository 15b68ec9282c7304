package devtools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"cuatui/engine/devtools"
)

// snapshotReply is a reply of about 39 MB in the shape of DOMSnapshot: a few
// columns of numbers and a table of strings.
func snapshotReply() []byte {
	var b bytes.Buffer
	b.WriteString(`{"documents":[{"nodes":{`)
	for i, column := range []string{"parentIndex", "nodeType", "nodeName", "nodeValue", "backendNodeId"} {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:[0", column)
		for n := range 800_000 {
			fmt.Fprintf(&b, ",%d", n+i)
		}
		b.WriteByte(']')
	}
	b.WriteString(`}}],"strings":[""`)
	for n := range 300_000 {
		fmt.Fprintf(&b, `,"a text of the page %d"`, n)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// serveReplies answers every request over a pipe with one result, written as it
// is, so that the fake costs nothing.
func serveReplies(b *testing.B, result []byte) *devtools.Session {
	b.Helper()
	fromBrowser, browserWrites := io.Pipe()
	browserReads, toBrowser := io.Pipe()
	c := devtools.New(devtools.NewPipe(fromBrowser, toBrowser), devtools.Options{})
	go func() {
		in := make([]byte, 64<<10)
		for {
			n, err := browserReads.Read(in)
			if err != nil {
				return
			}
			var request struct{ ID int }
			if json.Unmarshal(in[:n-1], &request) != nil {
				return
			}
			for _, part := range [][]byte{
				fmt.Appendf(nil, `{"id":%d,"result":`, request.ID), result, []byte(`,"sessionId":"S"}` + "\x00"),
			} {
				if _, err := browserWrites.Write(part); err != nil {
					return
				}
			}
		}
	}()
	b.Cleanup(func() { _ = c.Close() })
	return c.Adopt("S")
}

// BenchmarkLargeReply compares the ways a 39 MB reply can reach the engine.
func BenchmarkLargeReply(b *testing.B) {
	result := snapshotReply()
	type columns struct {
		Documents []struct{ Nodes map[string][]int }
		Strings   []string
	}
	b.Run("Raw", func(b *testing.B) {
		s := serveReplies(b, result)
		b.SetBytes(int64(len(result)))
		b.ReportAllocs()
		for b.Loop() {
			if raw, err := s.Send("Test.snapshot", nil).Raw(b.Context()); err != nil || len(raw) != len(result) {
				b.Fatal(len(raw), err)
			}
		}
	})
	b.Run("CallIntoBytes", func(b *testing.B) {
		s := serveReplies(b, result)
		b.SetBytes(int64(len(result)))
		b.ReportAllocs()
		for b.Loop() {
			var raw json.RawMessage
			if err := s.Call(b.Context(), "Test.snapshot", nil, &raw); err != nil || len(raw) != len(result) {
				b.Fatal(len(raw), err)
			}
		}
	})
	b.Run("CallTyped", func(b *testing.B) {
		s := serveReplies(b, result)
		b.SetBytes(int64(len(result)))
		b.ReportAllocs()
		for b.Loop() {
			var reply columns
			if err := s.Call(b.Context(), "Test.snapshot", nil, &reply); err != nil || len(reply.Strings) == 0 {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSmallCall is the cost of one call that the browser answers at once.
func BenchmarkSmallCall(b *testing.B) {
	s := serveReplies(b, []byte(`{"v":1}`))
	b.Run("Call", func(b *testing.B) {
		b.ReportAllocs()
		var reply struct{ V int }
		for b.Loop() {
			if err := s.Call(b.Context(), "Test.small", map[string]any{"a": 1}, &reply); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Send", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Send("Test.small", map[string]any{"a": 1}).Raw(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
