package headless

import (
	"fmt"
	"strconv"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// A refusal leads on by a call, and on a command line there are no calls: its
// session is gone when the refusal is read. What leads on there is another
// command line.

// step is a command line, and what it is for. Without one, why says what is
// left.
type step struct{ why, line string }

func (s step) String() string {
	if s.line == "" {
		return "Next: " + s.why
	}
	return fmt.Sprintf("Next, %s: %s", s.why, s.line)
}

// after says which command line leads on from a refusal of a command about a
// page, or of one about none.
func (o OneShot) after(r *refusal.Refusal, of Subject) step {
	doctor := step{"to see what works here and what is missing", o.line("doctor")}
	windows := step{"to see which windows can be bound", o.line("windows")}
	person := step{"in the terminal UI, where a person can choose, answer and agree", o.line()}
	if of.URL != "" {
		person.line = o.line("--url", of.URL)
	}
	switch r.Reason {
	case refusal.DisplayUnavailable, refusal.EnumerationFailed, refusal.SetupTreeAbsent:
		return doctor
	case refusal.ConnectFailed:
		if of.URL != "" { // the browser is our own
			return doctor
		}
		return windows
	case refusal.FrameNotAttachable:
		return o.look(of)
	case refusal.DialogOpen, refusal.DialogOpenBefore, refusal.PersonalBrowser, refusal.Expired:
		return person
	default:
	}
	switch r.Code {
	case refusal.TabRequired:
		return person
	case refusal.RouteUnavailable, refusal.BindingAmbiguous, refusal.BindingStale, refusal.WrongTargetRefused, refusal.ReconnectExhausted:
		return windows
	case refusal.RefStale, refusal.TabNotFound, refusal.ActionUnavailable:
		return o.look(of)
	default:
	}
	if of.URL != "" { // a browser of our own was to be launched
		return doctor
	}
	return step{why: "no command line leads to this page; a browser that cuatui launches itself is read with --url"}
}

// refused is a refusal as a command prints it as JSON: that of the tools, with
// the command line that leads on in the place of the call.
type refused struct {
	*contract.RefusedResult

	NextCommand string `json:"next_command,omitempty"`
}

// refuse prints a refusal of a command about a page.
func (o OneShot) refuse(r *refusal.Refusal, of Subject) Exit {
	next := o.after(r, of)
	here := *r
	here.Next = nil
	answer := &contract.RefusedResult{Status: contract.Refused, Refusal: &here}
	return o.print(ExitRefused, refused{answer, next.line}, Text(answer)+"\n"+next.String()+"\n"+proofText(r.Proof))
}

// textOf is the text of a result. A list that goes on names the command line
// for the rest, which starts with the words of again.
func (o OneShot) textOf(result any, again []string) string {
	list, ok := result.(*contract.ExplainResult)
	if !ok || list.Next == "" {
		return Text(result)
	}
	page := *list
	page.Next = ""
	return Text(&page) + "# there is more: " + o.line(append(again, "--after", list.Next)...) + "\n"
}

// look is a snapshot of the page that was asked about.
func (o OneShot) look(of Subject) step {
	return step{"to see the page as it is now", o.line(of.words("snapshot")...)}
}

// words are those of a command about the page.
func (of Subject) words(command string, rest ...string) []string {
	page := []string{command, "--pid", strconv.Itoa(of.PID), "--window", strconv.FormatUint(of.Window, 10)}
	if of.URL != "" {
		page = []string{command, "--url", of.URL}
	}
	return append(page, rest...)
}

// line is a command line of this program, to be pasted into a shell.
func (o OneShot) line(args ...string) string {
	words := []string{"cuatui"}
	for _, a := range append(append([]string{}, o.Flags...), args...) {
		words = append(words, shellQuote(a))
	}
	return snapshotfmt.PrintableLine(strings.Join(words, " "))
}

// shellQuote writes a word so that a POSIX shell reads it as it is.
func shellQuote(word string) string {
	special := func(r rune) bool {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
		return !plain
	}
	if word == "" || strings.ContainsFunc(word, special) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
