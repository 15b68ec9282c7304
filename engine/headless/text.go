package headless

import (
	"encoding/json"
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
		return snapshotfmt.PrintableLine(fmt.Sprintf("%s: pid %d, window ids %v", r.Action, r.PreparedPID, r.WindowIDs))
	case *contract.NavigateResult:
		return snapshotfmt.PrintableLine(fmt.Sprintf("%s: %s, load state %s, new document %t%s", r.Effect, quote(r.URL), r.LoadState, r.NewDocument, suffix(", ", r.ErrorText)))
	case *contract.ActionResult:
		return snapshotfmt.PrintableLine(fmt.Sprintf("%s by %s, verdict %s, settled: %s%s", r.Effect, r.Route, r.Verdict, r.Settled, suffix(", navigated to ", r.Navigation)))
	case *contract.StartSessionResult:
		return "session " + r.Session + " is open"
	case *contract.EndSessionResult:
		return snapshotfmt.PrintableLine("session " + r.Session + " has ended" + suffix("; released ", strings.Join(r.Released, ", ")))
	}
	return fmt.Sprintf("a result of type %T", value)
}

func suffix(lead, s string) string {
	if s == "" {
		return ""
	}
	return lead + s
}

// quote puts page text into quotes, so that it cannot pass for ours.
func quote(s string) string {
	q, err := json.Marshal(s)
	if err != nil {
		return `"?"` // a string always encodes
	}
	return string(q)
}

func snapshotText(r *contract.StateResult) string {
	var b strings.Builder
	s := r.Snapshot
	fmt.Fprintf(&b, "# %s %s\n", quote(r.Page.Title), quote(r.Page.URL))
	fmt.Fprintf(&b, "# %s %s, segment %d: %d of %d candidates, about %d tokens, meaning %s\n",
		s.Format, s.ID, s.Segment, s.Returned, s.Candidates, s.EstimatedTokens, s.Meaning)
	if outline := strings.TrimRight(r.Outline, "\n"); outline != "" {
		b.WriteString(outline + "\n")
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
		fmt.Fprintf(&b, "# continue with %s\n", s.Continuation)
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
	fmt.Fprintf(&b, "bound %s as %s by %s\n", r.TargetID, r.BindingQuality, r.BindingRoute)
	for _, t := range r.Tabs {
		active := ""
		if t.Active != nil && *t.Active {
			active = " active"
		}
		fmt.Fprintf(&b, "%s %s %s%s\n", t.TabID, quote(t.Title), quote(t.URL), active)
	}
	return b.String()
}

// refusalText is one line with code, reason and the next call.
func refusalText(r *refusal.Refusal) string {
	line := fmt.Sprintf("refused %s (%s): %s", r.Code, r.Reason, r.Message)
	if r.Next == nil {
		return line
	}
	arguments, err := json.Marshal(r.Next.Arguments)
	if err != nil {
		return line + " Next: " + r.Next.Tool
	}
	return fmt.Sprintf("%s Next: %s %s", line, r.Next.Tool, arguments)
}

func windowsText(r *contract.ListWindowsResult) string {
	var b strings.Builder
	for _, w := range r.Windows {
		verdict := w.WouldBind.Verdict
		if w.WouldBind.Code != "" {
			verdict = fmt.Sprintf("%s %s (%s)", verdict, w.WouldBind.Code, w.WouldBind.Reason)
		}
		fmt.Fprintf(&b, "pid %-8d window %-10d %-12s endpoint %-5s %4.0f,%-4.0f %4.0fx%-4.0f %s  %s\n",
			w.PID, w.WindowID, w.Product, w.Endpoint, w.Box[0], w.Box[1], w.Box[2], w.Box[3], quote(w.Title), verdict)
	}
	if len(r.Windows) == 0 {
		fmt.Fprintf(&b, "no browser windows on %s\n", r.System)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", snapshotfmt.PrintableLine(note))
	}
	return b.String()
}
