package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
)

// process is one renderer of the tab: the tab's own, or an out-of-process
// frame's. Its session lives as long as the frame.
type process struct {
	session *devtools.Session
	events  *devtools.Events
	root    string // frame id of its topmost frame
	above   string // frame id of the parent frame, "" where the browser does not say
	gone    bool
}

// Adopter claims the session of a child that the browser has announced.
type Adopter interface {
	Adopt(sessionID string) *devtools.Session
}

// follow makes sure that every out-of-process frame under the tab is attached,
// recursively. A child is believed only if its parent's own session announced
// it. Announcements come before the reply that arms them, and later ones are
// taken when the page is read next.
func (p *Page) follow(ctx context.Context) error {
	if p.processes == nil {
		p.processes = []*process{{session: p.session}}
	}
	for i := 0; i < len(p.processes); i++ { //nolint:intrange // it grows meanwhile
		pr := p.processes[i]
		if pr.gone {
			continue
		}
		if pr.events == nil {
			pr.events = pr.session.Subscribe("Target.attachedToTarget", "Target.detachedFromTarget")
			args := map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}
			err := pr.session.Call(ctx, "Target.setAutoAttach", args, nil)
			var perr *devtools.Error
			switch {
			case i > 0 && errors.Is(err, devtools.ErrDetached):
				pr.gone = true
				continue
			case errors.As(err, &perr): // an embedded Chromium without it: its frames stay unprovable
			case err != nil:
				return fmt.Errorf("attach frames: %w", err)
			}
		}
		if err := p.announced(ctx, pr); err != nil {
			return err
		}
	}
	return nil
}

// announced takes the announcements that have arrived.
func (p *Page) announced(ctx context.Context, pr *process) error {
	for _, ev := range pr.events.Drain() {
		if err := p.announce(ctx, ev); err != nil {
			return err
		}
	}
	err := pr.events.Err()
	if err != nil && pr.session == p.session {
		return fmt.Errorf("list frames: %w", err)
	}
	pr.gone = pr.gone || err != nil
	return nil
}

func (p *Page) announce(ctx context.Context, ev devtools.Event) error {
	var a struct {
		SessionID  string `json:"sessionId"`
		TargetInfo struct {
			TargetID      string `json:"targetId"`
			Type          string `json:"type"`
			ParentFrameID string `json:"parentFrameId"`
		} `json:"targetInfo"`
	}
	if err := json.Unmarshal(ev.Params, &a); err != nil {
		a.SessionID = "" // what cannot be read is not believed
	}
	if a.SessionID == "" {
		return nil
	}
	if ev.Method == "Target.detachedFromTarget" {
		for _, pr := range p.processes[1:] {
			pr.gone = pr.gone || pr.session.ID() == a.SessionID
		}
		return nil
	}
	if slices.ContainsFunc(p.processes, func(pr *process) bool { return pr.session.ID() == a.SessionID }) {
		return nil // announced twice: it is followed already
	}
	child := p.conn.Adopt(a.SessionID)
	if a.TargetInfo.Type != "iframe" { // a worker: nothing of it can be seen
		if err := child.Detach(ctx); err != nil && !errors.Is(err, devtools.ErrDetached) {
			return fmt.Errorf("attach frames: %w", err)
		}
		return nil
	}
	p.processes = append(p.processes, &process{session: child, root: a.TargetInfo.TargetID, above: a.TargetInfo.ParentFrameID})
	return nil
}

// blame replaces a refusal, which would blame the page, by the end of the
// tab's own session where that is what happened.
func (p *Page) blame(err error) error {
	if _, refused := refusal.As(err); !refused || len(p.processes) == 0 || p.processes[0].events == nil {
		return err
	}
	if ended := p.processes[0].events.Err(); ended != nil {
		return fmt.Errorf("the tab is gone: %w", ended)
	}
	return err
}

// allFrames lists the frames of every attached process, the main frame first;
// a process that goes away meanwhile takes its frames with it.
func (p *Page) allFrames(ctx context.Context) ([]frame, error) {
	if err := p.follow(ctx); err != nil {
		return nil, err
	}
	live := p.processes[:0:0]
	sent := []*devtools.Pending{}
	for _, pr := range p.processes {
		if pr.gone {
			if pr.events != nil { // it may have gone before it was followed
				pr.events.Close()
			}
			continue
		}
		live = append(live, pr)
		sent = append(sent, pr.session.Send("Page.getFrameTree", nil))
	}
	p.processes = live
	var out []frame
	for i, pr := range live {
		list, err := decodeFrames(ctx, sent[i])
		var perr *devtools.Error
		if i > 0 && (errors.Is(err, devtools.ErrDetached) || errors.As(err, &perr)) {
			pr.gone = true
			continue
		}
		if err != nil {
			return nil, err
		}
		for j := range list {
			list[j].session = pr.session
			if j == 0 && i > 0 {
				list[j].ParentID = pr.above
			}
		}
		out = append(out, list...)
	}
	return once(out)
}
