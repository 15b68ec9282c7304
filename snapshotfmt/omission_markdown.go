package snapshotfmt

import (
	"fmt"
	"strings"
)

// OmissionsMarkdown renders the omissions as docs/why.md. The file is compared
// with it in a test: go test ./snapshotfmt -update rewrites it.
func OmissionsMarkdown() string {
	var b strings.Builder
	b.WriteString(`# Why a control is not there

<!-- Generated from snapshotfmt by: go test ./snapshotfmt -update -->

Every node of a page that could be listed is a candidate, and every candidate is
in a snapshot or counted under exactly one reason: the first of these, in this
order, that applies. Most reasons have finer causes, printed as ` + "`reason/cause`" + `.

In the terminal UI ` + "`w`" + ` explains what is selected: a ref, a line of the outline, a
row of the omissions; ` + "`W`" + ` asks about a text, a ref or a point (` + "`640,400`" + `). For
programs it is the tool ` + "`explain_browser_state`" + `. Each example below is the body of
a page on which the node that says *Target* is left out for that reason; a test
reads all of them in a browser and checks that.
`)
	for _, o := range Omissions {
		level, name := "##", string(o.Reason)
		if o.Sub != "" {
			level, name = "###", name+"/"+o.Sub
		}
		fmt.Fprintf(&b, "\n%s %s\n\n%s\n\n- **What to do**: %s\n", level, name, o.Meaning, o.Do)
		if o.Example == "" {
			fmt.Fprintf(&b, "- **See it**: %s\n", o.See)
			continue
		}
		fmt.Fprintf(&b, "- **Example**: `%s`\n", o.Example)
	}
	b.WriteString(`
## Listed, but without an action

A control that can be read is listed even where nothing can be done with it. Its
line then says (no action: why).

| why | what it means | what to do |
|---|---|---|
`)
	for _, i := range Inerts {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", i.Why, i.Meaning, i.Do)
	}
	return b.String()
}
