package headless

import (
	"fmt"
	"strconv"
	"strings"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
)

// prepareText says with the browser what was done to the machine for it.
func prepareText(r *contract.PrepareResult) string {
	var b strings.Builder
	b.WriteString(r.Action + suffix(" ", r.SideEffects.Product))
	if len(r.WindowIDs) > 0 { // under the names by which the next call takes them
		fmt.Fprintf(&b, ": bind it by get_browser_state with pid %d and window_id %s", r.PreparedPID, anyOf(r.WindowIDs))
	}
	e := r.SideEffects
	for _, did := range []struct {
		it  bool
		say string
	}{
		{e.ProcessStarted, "process started"},
		{e.ProfileCreated, "profile created"},
		{e.ProfileKept, "profile kept after the session"},
		{e.NoSandbox, "no sandbox"},
		{e.WindowSystem != "", "shown on " + e.WindowSystem},
		{e.PrivateDisplay, "private display started"},
		{e.PortExposed != 0, fmt.Sprintf("loopback port %d exposed", e.PortExposed)},
		{e.Swept != 0, fmt.Sprintf("%d profiles of crashed runs removed", e.Swept)},
	} {
		if did.it {
			b.WriteString("; " + did.say)
		}
	}
	return b.String()
}

// anyOf names ids of which a call takes one.
func anyOf(ids []uint64) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.FormatUint(id, 10)
	}
	return strings.Join(words, " or ")
}

// notAsked is the verdict of an action without post-conditions.
const notAsked = "not_asked"

func navigateText(r *contract.NavigateResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, load state %s, new document %t", r.Effect, snapshotfmt.Quote(r.URL), r.LoadState, r.NewDocument)
	if r.HTTPStatus != 0 {
		fmt.Fprintf(&b, ", HTTP status %d", r.HTTPStatus)
	}
	b.WriteString(suffix(", ", r.ErrorText))
	if r.Verdict != "" && r.Verdict != notAsked {
		b.WriteString(", verdict " + verdictText(r.Verdict, r.Unmet))
	}
	b.WriteString(afterText(r.SideEffects, r.Dialog, r.Invalidated))
	return b.String()
}

func actionText(r *contract.ActionResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s in the %s, verdict %s, settled: %s", r.Effect, r.Route, r.Delivery.Mode, verdictText(r.Verdict, r.Unmet), r.Settled)
	if r.WatchedMS > 0 {
		fmt.Fprintf(&b, " (watched for %d ms)", r.WatchedMS)
	}
	if d := r.Delivery; d.RequestedChars != nil && d.DeliveredChars != nil {
		fmt.Fprintf(&b, "; %d of %d characters delivered", *d.DeliveredChars, *d.RequestedChars)
	}
	for _, e := range r.Evidence {
		fmt.Fprintf(&b, "; %s %s -> %s", e.Fact, snapshotfmt.Quote(e.Before), snapshotfmt.Quote(e.After))
	}
	if r.Navigation != "" {
		b.WriteString("; navigated to " + snapshotfmt.Quote(r.Navigation))
	}
	b.WriteString(afterText(r.SideEffects, r.Dialog, r.Invalidated))
	return b.String()
}

func downloadText(r *contract.DownloadResult) string {
	if r.Failure != "" {
		return "no file, because of " + r.Failure + "; the click: " + actionText(&r.ActionResult)
	}
	return fmt.Sprintf("%d bytes in %s; the click: %s", r.Bytes, snapshotfmt.Quote(r.File), actionText(&r.ActionResult))
}

// verdictText says what became of the post-conditions.
func verdictText(verdict, unmet string) string {
	return verdict + suffix(" because of ", quoteSome(unmet))
}

// afterText says what a mutation left behind.
func afterText(sideEffects []string, dialog *contract.Dialog, invalidated bool) string {
	var b strings.Builder
	for _, e := range sideEffects {
		b.WriteString("; " + e)
	}
	if dialog != nil {
		b.WriteString("; a page dialog is open: " + openText(dialog))
	}
	if invalidated {
		b.WriteString("; the tab's refs are void")
	}
	return b.String()
}

func openText(d *contract.Dialog) string {
	return d.Type + " " + snapshotfmt.Quote(d.Text) + suffix(", dialog_id ", d.ID)
}

func dialogText(r *contract.DialogResult) string {
	line := "no page dialog is open"
	if r.Present && r.Dialog != nil {
		line = "a page dialog is open: " + openText(r.Dialog)
	}
	if r.Effect != "" {
		line = string(r.Effect) + ": " + line
	}
	return line + changeText(r.Verdict, r.Unmet, r.Evidence) + afterText(r.SideEffects, nil, false)
}

// changeText says of a change that is no action on a node what was expected of
// it, and what was read.
func changeText(verdict, unmet string, evidence []contract.Evidence) string {
	out := ""
	if verdict != "" && verdict != notAsked {
		out = ", verdict " + verdictText(verdict, unmet)
	}
	for _, e := range evidence {
		out += fmt.Sprintf("; %s %s -> %s", e.Fact, snapshotfmt.Quote(e.Before), snapshotfmt.Quote(e.After))
	}
	return out
}

func screenshotText(r *contract.ScreenshotResult) string {
	of := r.Of
	if r.Ref != "" {
		of += " " + r.Ref
	}
	line := fmt.Sprintf("image of the %s: %dx%d px show %.6gx%.6g@%.6g,%.6g of the viewport, at %.6g by %.6g px per CSS px",
		of, r.Width, r.Height, r.Box[2], r.Box[3], r.Box[0], r.Box[1], r.Scale[0], r.Scale[1])
	if len(r.Marks) > 0 || r.Unmarked > 0 {
		line += fmt.Sprintf("; %d refs are drawn, %d have moved", len(r.Marks), r.Unmarked)
	}
	line += suffix("; a point of it may be clicked once as ", r.CaptureID)
	return line + suffix("; right after it was elsewhere: ", r.Moved) + suffix("; ", strings.Join(r.SideEffects, "; "))
}

func waitText(r *contract.WaitResult) string {
	missing := suffix("; missing: ", quoteSome(r.Missing)) + suffix(", because ", quoteSome(r.Why))
	return fmt.Sprintf("%s after %d ms%s, at %s", r.Verdict, r.WaitedMS, missing, snapshotfmt.Quote(r.URL))
}

func quoteSome(s string) string {
	if s == "" {
		return ""
	}
	return snapshotfmt.Quote(s)
}

func tabsText(r *contract.TabsResult) string {
	head := string(r.Effect) + suffix(", opened ", r.TabID) + changeText(r.Verdict, r.Unmet, r.Evidence) + afterText(r.SideEffects, r.Dialog, false)
	if head = strings.TrimPrefix(head, "; "); head != "" {
		head += "\n"
	}
	return head + tabLines(r.Tabs)
}

func explainText(r *contract.ExplainResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# snapshot %s\n", r.Snapshot)
	if r.Node != nil {
		b.WriteString(explainedText(r.Node) + "\n")
	}
	for _, c := range r.Evidence {
		fmt.Fprintf(&b, "  %-4s %s%s\n", c.Verdict, c.Check, suffix(": ", quoteSome(c.Detail)))
	}
	for i := range r.Rows {
		b.WriteString(explainedText(&r.Rows[i]) + "\n")
	}
	if r.Node == nil && len(r.Rows) == 0 {
		b.WriteString("# no node: nothing on the page is what was asked for\n")
	}
	if r.Next != "" {
		fmt.Fprintf(&b, "# there is more: continue with %s as after\n", r.Next)
	}
	return b.String()
}

func explainedText(e *contract.Explained) string {
	why := e.Verdict + suffix(" ", string(e.Reason)) + suffix("/", e.SubReason)
	return snapshotfmt.PrintableLine(fmt.Sprintf("%s %s %s%s: %s", e.Ref, e.Role, snapshotfmt.Quote(e.Name), suffix(", in frame ", e.Frame), why))
}
