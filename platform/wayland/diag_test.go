package wayland

import (
	"slices"
	"strings"
	"testing"
)

// message is one of the kernel's.
func message(kind, flags uint16, body []byte) []byte {
	b := native.AppendUint32(nil, uint32(headerBytes+len(body)))
	b = native.AppendUint16(b, kind)
	b = native.AppendUint16(b, flags)
	b = append(b, make([]byte, 8)...)
	b = append(b, body...)
	return append(b, make([]byte, aligned(len(b))-len(b))...)
}

func attr(kind uint16, words ...uint32) []byte {
	b := native.AppendUint16(nil, uint16(attrBytes+4*len(words)))
	b = native.AppendUint16(b, kind)
	for _, w := range words {
		b = native.AppendUint32(b, w)
	}
	return b
}

func entry(state byte, inode uint32, attrs ...[]byte) []byte {
	b := append([]byte{familyUnix, 1, state, 0}, native.AppendUint32(nil, inode)...)
	return message(typeByFamily, 0, slices.Concat(append([][]byte{b, make([]byte, 8)}, attrs...)...))
}

var (
	done = message(typeDone, 0, make([]byte, 4))
	// A compositor with its display and a second socket, two clients, one
	// that is not accepted yet, and a stranger whose file has the same inode.
	session = slices.Concat(
		entry(stateListen, 10, attr(attrVFS, 700, 1)),
		entry(stateListen, 11, attr(attrVFS, 701, 1)),
		entry(stateListen, 12, attr(attrVFS, 700, 2)),
		entry(stateEstablished, 20, attr(attrVFS, 700, 1), attr(attrPeer, 30)),
		entry(stateEstablished, 30, attr(attrPeer, 20)),
		entry(stateEstablished, 21, attr(attrPeer, 31), attr(attrVFS, 700, 1)),
		entry(stateEstablished, 31, attr(attrPeer, 21)),
		entry(stateEstablished, 0, attr(attrVFS, 700, 1), attr(attrPeer, 32)),
		entry(stateEstablished, 22, attr(attrVFS, 701, 1), attr(attrPeer, 33)),
		entry(stateEstablished, 23, attr(attrVFS, 700, 2), attr(attrPeer, 34)),
		entry(stateEstablished, 24, attr(attrVFS, 700, 1)), // its client has gone
		done)
	compositors = map[uint64]bool{10: true, 11: true, 20: true, 21: true, 22: true, 24: true}
)

func TestTheClientsAreThoseOfTheDisplay(t *testing.T) {
	all, err := parse(session)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := clients(all, 700, compositors); err != nil || !slices.Equal(got, []uint64{30, 31}) {
		t.Errorf("got %v, %v", got, err)
	}
	for name, tt := range map[string]struct {
		inode uint32
		held  map[uint64]bool
	}{
		"no such file":                {702, compositors},
		"another process's listener":  {700, map[uint64]bool{20: true}},
		"two that could be the one":   {700, map[uint64]bool{10: true, 12: true}},
		"sockets that nobody can see": {700, nil},
	} {
		if got, err := clients(all, tt.inode, tt.held); err == nil || got != nil {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestAnAnswerIsReadToItsEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		part []byte
		done bool
		fail string
	}{
		"more follows":   {entry(stateListen, 1), false, ""},
		"the end":        {done, true, ""},
		"nothing":        {nil, false, ""},
		"an error":       {message(typeError, 0, native.AppendUint32(nil, 1<<32-2)), false, "no such file"},
		"half an error":  {message(typeError, 0, []byte{1, 0}), false, "malformed"},
		"changed so far": {message(typeByFamily, flagInterrupted, nil), false, "changed"},
		"half a message": {done[:18], false, "malformed"},
		"half a header":  {done[:5], false, "malformed"},
	} {
		got, err := complete(tt.part)
		if got != tt.done && tt.fail == "" || (err == nil) != (tt.fail == "") || err != nil && !strings.Contains(err.Error(), tt.fail) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestASocketThatIsNoneIsAnError(t *testing.T) {
	for name, body := range map[string][]byte{
		"too short":               {familyUnix, 1, 1, 0},
		"another family":          append([]byte{2}, make([]byte, 15)...),
		"half an attribute":       append(append([]byte{familyUnix}, make([]byte, 15)...), 4, 0),
		"an attribute of nothing": append(append([]byte{familyUnix}, make([]byte, 15)...), 0, 0, 1, 0),
		"an attribute too long":   append(append([]byte{familyUnix}, make([]byte, 15)...), 90, 0, 1, 0),
	} {
		if got, err := parse(message(typeByFamily, 0, body)); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	short, err := parse(entry(stateEstablished, 5, attr(attrVFS, 1), attr(attrPeer)))
	if err != nil || len(short) != 1 || short[0] != (socket{inode: 5}) {
		t.Errorf("short values: %+v, %v", short, err)
	}
}
