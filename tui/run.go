// Package tui is the terminal UI: one Bubble Tea program over the engine's
// typed API. It decides nothing about browsers; it calls, shows what was
// answered, and keeps page text from reaching the terminal as anything but
// text.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"cuatui/engine/contract"
	"cuatui/tui/cmdtable"
	"cuatui/tui/config"
	"cuatui/tui/replay"
	"cuatui/tui/term"
)

// Engine is what the terminal UI asks of the engine. A refused call returns a
// *refusal.Refusal as its error, bad arguments a *contract.ArgumentError; any
// other error means that the engine could not look.
type Engine interface {
	StartSession(ctx context.Context, r contract.StartSessionRequest) (*contract.StartSessionResult, error)
	EndSession(ctx context.Context, r contract.EndSessionRequest) (*contract.EndSessionResult, error)
	ListWindows(ctx context.Context, r contract.ListWindowsRequest) (*contract.ListWindowsResult, error)
	Prepare(ctx context.Context, r contract.PrepareRequest) (*contract.PrepareResult, error)
	State(ctx context.Context, r contract.StateRequest) (*contract.StateResult, error)
	Navigate(ctx context.Context, r contract.NavigateRequest) (*contract.NavigateResult, error)
	Select(ctx context.Context, r contract.SelectRequest) (*contract.ActionResult, error)
	Dialog(ctx context.Context, r contract.DialogRequest) (*contract.DialogResult, error)
	Wait(ctx context.Context, r contract.WaitRequest) (*contract.WaitResult, error)
	Explain(ctx context.Context, r contract.ExplainRequest) (*contract.ExplainResult, error)
	Click(ctx context.Context, r contract.ClickRequest) (*contract.ActionResult, error)
	Type(ctx context.Context, r contract.TypeRequest) (*contract.ActionResult, error)
	Press(ctx context.Context, r contract.PressRequest) (*contract.ActionResult, error)
	Pointer(ctx context.Context, r contract.PointerRequest) (*contract.ActionResult, error)
	SetInputFiles(ctx context.Context, r contract.FilesRequest) (*contract.ActionResult, error)
	Screenshot(ctx context.Context, r contract.ScreenshotRequest) (*contract.ScreenshotResult, error)
	// Lost waits until a bound tab can no longer be used as it was bound, and
	// returns what a call on it comes to then. It is no tool, and asks nothing.
	Lost(ctx context.Context, r contract.StateRequest) error
	// Pick lets the person choose a node in the browser, and explains it; Highlight
	// marks one there. Both wait for that, or stand, until ctx ends, and leave
	// nothing behind. They are no tools.
	Pick(ctx context.Context, r contract.StateRequest) (*contract.ExplainResult, error)
	Highlight(ctx context.Context, r contract.ExplainRequest) error
	// Grant records a person's consent to a window of a personal browser, and
	// Revoke withdraws it. They are no tools: only a person's answer calls them.
	Grant(ctx context.Context, r contract.GrantRequest) (*contract.GrantResult, error)
	Revoke(ctx context.Context, r contract.GrantRequest) (*contract.GrantResult, error)
}

// Options is what Run needs.
type Options struct {
	Engine Engine
	In     io.Reader
	Out    io.Writer
	Env    []string
	// StartURL, where set, is opened at the start in an isolated browser that
	// is then inspected.
	StartURL string
	// Demo returns the url of the demo page, serving it where needed; nil is no
	// demo page.
	Demo func(context.Context) (string, error)
	// Replay, where set, is the engine: a case file, of that name.
	Replay   *replay.Engine
	CaseName string
	// Version is of the program, for the files that it writes.
	Version string
	// Config is the person's settings.
	Config config.Config
	// Plain asks for lines in the place of a screen; Person says that the input
	// is a terminal, so that a person may be asked for consent.
	Plain, Person bool
	// Log gets what happened, without page text; nil drops it.
	Log *slog.Logger
}

// endLimit bounds how long the program waits at its end for the engine to
// release what the session owns.
const endLimit = 10 * time.Second

// Run shows the UI until the person leaves, ctx ends or a signal comes, and
// then ends the session. The terminal is restored in every case.
func Run(ctx context.Context, o Options) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGHUP, syscall.SIGTERM)
	defer stop()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := cmdtable.Rebind(o.Config.Keys); err != nil {
		return fmt.Errorf("terminal UI: %w", err)
	}
	m := newModel(ctx, o)
	if o.Plain {
		defer func() { err = errors.Join(err, m.end(ctx)) }()
		return newPlain(m, o).run(ctx, o)
	}
	opts := []tea.ProgramOption{
		tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env), tea.WithoutSignalHandler(),
	}
	if term.Env(o.Env).NoColor() {
		opts = append(opts, tea.WithColorProfile(colorprofile.ASCII))
	}
	defer func() {
		stop() // from here on a second ctrl-c ends the program at once
		if endErr := m.end(ctx); endErr != nil && err == nil {
			err = endErr
		}
	}()
	p := tea.NewProgram(m, opts...)
	// Ending by a quit message, not by tea.WithContext: a killed program closes
	// its input without waiting for who reads it, and tea knows no SIGHUP.
	defer context.AfterFunc(ctx, p.Quit)()
	if _, err := p.Run(); err != nil {
		return fmt.Errorf("terminal UI: %w", err)
	}
	if m.crash != nil {
		return fmt.Errorf("terminal UI: %w", m.crash)
	}
	return nil
}

// end cancels what runs and releases what the session owns. It works after ctx
// has ended, since that is when it is needed most.
func (m *Model) end(ctx context.Context) error {
	m.call.Stop()
	m.listing.Stop()
	m.poll.Stop()
	m.pursuit.slot.Stop()
	m.hold.Stop()
	m.unglow()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	m.drawn.wait(ctx)
	if !m.started {
		return nil
	}
	if _, err := m.engine.EndSession(ctx, contract.EndSessionRequest{Session: m.session}); err != nil {
		return fmt.Errorf("end session %s: %w", m.session, err)
	}
	return nil
}

func sessionName() string { return fmt.Sprintf("tui-%d", os.Getpid()) }
