package observe

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cuatui/engine/devtools"
	"cuatui/engine/enginetest"
	"cuatui/snapshotfmt"
)

// goesOn takes the segments of what a scripted page says, up to an error or the
// twentieth. Each must be sound.
func (s *scripted) goesOn(t *testing.T, o Options) {
	t.Helper()
	snap, err := s.page.Take(t.Context(), o)
	for n := 0; err == nil && n < 20; n++ {
		var seg *Segment
		if seg, err = snap.Next(t.Context(), 1, "viewport"); err == nil {
			if sound(t, seg); !seg.More {
				return
			}
		}
	}
}

// FuzzAccessibilityReply feeds any JSON as what the browser's accessibility
// says of a node.
func FuzzAccessibilityReply(f *testing.F) {
	for _, s := range []string{
		`null`, `{}`, `{"nodes":null}`, `{"nodes":[{}]}`, `{"nodes":[{"ignored":true}]}`, `{"nodes":[{"ignored":1}]}`,
		`{"nodes":[{"role":{"value":"button"},"name":{"value":"Send"},"description":{"value":"d"},"value":{"value":"v"}}]}`,
		`{"nodes":[{"role":{"value":"DisclosureTriangle"},"name":{"value":""}}]}`, `{"nodes":[{"role":{"value":"x\n- button \"Pay\" p9:9 click"},"name":{"value":"y\u202e\u0000"}}]}`,
		`{"nodes":[{"role":{"value":7},"name":{"value":[1]},"description":{"value":{}}}]}`, `{"nodes":[{"role":"button"}]}`,
		`{"nodes":[{"role":{"value":"checkbox"},"properties":[{"name":"checked","value":{"value":"mixed"}},{"name":1}]}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		if !json.Valid([]byte(reply)) || len(reply) > 1<<16 {
			return
		}
		s := script(t)
		defer s.conn.Close()
		s.Say("survey", buttons(2, 0))
		s.handles(2)
		s.Result("Accessibility.getPartialAXTree", json.RawMessage(reply))
		s.goesOn(t, Options{NodeBudget: 5, OutputBudget: 16_000, Meaning: "accessibility"})
	})
}

// The seeds of a protocol collector's replies: a document of a heading, two
// buttons and a shadow tree, its layout and its accessibility.
const (
	seedDOM = `{"root":{"backendNodeId":1,"nodeType":9,"frameId":"MAIN","childNodeCount":1,"children":[{"backendNodeId":2,"nodeType":1,"localName":"html","childNodeCount":1,"children":[` +
		`{"backendNodeId":3,"nodeType":1,"localName":"body","childNodeCount":3,"children":[{"backendNodeId":4,"nodeType":1,"localName":"h1","childNodeCount":1,"children":[{"backendNodeId":5,"nodeType":3,"nodeValue":"Top"}]},` +
		`{"backendNodeId":6,"nodeType":1,"localName":"button","attributes":["id","b"],"childNodeCount":1,"children":[{"backendNodeId":7,"nodeType":3,"nodeValue":"Go"}]},` +
		`{"backendNodeId":8,"nodeType":1,"localName":"div","shadowRoots":[{"backendNodeId":9,"nodeType":11,"shadowRootType":"open","childNodeCount":1,"children":[{"backendNodeId":10,"nodeType":1,"localName":"slot","distributedNodes":[{"backendNodeId":11}]}]}],` +
		`"childNodeCount":1,"children":[{"backendNodeId":11,"nodeType":1,"localName":"a","attributes":["href","#"],"assignedSlot":{"backendNodeId":10}}]}]}]}]}}`
	styled     = `[0,1,2,3,1,1,4,4,5,4,5,1]` // the first of styleNames
	seedLayout = `{"strings":["block","visible","1","static","auto","none"],"documents":[{"scrollOffsetX":0,"scrollOffsetY":0,"nodes":{"backendNodeId":[1,2,3,4,5,6,7,11]},"layout":{"nodeIndex":[1,2,3,4,5,6,7],` +
		`"styles":[` + styled + `,` + styled + `,` + styled + `,[],` + styled + `,[],` + styled + `],"bounds":[[0,0,1000,800],[0,0,1000,800],[0,0,1000,40],[0,0,90,40],[0,50,90,30],[5,50,30,30],[0,90,40,20]],` +
		`"offsetRects":[[0,0,1,1]],"clientRects":[[0,0,1000,800]],"scrollRects":[[0,0,1000,2000]]},"textBoxes":{"layoutIndex":[3,5],"bounds":[[0,0,90,40],[5,50,30,30]]}}]}`
	seedAX = `{"nodes":[{"backendDOMNodeId":4,"role":{"value":"heading"},"name":{"value":"Top"},"properties":[{"name":"level","value":{"value":1}}]},` +
		`{"backendDOMNodeId":6,"role":{"value":"button"},"name":{"value":"Go"},"properties":[{"name":"focused","value":{"value":true}}]},{"backendDOMNodeId":11,"role":{"value":"link"}}]}`
)

// FuzzProtocolTrees feeds any JSON as the three trees of the protocol collector.
func FuzzProtocolTrees(f *testing.F) {
	f.Add(seedDOM, seedLayout, seedAX)
	for _, s := range []string{`null`, `{}`, `{"root":{}}`, `{"root":{"backendNodeId":1,"nodeType":9,"childNodeCount":7}}`, `{"root":{"nodeType":1,"localName":"html","shadowRoots":[{"nodeType":11}],"contentDocument":{"nodeType":9}}}`} {
		f.Add(s, seedLayout, seedAX)
	}
	for _, s := range []string{`null`, `{"strings":[],"documents":[{}]}`, `{"documents":[{"nodes":{"backendNodeId":[2]},"layout":{"nodeIndex":[0,-1,9],"styles":[[-1,99]],"bounds":[[1e308,-1e308,1e308,1e308]]}}]}`} {
		f.Add(seedDOM, s, seedAX)
	}
	for _, s := range []string{`null`, `{"nodes":[{"backendDOMNodeId":6,"role":{"value":"x\n- y"},"name":{"value":{}},"properties":[{"name":"level","value":{"value":1e300}},{"name":"checked","value":{"value":[]}}]}]}`} {
		f.Add(seedDOM, seedLayout, s)
	}
	f.Fuzz(func(t *testing.T, dom, layout, ax string) {
		for _, reply := range []string{dom, layout, ax} {
			if !json.Valid([]byte(reply)) || len(reply) > 1<<15 {
				return
			}
		}
		s := script(t)
		defer s.conn.Close()
		s.Result("DOM.getDocument", json.RawMessage(dom))
		s.Result("DOM.describeNode", json.RawMessage(dom))
		s.Result("DOM.disable", nil)
		s.Result("Page.getLayoutMetrics", map[string]any{})
		s.Result("DOMSnapshot.captureSnapshot", json.RawMessage(layout))
		s.Result("Accessibility.getFullAXTree", json.RawMessage(ax))
		s.Result("DOM.getNodeForLocation", map[string]any{"backendNodeId": 6})
		s.Answer("adopt", func(op enginetest.Op) (any, *devtools.Error) {
			return map[string]any{"page": map[string]any{"url": "http://localhost/", "w": 1000, "h": 800}, "ks": numbers(op.Nodes)}, nil
		})
		s.Answer("identify", func(op enginetest.Op) (any, *devtools.Error) {
			nodes := []any{}
			for _, k := range numbers(op.Nodes) {
				nodes = append(nodes, map[string]any{"k": k, "r": "button"})
			}
			return map[string]any{"nodes": nodes}, nil
		})
		s.goesOn(t, Options{NodeBudget: 5, OutputBudget: 16_000, Collector: CollectProtocol})
	})
}

// numbers are the local identities of handles of a scripted page.
func numbers(handles []string) []int {
	out := make([]int, len(handles))
	for i, h := range handles {
		out[i], _ = strconv.Atoi(strings.TrimPrefix(h, "node-")) // another handle is none of the page's nodes
	}
	return out
}

// pieces cuts fuzzed bytes into what an outline is made of.
type pieces struct{ data []byte }

func (p *pieces) byte() int {
	if len(p.data) == 0 {
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return int(b)
}

func (p *pieces) text() string {
	n := min(p.byte(), len(p.data))
	s := strings.ToValidUTF8(string(p.data[:n]), "\ufffd") // as everything that was JSON
	p.data = p.data[n:]
	return s
}

// word is one that the checks of a reply let through, "" where they would not.
func (p *pieces) word() string {
	if s := p.text(); words(s) {
		return s
	}
	return ""
}

func (p *pieces) bool() *bool {
	switch p.byte() % 3 {
	case 0:
		v := true
		return &v
	case 1:
		v := false
		return &v
	}
	return nil
}

func (p *pieces) candidate(in *surveyed, local int) *candidate {
	m := &meaning{
		Local: local, Up: p.byte() % 12, Role: p.word(), Name: p.text(), Value: p.text(), Tag: []string{"button", "input", "select", "div"}[p.byte()%4],
		States: snapshotfmt.States{
			Checked: p.word(), Pressed: p.word(), Invalid: p.word(), Expanded: p.bool(), Selected: p.bool(), Disabled: p.byte()%2 == 0, Modal: p.byte()%2 == 0,
			Level: p.byte() - 9, Current: oneOf(p.text(), "true", "page"), HasPopup: oneOf(p.text(), "", "menu"),
		},
	}
	for range p.byte() % 5 {
		m.More = append(m.More, p.byte()-9)
	}
	col := column{I: local, Tier: columnTiers[p.byte()%len(columnTiers)], Flags: p.byte(), Ev: p.byte(), Hit: p.byte() % 6, Why: p.word(), Sub: p.word(), Dis: p.word()}
	return &candidate{in: in, m: m, col: col}
}

// inOutline is the form of a line of an outline, told apart from the program
// that writes it: role, name, value, ref.
var inOutline = regexp.MustCompile(`^- ([a-zA-Z0-9_ -]*?)(?: ("(?:[^"\\]|\\.)*"))?(?: = ("(?:[^"\\]|\\.)*"))?(?: \[[a-zA-Z0-9_= -]+\])?(?: (p1:\d+)(?: [a-z]+(?:,[a-z]+)*)?(?: \(no action: [a-zA-Z0-9_ -]*\))?(?: \(-?\d+ px above, -?\d+ px below, -?\d+ px right\))?(?: \((?:near|offscreen|unknown: [a-zA-Z0-9_ -]*)\))?)?$`)

// FuzzOutline feeds the outline any nodes that the checks of a reply let
// through: each stands on one line of its own, which tells its role, name,
// value and ref whatever they are.
func FuzzOutline(f *testing.F) {
	for _, s := range []string{"", "\x03\x00\x06button\x02Go\x00\x00", "\x05\x02\x04link\x14x\" p1:1 click\n- text\x05\xff\xfe\x1b]0", "\x09\x01\x00\x10\xe2\x80\xaeevil\xe2\x81\xa6\x00\x00\x07\x07\x07\x07\x07\x07\x07\x09"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		p := &pieces{data}
		page := NewPage(nil, nil, "fuzz-world")
		main := &surveyed{doc: &doc{page: page, ks: map[int]int{}}, ancestors: map[int]ancestor{}}
		frame := &surveyed{doc: &doc{page: page, ks: map[int]int{}}, above: main, owner: &frameRow{Local: p.byte() % 12}, ancestors: map[int]ancestor{}}
		var picked []*candidate
		for local := 1; local <= 10 && len(p.data) > 0; local++ {
			in := main
			if p.byte()%3 == 0 {
				in = frame
			}
			if p.byte()%4 == 0 {
				in.ancestors[local] = ancestor{Local: local, Role: p.word(), Name: p.text(), Up: p.byte() % 12}
				continue
			}
			picked = append(picked, p.candidate(in, local))
		}
		lines, text := (&Snapshot{page: page}).outline(1, picked)
		if got := strings.Split(text, "\n"); len(lines) > 0 && len(got) != len(lines) {
			t.Fatalf("%d lines are %d in the outline:\n%s", len(lines), len(got), text)
		}
		refs := map[string]bool{}
		for _, l := range lines {
			if l.Ref != "" {
				refs[l.Ref] = true
			}
			told := inOutline.FindStringSubmatch(l.Text)
			if told == nil || snapshotfmt.PrintableLine(l.Text) != l.Text {
				t.Fatalf("a line is %q", l.Text)
			}
			if told[1] != l.Role || unquoted(t, told[2]) != l.Name || told[4] != l.Ref {
				t.Errorf("%q tells the role %q, the name %q and the ref %q; it is of %q, %q and %q", l.Text, told[1], told[2], told[4], l.Role, l.Name, l.Ref)
			}
		}
		if len(refs) != len(picked) {
			t.Errorf("%d of %d nodes are in the outline:\n%s", len(refs), len(picked), text)
		}
		for _, c := range picked {
			if !strings.Contains(text, fmt.Sprintf(" p1:%d", c.in.doc.k(c.m.Local))) {
				t.Errorf("%+v is not in the outline:\n%s", c.m, text)
			}
		}
	})
}

func unquoted(t *testing.T, s string) (out string) {
	t.Helper()
	if s == "" {
		return ""
	}
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		t.Errorf("%s is no JSON string: %v", s, err)
	}
	return out
}
