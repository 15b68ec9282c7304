package snapshotfmt

import (
	"slices"
	"strings"
)

// DomRefsMax bounds the entries of one dom_refs_v1 segment.
const DomRefsMax = 300

// DomRefs is the dom_refs_v1 snapshot: a flat list in document order, for
// clients that know no other. It lists what semantic_v2 lists, so what is hidden
// is counted in omitted and has no ref.
type DomRefs struct {
	SnapshotID string   `json:"snapshot_id" jsonschema:"p<n>; give it as diff_from with a later snapshot"`
	Format     string   `json:"format"`
	URL        string   `json:"url"`
	Refs       []DomRef `json:"refs"`
	Truncated  bool     `json:"truncated" jsonschema:"whether anything is left out; omitted and continuation say what"`
	OOPIF      struct {
		Status string `json:"status" jsonschema:"attached, or unsupported where a frame could not be read"`
		Frames int    `json:"frames" jsonschema:"frames that were read, besides the main one"`
	} `json:"oopif"`
	Omitted         Omitted    `json:"omitted"`
	Continuation    string     `json:"continuation,omitempty" jsonschema:"single-use id of the next segment"`
	EstimatedTokens int        `json:"estimated_tokens"`
	Regions         *Regions   `json:"regions,omitempty"`
	Deprecated      Deprecated `json:"deprecated"`
}

// DomRef is one node of a DomRefs.
type DomRef struct {
	Ref   string `json:"ref"`
	Node  string `json:"node" jsonschema:"name of the element"`
	Label string `json:"label" jsonschema:"name, value and role as key=value with the value in quotes"`
	Frame string `json:"frame" jsonschema:"main, or f<n>"`
}

// Deprecated says since when a format is, and what to use in its place.
type Deprecated struct {
	Since string `json:"since" jsonschema:"date"`
	Use   string `json:"use" jsonschema:"the format to ask for in its place"`
}

// DomRefsDeprecated is what every dom_refs_v1 snapshot says of itself.
var DomRefsDeprecated = Deprecated{Since: "2026-12-01", Use: SemanticV2}

// DomRefs is the snapshot as dom_refs_v1 has it.
func (s *Semantic) DomRefs() *DomRefs {
	i := s.Snapshot
	d := &DomRefs{
		SnapshotID: i.ID, Format: DomRefsV1, URL: s.Page.URL, Refs: []DomRef{}, Truncated: !i.Complete,
		Omitted: i.Omitted, Continuation: i.Continuation, EstimatedTokens: i.EstimatedTokens, Regions: s.Regions, Deprecated: DomRefsDeprecated,
	}
	for _, n := range s.inDocumentOrder() {
		d.Refs = append(d.Refs, DomRef{Ref: n.e.Ref, Node: n.l.Tag, Label: domLabel(n.e), Frame: n.e.Frame})
	}
	d.OOPIF.Status = "attached"
	for _, f := range s.Frames {
		switch {
		case f.Status != "read":
			d.OOPIF.Status = "unsupported"
		case f.Parent != "":
			d.OOPIF.Frames++
		}
	}
	return d
}

// DomRefsText is the same list, a node a line: ref element label [frame].
func (s *Semantic) DomRefsText() string {
	var b strings.Builder
	for _, n := range s.inDocumentOrder() {
		domRefLine(&b, n)
		b.WriteByte('\n')
	}
	for i := range s.Lines {
		if l := &s.Lines[i]; l.note() {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// listed is an entry with its line.
type listed struct {
	l *Line
	e *Entry
}

func (s *Semantic) inDocumentOrder() []listed {
	var all []listed
	entries := s.byRef()
	for i := range s.Lines {
		if e := entries[s.Lines[i].Ref]; e != nil {
			all = append(all, listed{&s.Lines[i], e})
		}
	}
	slices.SortStableFunc(all, func(a, b listed) int { return a.l.Order - b.l.Order })
	return all
}

func domRefLine(b *strings.Builder, n listed) {
	b.WriteString(n.e.Ref + " " + bare(n.l.Tag) + " " + domLabel(n.e))
	if n.e.Frame != "main" {
		b.WriteString(" frame=" + bare(n.e.Frame))
	}
}

// domLabel says what a node is called. Page text stands in quotes, so that it
// can imitate neither another key nor another line.
func domLabel(e *Entry) string {
	label := ""
	if e.Name != "" {
		label = "name=" + Quote(e.Name) + " "
	}
	if e.Value != "" {
		label += "value=" + Quote(e.Value) + " "
	}
	return label + "role=" + bare(e.Role)
}

// bare is a word that may stand without quotes; what is none is quoted.
func bare(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
	if plain {
		return s
	}
	return Quote(s)
}
