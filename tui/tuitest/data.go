package tuitest

import (
	"fmt"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// RunOf names the run of the process with a pid; each pid of the fake has one.
func RunOf(pid int) string { return fmt.Sprintf("run-%d", pid) }

// Windows is a small desktop.
func Windows() []contract.NativeWindow {
	return []contract.NativeWindow{
		{PID: 4121, WindowID: 0x3a00007, Title: "Inbox (3) - Chromium", Product: "Chromium", Box: [4]float64{0, 24, 1280, 776}, Active: true, Endpoint: "pipe", Access: "driver_owned", WouldBind: contract.WouldBind{Verdict: "exact"}},
		{PID: 2210, WindowID: 0x2600003, Title: "Quarterly report - Google Chrome", Product: "Chrome", Box: [4]float64{120, 80, 1400, 900}, Endpoint: "none", Access: "external_consumer_browser", WouldBind: contract.WouldBind{Verdict: "refused", Code: refusal.RequiresSetup, Reason: refusal.NoEndpoint}},
		{PID: 3307, WindowID: 0x2c00005, Title: "日本語のページ - Reader", Product: "QtWebEngine", Box: [4]float64{300, 200, 800, 600}, Endpoint: "port", Access: "embedded_application", WouldBind: contract.WouldBind{Verdict: "heuristic"}},
		{PID: 5150, WindowID: 0x3e00001, Product: "Chromium", Box: [4]float64{0, 24, 1280, 776}, Endpoint: "port", Access: "external_consumer_browser", WouldBind: contract.WouldBind{Verdict: "refused", Code: refusal.BindingAmbiguous, Reason: refusal.SameBox}},
		{PID: 6120, WindowID: 0x3c00002, Title: "Bank \u2013 Overview \" - profile none - Chromium", Product: "Chromium", Box: [4]float64{60, 48, 1440, 860}, Endpoint: "not_asked", Access: "external_consumer_browser", Run: RunOf(6120), WouldBind: contract.WouldBind{Verdict: "refused", Code: refusal.ConsentRequired, Reason: refusal.PersonalBrowser}},
		{PID: 1900, WindowID: 0x1800004, Title: "~/src - Terminal", Box: [4]float64{640, 400, 720, 480}, Endpoint: "none", WouldBind: contract.WouldBind{Verdict: "refused", Code: refusal.RouteUnavailable, Reason: refusal.NotABrowser}},
	}
}

// Proof is the trace of binding w.
func Proof(w contract.NativeWindow) []refusal.Step {
	return []refusal.Step{
		{Step: "process", Verdict: refusal.Pass, Got: fmt.Sprintf("pid %d, started 88121", w.PID)},
		{Step: "window", Verdict: refusal.Pass, Got: fmt.Sprintf("%#x", w.WindowID)},
		{Step: "window_owner", Verdict: refusal.Pass, Want: fmt.Sprint(w.PID), Got: fmt.Sprint(w.PID)},
		{Step: "endpoint", Verdict: refusal.Pass, Want: "owned", Got: w.Endpoint + ", inherited"},
		{Step: "correlation", Verdict: refusal.Pass, Want: "one window with the box", Got: "1280 x 776 at 0, 24; delta 0 0 0 0"},
		{Step: "tabs", Verdict: refusal.Pass, Got: "2"},
	}
}

// Refused is what binding w is refused with.
func Refused(w contract.NativeWindow) *refusal.Refusal {
	r := refusal.New(w.WouldBind.Reason, "window %#x of %s cannot be bound", w.WindowID, w.Product)
	r.WithProof([]refusal.Step{
		{Step: "process", Verdict: refusal.Pass, Got: fmt.Sprintf("pid %d", w.PID)},
		{Step: "window", Verdict: refusal.Pass, Got: fmt.Sprintf("%#x", w.WindowID)},
		{Step: "endpoint", Verdict: refusal.Fail, Want: "an endpoint of the process", Got: "none"},
		{Step: "correlation", Verdict: refusal.NotRun},
		{Step: "tabs", Verdict: refusal.NotRun},
	})
	return r.WithNext("browser_prepare", map[string]any{"profile": "isolated_new", "allow_launch": true})
}

// Occluded is what a click on a covered control is refused with.
func Occluded(r contract.ClickRequest) *refusal.Refusal {
	ref := refusal.New(refusal.Occluded, "another element of the page takes the point of %s", r.Ref)
	ref.WithDetail(refusal.Detail{
		Occluder: &refusal.Occluder{Ref: "p42:77", Role: "dialog", Name: "We value your privacy", Tag: "div"}, FreePoint: &[2]float64{652, 418},
		AlternativeRoutes: []string{"dom_event"},
	})
	ref.WithProof([]refusal.Step{
		{Step: "tab", Verdict: refusal.Pass, Got: "tab-1"},
		{Step: "ref", Verdict: refusal.Pass, Want: "p42", Got: "p42"},
		{Step: "visible", Verdict: refusal.Pass},
		{Step: "hit", Verdict: refusal.Fail, Want: "button \"Reply\"", Got: "dialog \"We value your privacy\""},
	})
	return ref.WithNext("get_browser_state", map[string]any{"target_id": r.TargetID, "tab_id": r.TabID})
}

// page builds a snapshot line by line.
type page struct {
	s  *snapshotfmt.Semantic
	id string
}

func newPage(n, segment int) *page {
	return &page{id: fmt.Sprintf("p%d", 41+n), s: &snapshotfmt.Semantic{
		Snapshot:  snapshotfmt.Info{ID: fmt.Sprintf("p%d", 41+n), Format: "semantic_v2", Scope: "viewport", Segment: segment, NodeBudget: 300, OutputBudget: 16000, Meaning: "computed"},
		Page:      snapshotfmt.Page{URL: "https://mail.example/inbox", Title: "Inbox (3)", Viewport: [2]float64{1280, 640}},
		Generated: snapshotfmt.Generated{TotalMS: 41.3, WalkMS: 12},
	}}
}

// add appends a line and, where it has actions or is content, its entry.
func (p *page) add(depth, k int, role, name string, tier snapshotfmt.Tier, actions ...string) *snapshotfmt.Entry {
	ref := fmt.Sprintf("%s:%d", p.id, k)
	text := fmt.Sprintf("- %s %q %s", role, name, ref)
	if len(actions) > 0 {
		text += " " + strings.Join(actions, " ")
	}
	p.s.Lines = append(p.s.Lines, snapshotfmt.Line{Depth: depth, K: k, Ref: ref, Role: role, Name: name, Tier: tier, Text: text, UID: fmt.Sprintf("%s_%d", p.id[1:], k), Tag: "x-" + role, Order: len(p.s.Lines)})
	hit := tier == snapshotfmt.InViewport
	e := snapshotfmt.Entry{
		Ref: ref, Role: role, Name: name, Actions: append([]string{}, actions...), Frame: "main", Visibility: tier,
		Box: &[4]float64{640, float64(40 + 32*len(p.s.Lines)), 88, 32}, Hit: &hit,
	}
	if len(actions) == 0 {
		p.s.ContentRefs = append(p.s.ContentRefs, e)
		return &p.s.ContentRefs[len(p.s.ContentRefs)-1]
	}
	e.Routes = map[string][]string{"click": {"trusted_key", "dom_event"}}
	p.s.Refs = append(p.s.Refs, e)
	return &p.s.Refs[len(p.s.Refs)-1]
}

// context appends a line that is shown for its place only.
func (p *page) context(depth int, role, name string) {
	p.s.Lines = append(p.s.Lines, snapshotfmt.Line{Depth: depth, K: 9000 + len(p.s.Lines), Role: role, Name: name, Context: true, Text: fmt.Sprintf("- %s %q", role, name)})
}

func (p *page) note(depth int, text string) {
	p.s.Lines = append(p.s.Lines, snapshotfmt.Line{Depth: depth, Text: text})
}

func (p *page) done(earlier, candidates int, next string) *snapshotfmt.Semantic {
	p.s.Refs, p.s.ContentRefs = append([]snapshotfmt.Entry{}, p.s.Refs...), append([]snapshotfmt.Entry{}, p.s.ContentRefs...) // never null, as the engine's
	p.s.Frames = []snapshotfmt.Frame{{ID: "main", URL: p.s.Page.URL, Status: "read"}}
	i := &p.s.Snapshot
	i.Candidates, i.Earlier, i.Continuation = candidates, earlier, next
	i.Returned = len(p.s.Refs) + len(p.s.ContentRefs)
	i.EstimatedTokens = 14 * len(p.s.Lines)
	var b strings.Builder
	for _, l := range p.s.Lines {
		b.WriteString(strings.Repeat("  ", l.Depth) + l.Text + "\n")
	}
	p.s.Outline = b.String()
	return p.s
}

const (
	inView = snapshotfmt.InViewport
	near   = snapshotfmt.NearViewport
)

// Inbox is a mail page of two segments.
func Inbox(n int, r contract.StateRequest) (*snapshotfmt.Semantic, error) {
	if r.Continuation != "" {
		return inboxRest(n), nil
	}
	p := newPage(n, 1)
	p.context(0, "banner", "")
	p.add(1, 3, "link", "Mail home", inView, "click")
	p.add(1, 4, "searchbox", "Search mail", inView, "type", "click").States.Focused = true
	p.context(0, "navigation", "Folders")
	for i, f := range []string{"Inbox", "Starred", "Sent", "Drafts"} {
		e := p.add(1, 10+i, "link", f, inView, "click")
		if i == 0 {
			e.States.Current = "page"
		}
	}
	p.context(0, "main", "")
	p.add(1, 20, "heading", "Re: Launch date", inView).States.Level = 1
	p.add(1, 21, "paragraph", "Ada wrote: could we move the launch to Thursday? The translations (日本語, עברית) are not done yet.", inView)
	p.add(1, 22, "button", "Reply", inView, "click")
	p.add(1, 23, "button", "Reply to all", inView, "click")
	fwd := p.add(1, 24, "button", "Forward", snapshotfmt.PageOccluded, "click")
	fwd.Routes = map[string][]string{"click": {"dom_event"}}
	arch := p.add(1, 25, "button", "Archive", inView)
	arch.States.Disabled, arch.Why = true, "disabled"
	p.context(1, "form", "Answer")
	msg := p.add(2, 30, "textbox", "Message", inView, "type", "click")
	msg.States.Multiline, msg.Value = true, "Thursday works for me."
	p.add(2, 31, "checkbox", "Send a copy to me", inView, "click").States.Checked = "true"
	open := false
	p.add(2, 32, "combobox", "Priority", inView, "select", "click").States.Expanded = &open
	p.add(2, 33, "button", "Send", near, "click")
	p.note(1, "… 296 list items folded")
	s := p.done(0, 640, "bc-1")
	s.Page.FocusedRef = p.id + ":4"
	s.Snapshot.Omitted.Add(snapshotfmt.OmitCSSHidden, "display", 200)
	s.Snapshot.Omitted.Add(snapshotfmt.OmitCSSHidden, "visibility", 120)
	s.Snapshot.Omitted.Add(snapshotfmt.OmitNear, "", 9)
	s.Snapshot.Omitted.Add(snapshotfmt.OmitFolded, "", 292)
	s.Snapshot.Omitted.Add(snapshotfmt.OmitPageOccluded, "", 640-s.Snapshot.Returned-200-120-9-292)
	return s, nil
}

func inboxRest(n int) *snapshotfmt.Semantic {
	p := newPage(n, 2)
	p.context(0, "main", "")
	p.context(1, "list", "Older messages")
	for i := range 9 {
		p.add(2, 50+i, "link", fmt.Sprintf("Older message %d", i+1), near, "click")
	}
	s := p.done(18, 640, "")
	s.Snapshot.Omitted.Add(snapshotfmt.OmitCSSHidden, "display", 200)
	s.Snapshot.Omitted.Add(snapshotfmt.OmitCSSHidden, "visibility", 120)
	s.Snapshot.Omitted.Add(snapshotfmt.OmitFolded, "", 640-18-9-320)
	return s
}

// Rows is a page with one flat list of n rows.
func Rows(n int) *snapshotfmt.Semantic {
	p := newPage(1, 1)
	p.context(0, "list", "Rows")
	for i := range n {
		p.add(1, i+1, "link", fmt.Sprintf("Row %d 日本語", i), inView, "click")
	}
	return p.done(0, n, "")
}

// Evil is text that tries to steer the terminal that shows it: escape
// sequences, C1 controls, a clipboard write, bidi overrides, characters without
// width, carriage returns, and bytes that are no UTF-8.
const Evil = "a\x1b[2Jb\x1b]52;c;aGk=\x07c\u009b31md\u202Ee\u2066f\u200bg\ufeffh\ri\nj\tk\x00l\x7fm\xffn\u2028o\u00adp\U000E0041q\u200dr\u034fs"

// Hostile is a page whose every text is Evil.
func Hostile() *snapshotfmt.Semantic {
	p := newPage(1, 1)
	for i := range 6 {
		e := p.add(i%3, i+1, Evil, Evil, inView, Evil)
		e.Value, e.Description, e.Why, e.Frame, e.Visibility = Evil, Evil, Evil, Evil, Evil
		e.States.Invalid, e.Routes = Evil, map[string][]string{Evil: {Evil}}
		l := &p.s.Lines[i]
		l.Text, l.Tier = Evil+" "+l.Ref, Evil
	}
	p.add(0, 99, Evil, Evil, inView)
	p.note(0, Evil)
	s := p.done(0, 7, "")
	s.Page.URL, s.Page.Title, s.Snapshot.ID, s.Outline = Evil, Evil, Evil, Evil+"\n"+Evil
	s.Snapshot.QueryNote = Evil
	s.Regions = &snapshotfmt.Regions{
		Found: 2, List: []snapshotfmt.Region{{Ref: Evil, Kind: Evil, Label: Evil, Frame: Evil, Accuracy: "exact", Same: []string{Evil}}, {Kind: Evil, Label: Evil, Frame: Evil, Accuracy: Evil, Why: Evil}},
		Unavailable: []snapshotfmt.Unlooked{{Frame: Evil, Why: Evil}},
	}
	s.Snapshot.Omitted.Add(snapshotfmt.OmitCSSHidden, Evil, 4)
	return s
}
