package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cuatui/engine/contract"
	"cuatui/engine/headless"
	"cuatui/snapshotfmt"
)

// What a command line may hold, and what is said of one that is bad: one
// sentence that says what is allowed, in the words of this program and not of a
// library, for a person who made a slip and not for who wrote the parser.

// inOurWords makes every command below root say so.
func inOurWords(root *cobra.Command) {
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultCompletionCmd() // else made when it is too late to change
	everyCommand(root, func(c *cobra.Command) { c.Args = noArguments })
	for _, c := range root.Commands() {
		if !c.Runnable() { // or its arguments would not be looked at
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	root.SetHelpCommand(helpCommand())
}

func everyCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		everyCommand(below, do)
	}
}

// noArguments refuses what is neither a flag nor a command.
func noArguments(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case c.HasSubCommands():
		return noCommand(c, args[0])
	}
	return fmt.Errorf("%s takes no arguments, only flags, and %s is none", c.CommandPath(), quoted(args[0]))
}

func noCommand(c *cobra.Command, name string) error {
	like := ""
	if near := c.SuggestionsFor(short(name, wordMax)); len(near) > 0 {
		like = "; did you mean " + c.CommandPath() + " " + near[0] + "?"
	}
	return fmt.Errorf("%s has no command %s%s", c.CommandPath(), quoted(name), like)
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Say what a command takes",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = noArguments(about, rest)
			}
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// flagError says what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var lacking *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	var malformed *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
			return noCommand(c, args[0]) // the flag is one of the command that was meant
		}
		name := "--" + unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name = "-" + letters
		}
		return fmt.Errorf("%s has no flag %s", c.CommandPath(), quoted(name))
	case errors.As(err, &lacking):
		f := lacking.GetFlag()
		return fmt.Errorf("--%s: needs a value: %s", f.Name, allowed(f))
	case errors.As(err, &bad):
		f := bad.GetFlag()
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("--%s: must be %s, and %s is out of range", f.Name, allowed(f), quoted(bad.GetValue()))
		}
		return fmt.Errorf("--%s: must be %s, not %s", f.Name, allowed(f), quoted(bad.GetValue()))
	case errors.As(err, &malformed):
		return fmt.Errorf("%s is no flag: one has the form --name or --name=value", quoted(malformed.GetSpecifiedFlag()))
	}
	return err
}

// allowed says what the value of a flag may be; of one that takes any text, what
// it is for.
func allowed(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "uint64":
		return "a whole number from 1"
	case "bool":
		return "true or false, or stand alone"
	case "float64Slice":
		return twoNumbers
	}
	_, usage := pflag.UnquoteUsage(f)
	return strings.ReplaceAll(usage, "\n", " ")
}

const twoNumbers = "X,Y: two numbers with a comma between them"

// quoted repeats what came from outside in a form that cannot steer a terminal
// or fill it.
func quoted(s string) string { return snapshotfmt.Quote(short(s, wordMax)) }

// wordMax bounds, in characters, what is repeated of an argument.
const wordMax = 64

// short is the beginning of a text that may be of any length.
func short(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// given are those of the flags that the command line has.
func given(c *cobra.Command, names ...string) []string {
	var out []string
	for _, name := range names {
		if c.Flags().Changed(name) {
			out = append(out, "--"+name)
		}
	}
	return out
}

// apart refuses flags of which each excludes the others.
func apart(c *cobra.Command, names ...string) error {
	if both := given(c, names...); len(both) > 1 {
		return fmt.Errorf("%s and %s do not go together", both[0], both[1])
	}
	return nil
}

// filled refuses flags that are given with nothing in them, which would count
// as left out.
func filled(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			err = fmt.Errorf("--%s: must not be empty", f.Name)
		}
	})
	return err
}

// subjectFlags gives a command the flags that say which page it is about.
func subjectFlags(c *cobra.Command, of *headless.Subject) {
	c.Use += " (--pid N --window ID | --url URL)"
	c.Flags().IntVar(&of.PID, "pid", 0, "process `N` that owns the window")
	c.Flags().Uint64Var(&of.Window, "window", 0, "native window `ID`, as cuatui windows prints it")
	c.Flags().StringVar(&of.URL, "url", "", "launch an isolated browser at this `URL`")
	c.PreRunE = func(c *cobra.Command, _ []string) error { return namesPage(c, of) }
}

// namesPage refuses flags that name no page, or more than one.
func namesPage(c *cobra.Command, of *headless.Subject) error {
	url, window := given(c, "url"), given(c, "pid", "window")
	switch {
	case len(url) > 0 && len(window) > 0:
		return fmt.Errorf("--url and %s do not go together: name one page", window[0])
	case len(url) > 0:
		return nil
	case len(window) == 0:
		return errors.New("name a page: --url URL, or --pid N and --window ID as cuatui windows prints them")
	case len(window) == 1:
		return errors.New("--pid and --window go together: cuatui windows prints both")
	case of.PID < 1:
		return fmt.Errorf("--pid: must be %s", allowed(c.Flag("pid")))
	case of.Window < 1:
		return fmt.Errorf("--window: must be %s", allowed(c.Flag("window")))
	}
	return nil
}

// asksOne refuses flags that ask nothing of a page, or more than one thing.
func asksOne(c *cobra.Command) error {
	questions := []string{"ref", "point", "text", "reason"}
	if err := apart(c, questions...); err != nil {
		return err
	}
	if len(given(c, questions...)) == 0 {
		return errors.New("ask something: --ref R, --point X,Y, --text T or --reason R")
	}
	if len(given(c, "after")) > 0 && len(given(c, "text", "reason")) == 0 {
		return errors.New("--after: goes with --text or --reason only")
	}
	return nil
}

// formatHelp lists the formats and what each is for.
func formatHelp() string {
	help := "`FORMAT` of the snapshot:"
	for _, f := range contract.Formats {
		help += fmt.Sprintf("\n%s: %s", f.Name, f.For)
	}
	return help
}
