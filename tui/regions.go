package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"cuatui/engine/contract"
	"cuatui/tui/cmdtable"
	"cuatui/tui/draw"
	"cuatui/tui/pane"
)

// noRegions is what stands for regions where a segment tells of none.
func noRegions(segment int) string {
	if segment > 1 {
		return "the regions are told with the first segment; [ goes back"
	}
	return "none: every document was looked through, and all that it shows is told by text"
}

// shotRef is the ref that a picture would be of, "" for none: of the region where
// the regions have the keys, else of the selected node.
func (m *Model) shotRef() string {
	if m.focus != regionsPane {
		return m.selectedRef()
	}
	if x, _ := m.regions.Selected(); x != nil {
		return x.Ref
	}
	return ""
}

// showRegion fills the detail pane, unless it shows the region already.
func (m *Model) showRegion() {
	x, note := m.regions.Selected()
	switch {
	case x == nil && note == "", x != nil && m.detailOf == any(x), x == nil && m.detailOf == any(note):
		return
	case x != nil:
		m.detailOf = x
	default:
		m.detailOf = note
	}
	m.detail.ShowRegion(x, note)
}

// openRegion is enter: the picture of the region under the cursor.
func (m *Model) openRegion() tea.Cmd {
	f := m.facts()
	return m.do(cmdtable.ByID(cmdtable.View), f)
}

// whyRegion is w: a region is no node of the outline, but something is at its
// middle.
func (m *Model) whyRegion() tea.Cmd {
	x, _ := m.regions.Selected()
	if x == nil {
		return m.cannot("why: the selection is no region")
	}
	b := x.Box
	return m.explain(contract.ExplainRequest{Point: []float64{b[0] + b[2]/2, b[1] + b[3]/2}})
}

// view is V: it shoots the selection and draws it. The image is made small where
// the call runs, and is not kept: the journal has what was said of it.
func (m *Model) view() tea.Cmd {
	s, call := m.stateRequest(), m.engine.Screenshot
	q := contract.ScreenshotRequest{Session: s.Session, TargetID: s.TargetID, TabID: s.TabID, Ref: m.shotRef()}
	var pic *draw.Picture
	return start(m, &m.call, request[contract.ScreenshotRequest, *contract.ScreenshotResult]{
		tool: "browser_screenshot", stage: "taking a picture", about: "picture of " + q.Ref, args: q,
		call: func(ctx context.Context, q contract.ScreenshotRequest) (*contract.ScreenshotResult, error) {
			r, err := call(ctx, q)
			if err != nil {
				return nil, err
			}
			if pic, err = draw.ReadPicture(r.PNG, r.Width, r.Height); err != nil {
				return nil, &contract.SystemError{Err: err}
			}
			said := *r
			said.PNG, said.Data = nil, ""
			return &said, nil
		},
		apply: func(m *Model, r *contract.ScreenshotResult, took time.Duration) tea.Cmd {
			raw := pane.Call{Tool: "browser_screenshot", Outcome: pane.Ok, Took: took, Request: q, Answer: r}.Page()
			m.push(sheet{scope: cmdtable.Picture, pane: pane.NewPicture(r, pic), raw: raw})
			return nil
		},
	})
}
