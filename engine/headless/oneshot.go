package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/platform"
	"cuatui/snapshotfmt"
)

// Exit is the exit code of a command.
type Exit int

// The exit codes. A refusal is on standard output, because it is the answer.
const (
	ExitOK      Exit = 0
	ExitError   Exit = 1
	ExitUsage   Exit = 2
	ExitRefused Exit = 3
	ExitPartial Exit = 4
)

// oneShotSession is the session of the one-shot commands. Each runs an engine
// of its own, so the name is never shared.
const oneShotSession = "oneshot"

// OneShot runs the one-shot commands. Data goes to Out, talk to Err.
type OneShot struct {
	Out, Err io.Writer
	// Flags are those of the whole program that a next command line carries on.
	Flags []string
	// JSON prints the result object instead of text.
	JSON bool
	// Log gets the causes of failures; nil: none.
	Log *slog.Logger
}

// Subject is a page: that of a native window by PID and Window, or of URL in an
// isolated browser.
type Subject struct {
	PID    int
	Window uint64
	URL    string
}

// SnapshotOf says what to take a snapshot of.
type SnapshotOf struct {
	Subject

	Format    string
	Query     string
	Collector string // as contract.StateRequest has it
}

// Windows prints the native windows and what binding would say of each.
func (o OneShot) Windows(ctx context.Context, engine Engine) Exit {
	return o.inSession(ctx, engine, question{}, func() (any, error) {
		return call(ctx, engine, Engine.ListWindows, &contract.ListWindowsRequest{Session: oneShotSession})
	})
}

// Snapshot prints one snapshot and releases everything it needed for it.
func (o OneShot) Snapshot(ctx context.Context, engine Engine, of SnapshotOf) Exit {
	return o.inSession(ctx, engine, question{of: of.Subject}, func() (any, error) {
		snapshot := &contract.StateRequest{Session: oneShotSession, Format: of.Format, Query: of.Query, Collector: of.Collector}
		result, err := o.take(ctx, engine, of.Subject, snapshot)
		if err == nil && result.Semantic != nil {
			result.Snapshot.Continuation = "" // it ends with the session, before anyone could use it
		}
		return result, err
	})
}

// open opens or binds the subject, for the snapshot that is to be taken of it.
func (o OneShot) open(ctx context.Context, engine Engine, of Subject, snapshot *contract.StateRequest) (*contract.StateResult, error) {
	if err := checkBeforeLaunch(of, *snapshot); err != nil {
		return nil, err
	}
	if of.URL != "" {
		return o.openIsolated(ctx, engine, of.URL)
	}
	return bindWindow(ctx, engine, of.PID, of.Window)
}

// take opens or binds the subject and takes the snapshot of its tab.
func (o OneShot) take(ctx context.Context, engine Engine, of Subject, snapshot *contract.StateRequest) (*contract.StateResult, error) {
	bound, err := o.open(ctx, engine, of, snapshot)
	if err != nil {
		return nil, err
	}
	snapshot.TargetID, snapshot.TabID = bound.TargetID, activeTab(bound.Tabs)
	return call(ctx, engine, Engine.State, snapshot)
}

// checkBeforeLaunch finds bad arguments before anything is started for them.
func checkBeforeLaunch(of Subject, snapshot contract.StateRequest) error {
	snapshot.TargetID = "any" // known only after binding
	if err := snapshot.Validate(); err != nil {
		return err
	}
	if of.URL == "" {
		return nil
	}
	return (&contract.NavigateRequest{Session: oneShotSession, TargetID: "any", URL: of.URL}).Validate()
}

// openIsolated launches an isolated browser and loads url in its only tab.
func (o OneShot) openIsolated(ctx context.Context, engine Engine, url string) (*contract.StateResult, error) {
	prepared, err := call(ctx, engine, Engine.Prepare, &contract.PrepareRequest{Session: oneShotSession, Profile: "isolated_new", AllowLaunch: true})
	if err != nil {
		return nil, err
	}
	if len(prepared.WindowIDs) == 0 {
		return nil, errors.New("the isolated browser has no window")
	}
	bound, err := bindWindow(ctx, engine, prepared.PreparedPID, prepared.WindowIDs[0])
	if err != nil {
		return nil, err
	}
	loaded, err := call(ctx, engine, Engine.Navigate, &contract.NavigateRequest{
		Session: oneShotSession, TargetID: bound.TargetID, TabID: activeTab(bound.Tabs), URL: url,
	})
	if err != nil {
		return nil, err
	}
	if loaded.ErrorText != "" {
		return nil, &pageError{loaded.ErrorText}
	}
	if loaded.HTTPStatus >= 400 {
		o.talk("the page answered with HTTP status %d", loaded.HTTPStatus)
	}
	if loaded.Status == contract.Partial {
		o.talk("the page has not finished loading; it came to %s", loaded.LoadState)
	}
	return bound, nil
}

// pageError is a page that did not load. Text is the browser's own word.
type pageError struct{ text string }

func (e *pageError) Error() string { return "the page did not load: " + e.text }

func bindWindow(ctx context.Context, engine Engine, pid int, window uint64) (*contract.StateResult, error) {
	return call(ctx, engine, Engine.State, &contract.StateRequest{Session: oneShotSession, PID: pid, WindowID: window})
}

// activeTab returns the one tab there is, or the one that says it is active.
// Otherwise it returns none, and the engine refuses with the tabs to choose
// from: a guess would show the wrong page.
func activeTab(tabs []contract.Tab) string {
	if len(tabs) == 1 {
		return tabs[0].TabID
	}
	active := ""
	for _, t := range tabs {
		if t.Active == nil || !*t.Active {
			continue
		}
		if active != "" {
			return ""
		}
		active = t.TabID
	}
	return active
}

// Doctor is what the doctor command needs of the engine.
type Doctor interface {
	Doctor(context.Context) []platform.Finding
}

// Doctor prints what works here, what is missing and what is unverified.
func (o OneShot) Doctor(ctx context.Context, d Doctor) Exit {
	findings := d.Doctor(ctx)
	if o.JSON {
		return o.print(ExitOK, struct {
			System   string             `json:"system"`
			Findings []platform.Finding `json:"findings"`
		}{runtime.GOOS + "/" + runtime.GOARCH, append([]platform.Finding{}, findings...)}, "")
	}
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%-10s %-24s %s\n", f.State, snapshotfmt.PrintableLine(f.Name), snapshotfmt.PrintableLine(f.Note))
	}
	return o.print(ExitOK, nil, b.String())
}

// Tools prints the tool list; as JSON with the full schemas.
func (o OneShot) Tools() Exit {
	if o.JSON {
		return o.write(ExitOK, append(contract.FullToolList(), '\n'))
	}
	var b strings.Builder
	for _, t := range contract.Tools {
		fmt.Fprintf(&b, "%s\n  %s\n", t.Name, t.Description)
		in := t.InputSchema()
		for _, name := range in.PropertyOrder {
			fmt.Fprintf(&b, "    %-16s %s\n", name, in.Properties[name].Description)
		}
	}
	return o.print(ExitOK, nil, b.String())
}

// question is what a command was asked, as far as the next command line says it
// again.
type question struct {
	of    Subject  // zero for a command about no page
	again []string // the words that ask for more of a list
}

// inSession runs f in a session of its own and prints what it answers.
func (o OneShot) inSession(ctx context.Context, engine Engine, q question, f func() (any, error)) (exit Exit) {
	start := time.Now()
	if _, err := engine.StartSession(ctx, contract.StartSessionRequest{Session: oneShotSession}); err != nil {
		return o.fail(err, q.of)
	}
	defer func() {
		if err := endSession(ctx, engine, oneShotSession); err != nil {
			o.talk("the session was not released: %s", contract.NewCallError(err).Message)
			exit = max(exit, ExitError)
		}
	}()
	result, err := f()
	if o.Log != nil {
		logCall(ctx, o.Log, "oneshot", time.Since(start), answerOf(result, err))
	}
	if err != nil {
		return o.fail(err, q.of)
	}
	return o.print(exitOf(result), result, o.textOf(result, q.again))
}

// call validates a request and calls the engine with it.
func call[Request, Result any, P interface {
	*Request
	Validate() error
}](ctx context.Context, engine Engine, method func(Engine, context.Context, Request) (*Result, error), request P) (*Result, error) {
	if err := request.Validate(); err != nil {
		return nil, err
	}
	return method(engine, ctx, *request)
}

func exitOf(result any) Exit {
	switch r := result.(type) {
	case *contract.StateResult:
		if r.Status == contract.Partial {
			return ExitPartial
		}
	case *contract.AuditResult:
		switch {
		case len(r.Misses)+len(r.Lies) > 0:
			return ExitError
		case r.Status == contract.Partial:
			return ExitPartial
		}
	}
	return ExitOK
}

// fail prints a refusal as the answer it is, and says anything else on Err. The
// cause of a failure may name addresses and paths, so it is only in the log.
func (o OneShot) fail(err error, of Subject) Exit {
	if r, ok := refusal.As(err); ok {
		return o.refuse(r, of)
	}
	var page *pageError
	if errors.As(err, &page) {
		o.talk("%s", page)
		return ExitError
	}
	return o.failed(contract.NewCallError(err))
}

func (o OneShot) failed(err *contract.CallError) Exit {
	switch {
	case err.Kind == contract.BadArguments:
		o.talk("%s: %s", flagOf(err.Field), err.Message)
		return ExitUsage
	case err.Kind == contract.Internal && o.Log == nil:
		o.talk("%s; run again with --log FILE", err.Message)
	default:
		o.talk("%s", err.Message)
	}
	return ExitError
}

// Ended says how something that prints its own answers ended; nil is well.
func (o OneShot) Ended(err error) Exit {
	if err == nil {
		return ExitOK
	}
	if o.Log != nil {
		o.Log.Error("ended with an error", slog.String("cause", err.Error()))
	}
	return o.failed(contract.NewCallError(err))
}

// flagOf names the flag that an argument came from.
func flagOf(field string) string {
	switch field {
	case "snapshot_format":
		return "--format"
	case "window_id":
		return "--window"
	}
	return "--" + field
}

func proofText(steps []refusal.Step) string {
	var b strings.Builder
	for _, s := range steps {
		line := fmt.Sprintf("  %-8s %s", s.Verdict, s.Step) + suffix(", want ", s.Want) + suffix(", got ", s.Got)
		b.WriteString(snapshotfmt.PrintableLine(line) + "\n")
	}
	return b.String()
}

// print writes the value as JSON or the text, as asked, and returns exit.
func (o OneShot) print(exit Exit, value any, text string) Exit {
	if !o.JSON {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return o.write(exit, []byte(text))
	}
	line, err := encodeLine(value)
	if err != nil {
		return o.failed(contract.NewCallError(err))
	}
	return o.write(exit, line)
}

func (o OneShot) write(exit Exit, data []byte) Exit {
	if _, err := o.Out.Write(data); err != nil {
		o.talk("writing the answer: %v", err)
		return ExitError
	}
	return exit
}

// talk says something on Err. There is nobody to tell if that fails.
func (o OneShot) talk(format string, args ...any) {
	_, _ = fmt.Fprintln(o.Err, "cuatui: "+snapshotfmt.PrintableLine(fmt.Sprintf(format, args...)))
}
