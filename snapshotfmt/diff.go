package snapshotfmt

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DiffListMax bounds each list of a diff; the counts are of everything.
const DiffListMax = 100

// Diff says how what a segment lists differs from what an earlier snapshot of
// the tab has listed, node by node. A node that is listed now and was not then
// may have been on the page: a diff compares listings.
type Diff struct {
	From string `json:"from" jsonschema:"p<n>: the earlier snapshot"`
	// Added are listed now and were not.
	Added []DiffNode `json:"added"`
	// Removed were listed and have left the page, or are no candidates now.
	Removed []DiffNode `json:"removed"`
	// Changed are listed in both, with another role, name, value, description,
	// state, action or reason why there is none.
	Changed []DiffNode `json:"changed"`
	// Moved were listed and are in another tier now, listed or not.
	Moved  []DiffNode `json:"moved"`
	Counts DiffCounts `json:"counts"`
}

// DiffCounts counts the nodes that either listing holds. A node that both
// changed and moved counts as both; every other one counts once.
type DiffCounts struct {
	Added     int `json:"added"`
	Removed   int `json:"removed"`
	Changed   int `json:"changed"`
	Moved     int `json:"moved"`
	Unchanged int `json:"unchanged"`
	// NotCompared were listed, are on the page still, and are not in this
	// segment: what they are now is not known.
	NotCompared int `json:"not_compared" jsonschema:"listed then, still on the page, and not in this segment"`
}

// DiffNode is one node of a diff. Ref is the ref of today where it has one,
// else that of the earlier snapshot, which no action takes.
type DiffNode struct {
	Ref    string      `json:"ref"`
	Role   string      `json:"role"`
	Name   string      `json:"name"`
	Fields []DiffField `json:"fields,omitempty" jsonschema:"changed: each field with its values"`
	Was    string      `json:"was,omitempty" jsonschema:"moved: the tier it was in"`
	Is     string      `json:"is,omitempty" jsonschema:"moved: the tier or omission reason it is in; removed: gone or not_a_candidate"`
}

// DiffField is one field that changed.
type DiffField struct {
	Field string `json:"field" jsonschema:"role, name, value, description, actions, why, or a state"`
	Was   string `json:"was"`
	Is    string `json:"is"`
}

// Compare lists the fields in which two entries of one node differ. Boxes,
// refs and routes are not compared.
func Compare(was, is Entry) []DiffField {
	var out []DiffField
	field := func(name, a, b string) {
		if a != b {
			out = append(out, DiffField{name, a, b})
		}
	}
	field("role", was.Role, is.Role)
	field("name", was.Name, is.Name)
	field("value", was.Value, is.Value)
	field("description", was.Description, is.Description)
	a, b := stateWords(was.States), stateWords(is.States)
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		field(name, a[name], b[name])
	}
	field("actions", strings.Join(was.Actions, " "), strings.Join(is.Actions, " "))
	field("why", was.Why, is.Why)
	return out
}

// stateWords are the states that say something, by their JSON names.
func stateWords(s States) map[string]string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain data
	}
	var values map[string]any
	if err := json.Unmarshal(data, &values); err != nil {
		panic(err)
	}
	out := make(map[string]string, len(values))
	for name, v := range values {
		out[name] = fmt.Sprint(v)
	}
	return out
}

// Add appends a node to a list that holds no more than DiffListMax.
func (d *Diff) Add(list *[]DiffNode, count *int, n DiffNode) {
	*count++
	if len(*list) < DiffListMax {
		*list = append(*list, n)
	}
}

// Text renders the diff, one line a node after a line of counts. Page text is
// in quotes.
func (d *Diff) Text() string {
	var b strings.Builder
	c := d.Counts
	fmt.Fprintf(&b, "# against %s: %d added, %d removed, %d changed, %d moved, %d unchanged, %d not compared\n",
		d.From, c.Added, c.Removed, c.Changed, c.Moved, c.Unchanged, c.NotCompared)
	list := func(mark string, nodes []DiffNode, count int, tail func(DiffNode) string) {
		for _, n := range nodes {
			fmt.Fprintf(&b, "%s %s %s %s%s\n", mark, n.Role, Quote(n.Name), n.Ref, tail(n))
		}
		if more := count - len(nodes); more > 0 {
			fmt.Fprintf(&b, "%s %d more\n", mark, more)
		}
	}
	list("+", d.Added, c.Added, func(DiffNode) string { return "" })
	list("-", d.Removed, c.Removed, func(n DiffNode) string { return " " + n.Is })
	list("~", d.Changed, c.Changed, func(n DiffNode) string {
		var t strings.Builder
		for _, f := range n.Fields {
			fmt.Fprintf(&t, " %s %s -> %s", f.Field, Quote(f.Was), Quote(f.Is))
		}
		return t.String()
	})
	list(">", d.Moved, c.Moved, func(n DiffNode) string { return " " + n.Was + " -> " + n.Is })
	return b.String()
}
