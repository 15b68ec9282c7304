package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"cuatui/engine/headless"
	"cuatui/snapshotfmt"
	"cuatui/tui"
	"cuatui/tui/config"
	"cuatui/tui/replay"
)

// replayCommand shows a case file in the terminal UI.
func (a *app) replayCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Show a case file, that S saved in the terminal UI, without a browser",
		Long:  "Show a case file, that S saved in the terminal UI, without a browser: the same\ncalls are answered as they were answered then, and no other is. Its journal\nholds all of them.",
		RunE:  func(c *cobra.Command, args []string) error { return a.runReplay(c.Context(), args[0]) },
	}
	c.Flags().BoolVar(&a.plain, "plain", false, "a dialogue of lines in the place of the screen")
	c.Flags().StringVar(&a.configFile, "config", "", "read the settings from this `FILE`")
	return c
}

func oneFile(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("name a case file: cuatui replay FILE")
	case len(args) > 1:
		return fmt.Errorf("%s takes one file, and %s is a second", c.CommandPath(), quoted(args[1]))
	}
	return nil
}

// runReplay shows the case file at path. Its error is bad usage.
func (a *app) runReplay(ctx context.Context, path string) error {
	settings, err := config.Load(a.configFile, a.env)
	if err != nil {
		return err
	}
	engine, err := readCase(path)
	if err != nil {
		a.say("%v", err)
		a.exit = headless.ExitError
		return nil
	}
	if !a.plain {
		if err := a.needsScreen("cuatui replay --plain"); err != nil {
			return err
		}
	}
	o := tui.Options{
		Replay: engine, CaseName: filepath.Base(path), In: a.in, Out: a.out, Env: a.env, Log: a.log, Config: settings,
		Plain: a.plain, Person: isTerminal(a.in), Version: release(),
	}
	err = tui.Run(ctx, o)
	if err != nil {
		a.say("%v", err)
	}
	a.exit = exitOf(err)
	return nil
}

// readCase reads a case file. Its error names the file and what is wrong in it.
func readCase(path string) (*replay.Engine, error) {
	switch info, err := os.Stat(path); { // before it is opened: opening a pipe waits
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	c, err := snapshotfmt.ReadCase(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	engine, err := replay.New(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return engine, nil
}
