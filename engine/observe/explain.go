package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
	"cuatui/snapshotfmt"
)

// Explanation is one node with the evidence of what became of it. Listed says
// nothing here: only who minted refs knows.
type Explanation struct {
	K         int
	Role      string
	Name      string
	Tag       string
	Frame     string
	Candidate bool
	Reason    snapshotfmt.OmitReason // "" for one that is in view and uncovered
	Sub       string
	Checks    []Check
}

// Check is one step of the evidence.
type Check struct {
	Name   string
	Pass   bool
	Info   bool // neither: it tells, and decides nothing
	Detail string
}

// lookReply is what the world says of one node.
type lookReply struct {
	Node      *brief      `json:"node"`
	Local     int         `json:"k"`
	I         int         `json:"i"`
	Candidate bool        `json:"candidate"`
	Tier      string      `json:"t"`
	Sub       string      `json:"sub"`
	Dis       string      `json:"dis"`
	Flags     int         `json:"f"`
	Evidence  []string    `json:"ev"`
	Because   []string    `json:"because"`
	Box       *[4]float64 `json:"b"`
	Cause     *brief      `json:"cause"`
	Hit       int         `json:"hit"`
	Why       string      `json:"why"`
	Points    []float64   `json:"p"`
	By        *brief      `json:"by"`
	At        string      `json:"at"`
	AtSub     string      `json:"atSub"`
	Counted   string      `json:"counted"` // "reason/sub" that the snapshot counts it under
	Folded    *brief      `json:"folded"`
	Within    *brief      `json:"within"`
	Unasked   bool        `json:"unasked"` // it is no answer to what the snapshot asked for
}

// ExplainNode explains a node by its identity.
func (s *Snapshot) ExplainNode(ctx context.Context, k int) (*Explanation, error) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	n, ok := s.page.nodes[k]
	switch {
	case k > s.page.nextK:
		return nil, refusal.New(refusal.Foreign, "this tab has handed out no such ref")
	case !ok:
		return nil, refusal.New(refusal.Navigated, "the document of this node has been replaced")
	}
	d := s.surveyedOf(n.doc)
	if d == nil {
		return nil, refusal.New(refusal.Foreign, "the node is not of this snapshot")
	}
	return s.explain(ctx, d, map[string]any{"k": n.local})
}

// nothingError is a point x, y of a document's viewport, which is so large, at
// which there is no node.
type nothingError struct{ x, y, width, height float64 }

func (e *nothingError) Error() string {
	if e.x < 0 || e.y < 0 || e.x >= e.width || e.y >= e.height {
		return fmt.Sprintf("is outside of the viewport, which is %g by %g CSS px", e.width, e.height)
	}
	return fmt.Sprintf("has nothing of the page at it, as a scroll bar has; the viewport is %g by %g CSS px", e.width, e.height)
}

// ExplainPoint explains what stands at a point of the top viewport, down
// through frames. A point at which
// there is no node is a *contract.ArgumentError.
func (s *Snapshot) ExplainPoint(ctx context.Context, x, y float64) (*Explanation, error) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	at := s.docs[0]
	var above *Explanation
	for range maxDepth {
		q := at.place.inverse(rect{x, y, x, y})
		e, err := s.explain(ctx, at, map[string]any{"x": q.L, "y": q.T})
		var nothing *nothingError
		switch {
		case errors.As(err, &nothing) && above != nil:
			return above, nil // the frame's border or scroll bar
		case nothing != nil:
			return nil, &contract.ArgumentError{Field: "point", Message: nothing.Error()}
		case err != nil:
			return nil, err
		}
		child := s.childAt(at, e.K)
		if child == nil {
			return e, nil
		}
		at, above = child, e
	}
	return nil, refusal.New(refusal.FrameNotAttachable, "frames nest too deep at this point")
}

// childAt is the read document whose frame element is node k of d.
func (s *Snapshot) childAt(d *surveyed, k int) *surveyed {
	for _, c := range s.docs {
		if c.above == d && c.unproven == "" && c.owner != nil && d.doc.ks[c.owner.Local] == k {
			return c
		}
	}
	return nil
}

func (s *Snapshot) surveyedOf(d *doc) *surveyed {
	for _, c := range s.docs {
		if c.doc == d && c.unproven == "" {
			return c
		}
	}
	return nil
}

func (s *Snapshot) explain(ctx context.Context, d *surveyed, args map[string]any) (*Explanation, error) {
	args["margin"] = limits.NearMarginPx
	if d.above != nil {
		frameArgs(d, s.viewport(), args)
	}
	var r struct {
		Gone    bool        `json:"gone"`
		Nothing *[2]float64 `json:"nothing"` // of a point: the viewport's size
		Look    lookReply   `json:"look"`
	}
	err := d.doc.Call(ctx, "explain", args, &r)
	switch {
	case world.Gone(err):
		return nil, refusal.New(refusal.Navigated, "the document has been replaced")
	case err != nil:
		return nil, err
	case r.Nothing != nil:
		x, _ := args["x"].(float64)
		y, _ := args["y"].(float64)
		return nil, &nothingError{x, y, r.Nothing[0], r.Nothing[1]}
	case r.Gone:
		return nil, refusal.New(refusal.NodeGone, "the node is no longer in the page")
	}
	return d.explanation(r.Look), nil
}

// stands tells whether it is a candidate, and of this very snapshot.
func (e *Explanation) stands(r lookReply) bool {
	if !r.Candidate {
		e.Checks = append(e.Checks, Check{Name: "candidate", Detail: "no action evidence, no text of its own, and no role that is listed"})
		if r.Within != nil {
			e.Checks = append(e.Checks, Check{Name: "within", Info: true, Detail: "it is inside " + r.Within.String()})
		}
		return false
	}
	e.Checks = append(e.Checks, Check{Name: "candidate", Pass: true, Detail: strings.Join(append(append([]string{}, r.Evidence...), r.Because...), ", ")})
	if r.Unasked {
		e.Candidate = false
		e.Checks = append(e.Checks, Check{Name: "asked for", Detail: "the snapshot is of a query or a scope that it is not in"})
	}
	return !r.Unasked
}

// explanation puts the evidence in order and names the one primary reason.
func (d *surveyed) explanation(r lookReply) *Explanation {
	e := &Explanation{K: d.doc.k(r.Local), Frame: d.doc.label, Candidate: r.Candidate}
	if r.Node != nil {
		e.Role, e.Name, e.Tag = r.Node.Role, r.Node.Name, r.Node.Tag
	}
	add := func(name string, pass bool, detail string) {
		e.Checks = append(e.Checks, Check{Name: name, Pass: pass, Detail: detail})
	}
	info := func(name, detail string) { e.Checks = append(e.Checks, Check{Name: name, Info: true, Detail: detail}) }
	if !e.stands(r) {
		return e
	}
	add("document", true, "proven: "+d.doc.label)
	hidden := r.Tier == string(snapshotfmt.CSSHidden) || r.Tier == string(snapshotfmt.NoLayoutT)
	if hidden && r.Sub == "option" { // hidden by no style: its select shows it
		e.Reason, e.Sub = snapshotfmt.OmitFolded, r.Sub
		add("own line", false, "it is chosen by its select")
		return e
	}
	if hidden {
		e.Reason, e.Sub = snapshotfmt.OmitReason(r.Tier), r.Sub
		detail := r.Tier + ": " + r.Sub
		if r.Cause != nil {
			detail += ", from " + r.Cause.String()
		}
		add("visible", false, detail)
		return e
	}
	add("visible", true, boxText(r.Box))
	switch {
	case r.Folded != nil:
		if e.Reason, e.Sub = splitReason(r.Counted); e.Reason == "" {
			e.Reason, e.Sub = snapshotfmt.OmitFolded, "same_text"
		}
		add("own line", false, "its text is said by "+r.Folded.String())
	case r.Tier == "near_viewport":
		e.Reason = snapshotfmt.OmitNear
		info("viewport", "outside, within 1000 px")
	case r.Tier == "offscreen":
		e.Reason = snapshotfmt.OmitOffscreen
		info("viewport", "outside; a later segment brings it")
	case r.Tier == "in":
		d.explainHit(e, r, add)
	}
	explainAction(r, add, info)
	now := r.Tier
	if e.Reason == snapshotfmt.OmitPageOccluded || e.Reason == snapshotfmt.OmitUnknown {
		now = string(e.Reason) // hit testing moved it there, as it did in the snapshot
	}
	if r.At != "" && r.At != now {
		info("since the snapshot", "it was "+r.At+" "+r.AtSub)
	}
	return e
}

func (d *surveyed) explainHit(e *Explanation, r lookReply, add func(string, bool, string)) {
	switch r.Hit {
	case hitOwn:
		x, y := d.place.point(r.Points[0], r.Points[1])
		add("hit", true, fmt.Sprintf("takes the pointer at %.0f,%.0f", x, y))
	case hitShown:
		add("hit", false, r.Why+", "+r.By.String()+" takes the pointer; it can be read")
	case hitCovered:
		e.Reason, e.Sub = snapshotfmt.OmitPageOccluded, r.Why
		add("hit", false, "covered by "+r.By.String())
	default:
		e.Reason, e.Sub = snapshotfmt.OmitUnknown, r.Why
		add("hit", false, "not decided: "+r.Why)
	}
}

func explainAction(r lookReply, add func(string, bool, string), info func(string, string)) {
	switch {
	case len(r.Evidence) == 0:
		info("action", "no evidence: it is content")
	case r.Dis != "":
		add("action", false, "disabled: "+r.Dis)
	case r.Tier != "in" && r.Why != "":
		detail := r.Why
		if r.By != nil {
			detail += ", " + r.By.String() + " lies over it"
		}
		add("action", false, detail+", wherever the page is scrolled to")
	default:
		add("action", true, strings.Join(r.Evidence, ", "))
	}
}

func boxText(b *[4]float64) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("box %.0f,%.0f %.0fx%.0f", b[0], b[1], b[2], b[3])
}

// String names a node for a person: role, tag and name.
func (b *brief) String() string {
	if b == nil {
		return "something else"
	}
	s := b.Tag
	if b.Role != "" && b.Role != b.Tag && b.Role != "generic" {
		s = b.Role + " (" + b.Tag + ")"
	}
	if b.Name != "" {
		s += " " + snapshotfmt.Quote(b.Name)
	}
	return s
}

// Row is one candidate of a list.
type Row struct {
	K               int
	Role, Name, Tag string
	Frame           string
	Reason          snapshotfmt.OmitReason // "" for one in view and uncovered
	Sub             string
	Unasked         bool // it is no answer to what the snapshot asked for
}

// ListMax is how many rows a page of a list holds.
const ListMax = 50

// Cursor is where a list goes on: a document and an index in it.
type Cursor struct{ Doc, Index int }

// waits says whether a candidate of d is still to be returned.
func (s *Snapshot) waits(d *surveyed, index int) bool {
	for _, c := range s.queue {
		if c.in == d && c.col.I == index {
			return true
		}
	}
	return false
}

// List goes through the kept candidates: those in which text is found, or
// those omitted for reason ("reason" or "reason/sub"). more is false at the end.
func (s *Snapshot) List(ctx context.Context, text, reason string, from Cursor) (rows []Row, next Cursor, more bool, err error) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	for i := from.Doc; i < len(s.docs); i++ {
		d := s.docs[i]
		if d.unproven != "" {
			continue
		}
		after := 0
		if i == from.Doc {
			after = from.Index
		}
		var r struct {
			RootChanged bool `json:"rootChanged"`
			Next        int  `json:"next"`
			Rows        []struct {
				I       int    `json:"i"`
				Local   int    `json:"k"`
				Role    string `json:"role"`
				Name    string `json:"name"`
				Tag     string `json:"tag"`
				Reason  string `json:"reason"`
				Unasked bool   `json:"unasked"`
			} `json:"rows"`
		}
		args := map[string]any{"text": text, "reason": reason, "after": after, "max": ListMax - len(rows)}
		err := d.doc.Call(ctx, "list", args, &r)
		if world.Gone(err) || err == nil && r.RootChanged {
			return nil, Cursor{}, false, refusal.New(refusal.Navigated, "the document of this snapshot has been replaced")
		}
		if err != nil {
			return nil, Cursor{}, false, err
		}
		for _, x := range r.Rows {
			if reason == string(snapshotfmt.OmitBudget) && !s.waits(d, x.I) {
				continue // a segment has listed it
			}
			reason, sub := splitReason(x.Reason)
			rows = append(rows, Row{K: d.doc.k(x.Local), Role: x.Role, Name: x.Name, Tag: x.Tag, Frame: d.doc.label, Reason: reason, Sub: sub, Unasked: x.Unasked})
		}
		if r.Next > 0 {
			return rows, Cursor{i, r.Next}, true, nil
		}
		if len(rows) >= ListMax && i+1 < len(s.docs) {
			return rows, Cursor{i + 1, 0}, true, nil
		}
	}
	return rows, Cursor{}, false, nil
}
