package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The manual page, made of the commands and their flags, so that it says what they
// take: cuatui man | man -l -

func (a *app) manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page: cuatui man | man -l -",
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.answers, manual(root))
			return err
		},
	}
}

// manual is the manual page of a command and those below it, for man(1).
func manual(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH CUATUI 1\n.SH NAME\ncuatui \\- %s\n.SH SYNOPSIS\n", roff(lower(root.Short)))
	synopsis := func(c *cobra.Command) { fmt.Fprintf(&b, ".B %s\n.br\n", roff(usageOf(c))) }
	synopsis(root)
	commands := shown(root)
	for _, c := range commands {
		synopsis(c)
	}
	b.WriteString(".SH DESCRIPTION\n" + paragraphs(root.Long))
	b.WriteString(".SH OPTIONS\n" + options(root.LocalNonPersistentFlags()))
	b.WriteString(".SH OPTIONS OF EVERY COMMAND\n" + options(root.PersistentFlags()))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands {
		said := c.Long
		if said == "" {
			said = c.Short + "."
		}
		fmt.Fprintf(&b, ".SS %s\n%s", roff(usageOf(c)), paragraphs(said)+options(c.LocalNonPersistentFlags()))
	}
	b.WriteString(`.SH FILES
.TP
.I $XDG_CONFIG_HOME/cuatui/config.json
Keys and theme; without the variable in ~/.config. It is read once, at the start.
.TP
.I $XDG_STATE_HOME/cuatui
Private profiles of the browsers that are launched; without the variable in ~/.local/state.
.SH ENVIRONMENT
.TP
.B NO_COLOR
With any value that is not empty: no colours.
`)
	return b.String()
}

// shown are the commands that a person is told of, without the help.
func shown(c *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, below := range c.Commands() {
		if below.Hidden || below.Name() == "help" {
			continue
		}
		if below.HasSubCommands() {
			out = append(out, shown(below)...)
			continue
		}
		out = append(out, below)
	}
	return out
}

func usageOf(c *cobra.Command) string {
	if c.HasParent() {
		return c.Parent().CommandPath() + " " + c.Use
	}
	return c.Use + " [flags]"
}

// options are flags as a list.
func options(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(&b, ".TP\n.B \\-\\-%s", roff(f.Name))
		if value != "" {
			b.WriteString(" " + roff(value))
		}
		b.WriteString("\n" + roff(strings.ReplaceAll(usage, "\n", " ")) + "\n")
	})
	return b.String()
}

// paragraphs are a text with blank lines between its parts.
func paragraphs(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(s, "\n\n") {
		b.WriteString(".PP\n" + roff(strings.ReplaceAll(strings.TrimSpace(part), "\n", " ")) + "\n")
	}
	return b.String()
}

// roff writes text so that none of it is taken for a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
