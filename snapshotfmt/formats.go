package snapshotfmt

import "strings"

// The formats of a snapshot. All are made of the same entries, so that they
// name the same nodes: a ref and a uid of one node are proven in the same way.
const (
	SemanticV2 = "semantic_v2"
	DomRefsV1  = "dom_refs_v1"
	AxUIDV1    = "ax_uid_v1"
)

// Body is the page as text in the snapshot's own format, with an end of line
// after the last line, if there is one.
func (s *Semantic) Body() string {
	switch s.Snapshot.Format {
	case DomRefsV1:
		return s.DomRefsText()
	case AxUIDV1:
		return s.AxUIDText()
	}
	if outline := strings.TrimRight(s.Outline, "\n"); outline != "" {
		return outline + "\n"
	}
	return ""
}

// BodyTokens estimates what Body costs.
func (s *Semantic) BodyTokens() int { return EstimateTokens(strings.TrimSuffix(s.Body(), "\n")) }

// LineTokens estimates what the line of an entry costs in a format that is not
// semantic_v2, without its indent.
func LineTokens(format string, l *Line, e *Entry) int {
	var b strings.Builder
	if format == DomRefsV1 {
		domRefLine(&b, listed{l, e})
	} else {
		axLine(&b, axNode(l, e))
	}
	return EstimateTokens(b.String())
}

// byRef are the entries of the snapshot by their refs.
func (s *Semantic) byRef() map[string]*Entry {
	out := make(map[string]*Entry, len(s.Refs)+len(s.ContentRefs))
	for _, list := range [][]Entry{s.Refs, s.ContentRefs} {
		for i := range list {
			out[list[i].Ref] = &list[i]
		}
	}
	return out
}

// note is a line of the outline that is no node: what it says, it says in every
// format.
func (l *Line) note() bool { return l.Role == "" }
