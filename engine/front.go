package engine

import (
	"context"
	"slices"
	"time"

	"cuatui/engine/act"
	"cuatui/engine/contract"
	"cuatui/platform"
)

// raiseWait bounds how long a window may take to come to the front by what was
// done. A window manager answers in milliseconds, on a busy machine in tenths of
// a second.
const raiseWait = time.Second

// desk is a bound window among the others, as they stood before something was
// done. It says what that did to the desktop: only what is seen there.
type desk struct {
	window boundWindow
	native platform.Window
	all    []platform.Window
}

// desk is that of a mutation's proof.
func (m *mutation) desk() *desk {
	return &desk{boundWindow{binding: *m.binding, system: m.browser.system}, m.shown, m.around}
}

// desk looks at the windows now; nil where they cannot be seen.
func (t *resolved) desk(ctx context.Context) *desk {
	w := boundWindow{binding: *t.binding, system: t.browser.system}
	native, all, err := w.look(ctx)
	if err != nil || native == nil {
		return nil
	}
	return &desk{w, *native, all}
}

// told gives the side effects on the desktop, and whether there are any. due are
// the inputs that were given, or came of what was given: where one of them is
// not known to leave the desktop alone, what it does is waited for. A window that
// was in front already is brought there by nothing.
func (d *desk) told(ctx context.Context, due ...platform.Input) (effects []string, raised bool) {
	if d == nil || d.native.Active {
		return nil, false
	}
	waits := slices.ContainsFunc(due, func(i platform.Input) bool { return !platform.Safe(d.native.On, i) })
	urgent := slices.ContainsFunc(due, func(i platform.Input) bool { return platform.Urgent(d.native.On, i) })
	for end := time.Now().Add(raiseWait); ; {
		var active bool
		effects, active = d.look(ctx)
		if !waits || active || !time.Now().Before(end) || pause(ctx, settleMove) != nil {
			break
		}
	}
	switch raised = len(effects) > 0; {
	case waits && !raised:
		effects = append(effects, "the window may be raised and activated: it was not seen to be within "+raiseWait.String())
	case urgent && !raised:
		effects = append(effects, "the window is marked as wanting attention")
	}
	return effects, raised
}

// look says what of the desktop has changed to the browser's favour, and
// whether one of its windows is the active one now.
func (d *desk) look(ctx context.Context) (effects []string, active bool) {
	_, all, err := d.window.look(ctx)
	if err != nil {
		return nil, false
	}
	at := func(of []platform.Window, id platform.WindowID) int {
		return slices.IndexFunc(of, func(w platform.Window) bool { return w.ID == id })
	}
	for _, now := range all {
		switch i := at(d.all, now.ID); {
		case now.ID == d.native.ID:
			if said := changedPlace(now.Active, d.passed(now, all)); said != "" {
				effects = append(effects, said)
			}
		case now.PID != d.native.PID || !now.Active || i >= 0 && d.all[i].Active:
			continue
		case i < 0:
			effects = append(effects, "a new window of the browser is in front and active")
		default:
			effects = append(effects, "another window of the browser is activated")
		}
		active = active || now.Active
	}
	return effects, active
}

func changedPlace(active, raised bool) string {
	switch {
	case active && raised:
		return "the window is raised and activated"
	case active:
		return "the window is activated"
	case raised:
		return "the window is raised"
	}
	return ""
}

// passed says whether a window that was over the bound one is below it now.
func (d *desk) passed(now platform.Window, all []platform.Window) bool {
	return slices.ContainsFunc(d.all, func(was platform.Window) bool {
		i := slices.IndexFunc(all, func(w platform.Window) bool { return w.ID == was.ID })
		return i >= 0 && min(was.Stack, all[i].Stack, d.native.Stack, now.Stack) >= 0 && was.Stack > d.native.Stack && all[i].Stack < now.Stack
	})
}

// tellDesk puts what an action did to the desktop into its result. What has
// brought the window to the front was not delivered in the background, however
// it was meant.
func (m *mutation) tellDesk(ctx context.Context, res *contract.ActionResult, opened bool) {
	var due []platform.Input
	if res.Route == act.Trusted {
		due = append(due, platform.MousePressed)
	}
	if opened {
		due = append(due, platform.TabOpens)
	}
	if res.Dialog != nil {
		due = append(due, platform.DialogOpens)
	}
	effects, raised := m.desk().told(ctx, due...)
	if res.SideEffects = append(res.SideEffects, effects...); raised {
		res.Delivery.Mode = "foreground"
	}
}
