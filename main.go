// Command cuatui shows what an agent can see and do in a real browser window,
// and lets it do it: a terminal UI for people, MCP and JSON lines for programs,
// and one-shot commands for both. This file holds flags, wiring and exit codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"cuatui/engine"
	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/engine/limits"
	"cuatui/fixtures"
	"cuatui/snapshotfmt"
	"cuatui/tui"
	"cuatui/tui/config"
	"cuatui/tui/pane"
	terminal "cuatui/tui/term"
)

// demoPage is the built-in page that the demo opens: a mail that is in view
// among hundreds of controls that are not.
const demoPage = "inbox-attribute"

func main() {
	env := os.Environ()
	if err := os.Unsetenv(tokenEnv); err != nil { // no browser that is started needs it
		panic(err) // the name is a constant
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, env))
}

// run is the program without the process around it; it returns the exit code.
func run(args []string, in io.Reader, out, talk io.Writer, env []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := &app{closeLog: func() {}, in: in, out: out, answers: headless.NewOutlet(ctx, out), talk: talk, env: env}
	root := a.commands()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetErr(talk)
	// A command sets a.exit and returns nil; what is left is bad usage, or the
	// help, the version or a completion that could not be written: the parser
	// returns that error for some and drops it for others.
	c, err := root.ExecuteContextC(ctx)
	if lost := a.answers.Err(); lost != nil && (err != nil || a.exit == headless.ExitOK) {
		a.say("%v", lost)
		return int(headless.ExitError)
	}
	defer a.closeLog()
	var unopened *logError
	switch {
	case errors.As(err, &unopened):
		a.say("%v", err)
		a.exit = headless.ExitError
	case err != nil:
		a.say("%v", err)
		a.exit = headless.ExitUsage
	}
	if a.exit == headless.ExitUsage {
		_, _ = fmt.Fprintf(talk, "Run %s --help for what it takes.\n", c.CommandPath())
	}
	return int(a.exit)
}

// app is one run of the program.
type app struct {
	in        io.Reader
	out, talk io.Writer
	answers   *headless.Outlet // out, for all but the faces that serve
	env       []string
	exit      headless.Exit
	log       *slog.Logger // nil: none was asked for
	closeLog  func()

	demo, headless bool
	protocol       string
	http           string
	tokenFile      string
	plain          bool
	url            string
	configFile     string
	logFile        string
	stateDir       string
	wayland        bool
	json           bool
	of             headless.SnapshotOf
	explain        headless.ExplainOf
	audit          headless.Subject
}

func (a *app) commands() *cobra.Command {
	root := &cobra.Command{
		Use:           "cuatui",
		Short:         "See and do what an agent sees and does in a real browser window",
		Long:          "cuatui without arguments opens the terminal UI.\n\nExit codes: 0 done, 1 failed or interrupted, 2 bad usage, 3 refused (the refusal is on standard output), 4 partial.\nA signal ends cuatui --headless as the end of input does: everything is released, exit code 0.\n\ncuatui --plain goes on after a line that failed. At its end, where the lines came from a pipe or file, it exits by the first that did: 2 for one that names no command or one that does not work there. Where they were typed at a terminal, a person has seen what failed, and it exits with 0.",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.runRoot(cmd) },
		// For every command: one that has nothing to log takes the flag too.
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := filled(cmd); err != nil {
				return err
			}
			return a.openLog()
		},
	}
	root.SetVersionTemplate("cuatui {{.Version}}\n")
	root.Flags().BoolVar(&a.demo, "demo", false, "open the built-in page in an isolated browser and inspect it; without a terminal, print its snapshot")
	root.Flags().BoolVar(&a.headless, "headless", false, "serve an agent on standard input and output, or with --http several")
	root.Flags().StringVar(&a.protocol, "protocol", "", "with --headless: mcp (the default) or jsonl, one JSON request a line")
	root.Flags().StringVar(&a.http, "http", "", "with --headless: serve MCP over HTTP on this loopback `ADDRESS`, as 127.0.0.1:0, and print its URL; port 0 is any that is free")
	root.Flags().StringVar(&a.tokenFile, "http-token", "", "with --http: the bearer token that clients need is in this `FILE`, which is made if it is not there; without it, the token is in "+tokenEnv)
	root.Flags().StringVar(&a.url, "url", "", "open this `URL` in an isolated browser and inspect it")
	root.Flags().BoolVar(&a.plain, "plain", false, "a dialogue of lines in the place of the screen, for screen readers and pipes; from a pipe, it exits by the first line that failed")
	root.Flags().StringVar(&a.configFile, "config", "", "read the settings from this `FILE`; the default is cuatui/config.json in XDG_CONFIG_HOME or ~/.config")
	root.PersistentFlags().StringVar(&a.logFile, "log", "", "append a log in JSON to this `FILE`; it holds no page text")
	root.PersistentFlags().BoolVar(&a.wayland, "wayland", false, "start browsers as Wayland programs of this session; without it only where no X display answers")
	root.PersistentFlags().StringVar(&a.stateDir, "state-dir", "", "where profiles are kept")
	if err := root.PersistentFlags().MarkHidden("state-dir"); err != nil {
		panic(err) // the flag is defined above
	}
	shows := a.replayCommand()
	root.AddCommand(
		a.command("windows", "List native windows and what binding would say of each", func(ctx context.Context) headless.Exit {
			return a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit { return o.Windows(ctx, e) })
		}),
		a.snapshotCommand(),
		a.explainCommand(),
		a.auditCommand(),
		a.command("tools", "List the tools; with --json, their full schemas", func(context.Context) headless.Exit {
			return a.oneShot().Tools()
		}),
		a.command("doctor", "Say what works here, what is missing, what is unverified", func(ctx context.Context) headless.Exit {
			return a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit { return o.Doctor(ctx, e) })
		}),
		shows,
		a.manCommand(root),
	)
	root.SetOut(a.answers) // before the completions, which keep what is set when they are made
	inOurWords(root)
	shows.Args = oneFile // the one that takes an argument
	return root
}

// command makes a one-shot command that takes --json.
func (a *app) command(use, short string, f func(context.Context) headless.Exit) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, _ []string) error {
		a.exit = f(cmd.Context())
		return nil
	}}
	c.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return c
}

func (a *app) snapshotCommand() *cobra.Command {
	c := a.command("snapshot", "Print one snapshot of a window, or of a URL in an isolated browser", func(ctx context.Context) headless.Exit {
		return a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit { return o.Snapshot(ctx, e, a.of) })
	})
	subjectFlags(c, &a.of.Subject)
	c.Flags().StringVar(&a.of.Format, "format", contract.Formats[0].Name, formatHelp())
	c.Flags().StringVar(&a.of.Query, "query", "", "only nodes that contain this `TEXT`")
	c.Flags().StringVar(&a.of.Collector, "collector", "survey", "where the nodes come `FROM`: survey, a walk in the page, or protocol, the\nbrowser's own trees: slow, without --query, to hold the survey against")
	return c
}

func (a *app) explainCommand() *cobra.Command {
	c := a.command("explain", "Say why a node of a page is or is not offered", func(ctx context.Context) headless.Exit {
		return a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit { return o.Explain(ctx, e, a.explain) })
	})
	subjectFlags(c, &a.explain.Subject)
	c.Use += " (--ref R | --point X,Y | --text T | --reason R)"
	c.Flags().StringVar(&a.explain.Ref, "ref", "", "the node of this `REF`, as cuatui snapshot prints it of the same page")
	c.Flags().Float64SliceVar(&a.explain.Point, "point", nil, "what stands at `X,Y` in CSS px of the viewport")
	c.Flags().StringVar(&a.explain.Text, "text", "", "the nodes that show this `TEXT`, or should")
	c.Flags().StringVar(&a.explain.Reason, "reason", "", "the nodes that are omitted for this `REASON`, or reason/sub_reason")
	c.Flags().StringVar(&a.explain.After, "after", "", "with --text or --reason: the `NEXT` that the page of nodes before ended with")
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if err := namesPage(c, &a.explain.Subject); err != nil {
			return err
		}
		return asksOne(c)
	}
	return c
}

func (a *app) auditCommand() *cobra.Command {
	c := a.command("audit", "Judge a snapshot by the browser's own hit testing; exit 1 if it misses or lies", func(ctx context.Context) headless.Exit {
		return a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit { return o.Audit(ctx, e, a.audit) })
	})
	subjectFlags(c, &a.audit)
	return c
}

// runRoot is cuatui without a command. Its error is bad usage.
func (a *app) runRoot(cmd *cobra.Command) error {
	ctx := cmd.Context()
	for _, names := range [][]string{{"demo", "url", "headless"}, {"plain", "headless"}, {"config", "headless"}, {"http", "protocol"}} {
		if err := apart(cmd, names...); err != nil {
			return err
		}
	}
	noScreen := a.needsScreen("cuatui --plain, cuatui snapshot, or cuatui --headless")
	switch {
	case !a.headless && a.protocol != "":
		return errors.New("--protocol: goes with --headless")
	case !a.headless && a.http != "":
		return errors.New("--http: goes with --headless")
	case a.http == "" && a.tokenFile != "":
		return errors.New("--http-token: goes with --http")
	case a.http != "":
		return a.serveHTTP(ctx)
	case a.headless:
		return a.serve(ctx)
	case a.plain || noScreen == nil:
		settings, err := config.Load(a.configFile, a.env)
		if err != nil {
			return err
		}
		a.exit = a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit { return a.show(ctx, e, o.Log, settings) })
	case a.demo:
		a.exit = a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit { return a.printDemo(ctx, e, o) })
	default:
		return noScreen
	}
	return nil
}

// needsScreen says why the terminal UI cannot be drawn here, and what to use
// in its place.
func (a *app) needsScreen(instead string) error {
	kind := terminal.Env(a.env).Get("TERM")
	switch {
	case !isTerminal(a.in) || !isTerminal(a.out):
		return fmt.Errorf("the terminal UI needs a terminal: use %s", instead)
	case kind == "dumb" || kind == "" && runtime.GOOS != "windows": // where consoles bear no name
		return fmt.Errorf("the terminal UI needs a terminal that it can draw on, and TERM is %s: use %s", quoted(kind), instead)
	}
	return nil
}

// serve answers an agent. Its error is bad usage.
func (a *app) serve(ctx context.Context) error {
	var serve func(*headless.Server, context.Context, io.Reader, io.Writer) error
	switch a.protocol {
	case "", "mcp":
		serve = (*headless.Server).ServeMCP
	case "jsonl":
		serve = (*headless.Server).Serve
	default:
		return fmt.Errorf("--protocol: must be mcp or jsonl, not %s", quoted(a.protocol))
	}
	if isTerminal(a.in) {
		a.say("reading requests from this terminal; an agent is meant to start it. Ctrl-D ends it.")
	}
	a.exit = a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit {
		return o.Ended(serve(&headless.Server{Engine: e, Log: o.Log, Version: release()}, ctx, a.in, a.out))
	})
	return nil
}

// show runs the terminal UI.
func (a *app) show(ctx context.Context, e *engine.Engine, log *slog.Logger, settings config.Config) headless.Exit {
	pages := fixtures.NewServer()
	defer func() { _ = pages.Close() }() // loopback only, nothing to lose
	started := false
	demo := func(context.Context) (string, error) {
		if !started {
			if err := pages.Start(ctx); err != nil {
				return "", fmt.Errorf("serving the demo page: %w", err)
			}
			started = true
		}
		url, _ := pages.Page(demoPage)
		return url, nil
	}
	o := tui.Options{Engine: e, In: a.in, Out: a.out, Env: a.env, Demo: demo, Log: log, Config: settings, Plain: a.plain, Person: isTerminal(a.in), Version: release()}
	o.StartURL = a.url
	if a.demo {
		url, err := demo(ctx)
		if err != nil {
			a.say("%v", err)
			return headless.ExitError
		}
		o.StartURL = url
	}
	err := tui.Run(ctx, o)
	if err != nil {
		a.say("%v", err)
	}
	return exitOf(err)
}

// exitOf is the exit code of a run of the terminal UI.
func exitOf(err error) headless.Exit {
	var line *tui.LineError
	if !errors.As(err, &line) {
		if err != nil {
			return headless.ExitError
		}
		return headless.ExitOK
	}
	switch line.Outcome {
	case pane.Bad:
		return headless.ExitUsage
	case pane.Refused:
		return headless.ExitRefused
	case pane.Partly:
		return headless.ExitPartial
	default:
		return headless.ExitError
	}
}

// printDemo is the demo where there is no terminal.
func (a *app) printDemo(ctx context.Context, e *engine.Engine, o headless.OneShot) headless.Exit {
	pages := fixtures.NewServer()
	if err := pages.Start(ctx); err != nil {
		a.say("serving the demo page: %v", err)
		return headless.ExitError
	}
	defer func() { _ = pages.Close() }() // loopback only, nothing to lose
	url, _ := pages.Page(demoPage)
	return o.Snapshot(ctx, e, headless.SnapshotOf{Subject: headless.Subject{URL: url}})
}

// withEngine runs f with an engine, and releases everything afterwards, even
// after a signal.
func (a *app) withEngine(ctx context.Context, f func(*engine.Engine, headless.OneShot) headless.Exit) headless.Exit {
	o, log := a.oneShot(), a.log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	// A reader that has gone fails the write to it, and must not end the process
	// before what was launched is released.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	e, err := engine.New(engine.Options{StateDir: a.stateDir, Wayland: a.wayland, Log: log})
	if err != nil {
		a.say("starting the engine: %v", err)
		return headless.ExitError
	}
	exit := f(e, o)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*limits.EndSessionTimeout)
	defer cancel()
	if err := e.Close(closing); err != nil {
		return max(exit, o.Ended(err))
	}
	return exit
}

func (a *app) oneShot() headless.OneShot {
	o := headless.OneShot{Out: a.answers, Err: a.talk, JSON: a.json, Log: a.log}
	if a.wayland {
		o.Flags = []string{"--wayland"}
	}
	return o
}

// logError is a log that was asked for and cannot be written.
type logError struct{ error }

// openLog opens the log that --log asks for.
func (a *app) openLog() error {
	if a.logFile == "" {
		return nil
	}
	file, err := os.OpenFile(a.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return &logError{fmt.Errorf("opening the log: %w", err)}
	}
	a.log, a.closeLog = slog.New(slog.NewJSONHandler(file, nil)), func() { _ = file.Close() }
	return nil
}

// say tells the person something on standard error, in one line.
func (a *app) say(format string, args ...any) {
	_, _ = fmt.Fprintln(a.talk, "cuatui: "+snapshotfmt.PrintableLine(short(fmt.Sprintf(format, args...), sayMax)))
}

// sayMax bounds, in characters, what is said at once: it may name a path of any length.
const sayMax = 1000

func isTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(file.Fd())
}

// release is the version alone.
func release() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}

// version says which build this is, as far as the build knows.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(no build information)"
	}
	parts := []string{info.Main.Version, info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "vcs.revision", "vcs.time":
			parts = append(parts, s.Value)
		case "vcs.modified":
			if s.Value == "true" {
				parts = append(parts, "modified")
			}
		}
	}
	return strings.Join(parts, " ")
}
