package headless

import (
	"fmt"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// Text renders a result or a refusal for a reader that sees only text: the
// outline with its counts, a list, or one line. It is safe to print.
func Text(value any) string {
	switch r := value.(type) {
	case *contract.StateResult:
		if r.Semantic != nil {
			return snapshotfmt.Printable(snapshotText(r))
		}
		return snapshotfmt.Printable(bindText(r))
	case *contract.RefusedResult:
		return snapshotfmt.PrintableLine(refusalText(r.Refusal))
	case *contract.ListWindowsResult:
		return snapshotfmt.Printable(windowsText(r))
	case *contract.PrepareResult:
		return snapshotfmt.PrintableLine(prepareText(r))
	case *contract.NavigateResult:
		return snapshotfmt.PrintableLine(navigateText(r))
	case *contract.DownloadResult:
		return downloadText(r)
	case *contract.ActionResult:
		return snapshotfmt.PrintableLine(actionText(r))
	case *contract.DialogResult:
		return snapshotfmt.PrintableLine(dialogText(r))
	case *contract.ScreenshotResult:
		return snapshotfmt.PrintableLine(screenshotText(r))
	case *contract.WaitResult:
		return snapshotfmt.PrintableLine(waitText(r))
	case *contract.TabsResult:
		return snapshotfmt.Printable(tabsText(r))
	case *contract.ExplainResult:
		return snapshotfmt.Printable(explainText(r))
	case *contract.AuditResult:
		return snapshotfmt.Printable(auditText(r))
	case *contract.StartSessionResult:
		return "session " + r.Session + " is open"
	case *contract.EndSessionResult:
		return snapshotfmt.PrintableLine("session " + r.Session + " has ended" + suffix("; released ", strings.Join(r.Released, ", ")))
	}
	return compact(value) // no text of its own, but nothing is held back
}

func suffix(lead, s string) string {
	if s == "" {
		return ""
	}
	return lead + s
}

func snapshotText(r *contract.StateResult) string {
	var b strings.Builder
	s := r.Snapshot
	fmt.Fprintf(&b, "# %s %s\n", snapshotfmt.Quote(r.Page.Title), snapshotfmt.Quote(r.Page.URL))
	fmt.Fprintf(&b, "# %s %s, segment %d: %d of %d candidates, about %d tokens, meaning %s\n",
		s.Format, s.ID, s.Segment, s.Returned, s.Candidates, s.EstimatedTokens, s.Meaning)
	if s.Format == snapshotfmt.DomRefsV1 {
		d := snapshotfmt.DomRefsDeprecated
		fmt.Fprintf(&b, "# this format is deprecated since %s: use %s\n", d.Since, d.Use)
	}
	b.WriteString(r.Body())
	if r.Regions != nil {
		b.WriteString(regionsText(r.Regions))
	}
	if r.Diff != nil {
		b.WriteString(r.Diff.Text())
	}
	if s.Collector != "" {
		fmt.Fprintf(&b, "# collector %s\n", snapshotfmt.PrintableLine(s.Collector))
	}
	if s.PartialWhy != "" {
		fmt.Fprintf(&b, "# incomplete: a part of the page's tree did not come: %s\n", snapshotfmt.PrintableLine(s.PartialWhy))
	}
	if s.QueryNote != "" {
		fmt.Fprintf(&b, "# %s\n", snapshotfmt.PrintableLine(s.QueryNote))
	}
	if n := s.Omitted.Total(); n > 0 {
		fmt.Fprintf(&b, "# omitted %d:%s\n", n, omittedText(s.Omitted))
	}
	switch {
	case s.Torn:
		b.WriteString("# incomplete: the page changed while it was read\n")
	case s.NotWalkedAtLeast > 0:
		fmt.Fprintf(&b, "# incomplete: at least %d elements were not walked\n", s.NotWalkedAtLeast)
	}
	if s.Continuation != "" {
		fmt.Fprintf(&b, "# there is more: continue with %s as the continuation, once\n", s.Continuation)
	}
	return b.String()
}

// regionsText is what the outline does not say of the regions: those that it
// does not list, and why.
func regionsText(r *snapshotfmt.Regions) string {
	var b strings.Builder
	for _, c := range []struct {
		n    int
		what string
	}{{r.Truncated, "in view, not listed: over the budget"}, {r.Offscreen, "not in view: scroll"}, {r.Hidden, "hidden"}} {
		if c.n > 0 {
			fmt.Fprintf(&b, "# visual regions %s: %d\n", c.what, c.n)
		}
	}
	for _, u := range r.Unavailable {
		fmt.Fprintf(&b, "# visual regions unknown%s: %s\n", suffix(" in ", u.Frame), snapshotfmt.PrintableLine(u.Why))
	}
	return b.String()
}

func omittedText(o snapshotfmt.Omitted) string {
	var b strings.Builder
	for _, reason := range snapshotfmt.OmitReasons {
		if n := o.Get(reason); n > 0 {
			fmt.Fprintf(&b, " %s %d", reason, n)
		}
	}
	return b.String()
}

func bindText(r *contract.StateResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "bound %s as %s by %s", r.TargetID, r.BindingQuality, r.BindingRoute)
	if r.MutationAllowed != nil && !*r.MutationAllowed {
		b.WriteString("; it can be read, not acted on")
	}
	b.WriteString("\n" + tabLines(r.Tabs))
	return b.String()
}

func tabLines(tabs []contract.Tab) string {
	var b strings.Builder
	for _, t := range tabs {
		active := ""
		if t.Active != nil && *t.Active {
			active = " active"
		}
		fmt.Fprintf(&b, "%s %s %s%s\n", t.TabID, snapshotfmt.Quote(t.Title), snapshotfmt.Quote(t.URL), active)
	}
	return b.String()
}

// refusalText is one line with code, reason, what helps to recover and the next
// call.
func refusalText(r *refusal.Refusal) string {
	line := fmt.Sprintf("refused %s (%s): %s", r.Code, r.Reason, r.Message)
	if r.Detail != nil {
		line += " Detail: " + compact(r.Detail)
	}
	if r.Next != nil {
		line += " Next: " + r.Next.Tool + " " + compact(r.Next.Arguments)
	}
	return line
}

// compact is JSON in which page text stays in its quotes.
func compact(v any) string {
	line, err := encodeLine(v)
	if err != nil {
		return "?" // plain data always encodes
	}
	return strings.TrimSuffix(string(line), "\n")
}

func windowsText(r *contract.ListWindowsResult) string {
	var b strings.Builder
	for _, w := range r.Windows {
		verdict := w.WouldBind.Verdict
		if w.WouldBind.Code != "" {
			verdict = fmt.Sprintf("%s %s (%s)", verdict, w.WouldBind.Code, w.WouldBind.Reason)
		}
		fmt.Fprintf(&b, "pid %-8d window %-10d %-12s endpoint %-5s %4.0f,%-4.0f %4.0fx%-4.0f %s  %s\n",
			w.PID, w.WindowID, w.Product, w.Endpoint, w.Box[0], w.Box[1], w.Box[2], w.Box[3], snapshotfmt.Quote(w.Title), verdict)
	}
	if len(r.Windows) == 0 {
		fmt.Fprintf(&b, "no browser windows on %s\n", r.System)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", snapshotfmt.PrintableLine(note))
	}
	return b.String()
}
