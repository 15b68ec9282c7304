package refusal

import (
	"fmt"
	"strings"
)

// Markdown renders the vocabulary as docs/refusals.md. The file is compared
// with it in a test: go test ./engine/refusal -update rewrites it.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Refusals

<!-- Generated from engine/refusal by: go test ./engine/refusal -update -->

A refusal is an answer, not an error: the engine looked and declined. It carries
one of sixteen codes, which are closed and never renamed, and a reason, which
always belongs to the same code. Programs branch on the code; the reason, the
proof trace and ` + "`next`" + ` say what exactly was found and which call leads on.
`)
	for _, c := range Codes {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.Code, c.Meaning)
		for _, e := range Table {
			if e.Code != c.Code {
				continue
			}
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n- **Raised by**: %s\n- **What to do**: %s\n- **See it live**: %s\n",
				e.Reason, e.Meaning, e.Raised, e.Do, e.See)
		}
	}
	return b.String()
}
