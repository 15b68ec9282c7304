package platform

import "slices"

// Input is something that is done to a browser over its protocol. It is the
// row of the table below, not a message: some messages are several rows.
type Input string

// The inputs that were measured.
const (
	MouseMoved       Input = "mouseMoved"
	MouseWheel       Input = "mouseWheel"
	MousePressed     Input = "mousePressed"
	TouchStart       Input = "touchStart"
	InsertText       Input = "insertText"
	KeyEvent         Input = "key"
	KeyClick         Input = "key on a focused control"
	ElementClick     Input = "element.click()"
	CreateTarget     Input = "Target.createTarget"
	CreateBackground Input = "Target.createTarget, background"
	ActivateTarget   Input = "Target.activateTarget"
	BringToFront     Input = "Page.bringToFront"
	TabOpens         Input = "a page opens a tab"
	DialogOpens      Input = "a page opens a dialog"
	DialogAccept     Input = "Page.handleJavaScriptDialog"
)

// Row says what an input does to a window that is covered by another or
// without focus, as seen from outside of the browser.
type Row struct {
	System  WindowSystem
	Product string // the browser measured, with its major version
	Input   Input
	// Safe: the active window, the order of the windows, what is shown of them
	// and the pointer stay as they were.
	Safe bool
	// Urgent: the window is marked as wanting attention, as the border, the
	// task bar or the workspace's name then show.
	Urgent bool
	// MeasuredBy is the test that measures the row again; a row without one
	// is a guess and counts as unsafe.
	MeasuredBy string
}

const (
	chromium = "Chromium 156"
	onX11    = "TestX11BackgroundSafety"    // under openbox
	onSway   = "TestSway/background_safety" // Sway 1.7
)

// Safety is the table: what may be done to a window in the background.
// docs/side-effects.md is made of it.
var Safety = []Row{
	{System: X11, Product: chromium, Input: MouseMoved, Safe: true, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: MousePressed, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: InsertText, Safe: true, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: KeyEvent, Safe: true, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: KeyClick, Safe: true, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: ElementClick, Safe: true, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: CreateTarget, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: CreateBackground, Safe: true, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: ActivateTarget, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: BringToFront, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: TabOpens, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: DialogOpens, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: DialogAccept, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: TouchStart, Safe: false, Urgent: false, MeasuredBy: onX11},
	{System: X11, Product: chromium, Input: MouseWheel, Safe: true, Urgent: false, MeasuredBy: onX11},
	{System: Sway, Product: chromium, Input: MouseMoved, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: MousePressed, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: InsertText, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: KeyEvent, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: KeyClick, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: ElementClick, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: CreateTarget, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: CreateBackground, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: ActivateTarget, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: BringToFront, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: TabOpens, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: DialogOpens, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: DialogAccept, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: TouchStart, Safe: true, Urgent: true, MeasuredBy: onSway},
	{System: Sway, Product: chromium, Input: MouseWheel, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: MouseMoved, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: MousePressed, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: InsertText, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: KeyEvent, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: KeyClick, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: ElementClick, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: CreateTarget, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: CreateBackground, Safe: true, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: ActivateTarget, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: BringToFront, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: TabOpens, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: DialogOpens, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: DialogAccept, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: TouchStart, Safe: false, Urgent: false, MeasuredBy: onSway},
	{System: SwayActivating, Product: chromium, Input: MouseWheel, Safe: true, Urgent: false, MeasuredBy: onSway},
}

// Safe says whether an input was measured to leave the desktop alone. What was
// not measured is not safe.
func Safe(system WindowSystem, input Input) bool { return safe(Safety, system, input) }

func safe(table []Row, system WindowSystem, input Input) bool {
	found := false
	for _, r := range table {
		if r.System != system || r.Input != input {
			continue
		}
		if !r.Safe || r.MeasuredBy == "" {
			return false
		}
		found = true
	}
	return found
}

// Urgent says whether an input was measured to mark the window as wanting
// attention.
func Urgent(system WindowSystem, input Input) bool {
	return slices.ContainsFunc(Safety, func(r Row) bool { return r.System == system && r.Input == input && r.Urgent })
}

// Effect is what a row says, in words.
func (r Row) Effect() string {
	switch {
	case r.MeasuredBy == "":
		return "not measured; counts as unsafe"
	case !r.Safe:
		return "the window is activated and comes to the front"
	case r.Urgent:
		return "nothing moves; the window is marked as wanting attention"
	}
	return "nothing"
}
