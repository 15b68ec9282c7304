package capability

import (
	"cmp"
	"maps"
	"strconv"
	"strings"

	"cuatui/engine/refusal"
)

// Begin retires the tab's snapshot and makes its next one, with its number.
// payload is what the caller needs to go on with the snapshot. In a session
// that has ended it makes none and returns 0.
func (t *Target) Begin(tab *Tab, payload any) int {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if t.owner.ended {
		return 0
	}
	t.owner.snapshots++
	tab.snapshot = &Snapshot{N: t.owner.snapshots, refs: map[int]Ref{}, since: map[int]int{}, before: tab.retire("superseded"), payload: payload}
	return t.owner.snapshots
}

// Invalidate ends the tab's refs because its document was replaced.
func (t *Target) Invalidate(tab *Tab) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	tab.retire("navigated")
}

// Ask notes in which format a tab's snapshots are asked for, and Asked tells it,
// "" for the default: who is led to a new snapshot reads on in the same one.
func (t *Target) Ask(tab *Tab, format string) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	tab.format = format
}

// Asked is the format of the latest Ask.
func (t *Target) Asked(tab *Tab) string {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return tab.format
}

// retired is a snapshot that is no longer current.
type retired struct {
	why      string      // the reason its refs are refused with
	refs     map[int]Ref // nil for one that is long gone
	since    map[int]int // as in Snapshot
	document string
}

// documented is a payload that knows which document its snapshot is of.
type documented interface{ Document() string }

func (s *Snapshot) document() string {
	if d, ok := s.payload.(documented); ok {
		return d.Document()
	}
	return ""
}

// retire ends the current snapshot, if there is one, and returns what is kept of
// it; why is the reason its refs are refused with.
func (tab *Tab) retire(why string) retired {
	s := tab.snapshot
	if s == nil {
		return retired{}
	}
	was := retired{why, s.refs, s.since, s.document()}
	tab.retired[s.N] = was
	if s.continuation != "" {
		tab.spend(s.continuation)
	}
	for _, c := range s.captures {
		tab.spend(c.ID)
	}
	tab.snapshot = nil
	tab.forget(s.N)
	return was
}

// rememberMax bounds how many retired snapshots and spent continuations of a
// tab are told apart from ones that never were. Older ones are refused all the
// same, as foreign.
const rememberMax = 1000

// refsMax bounds of how many retired snapshots the refs are kept, so that a
// successor can be told.
const refsMax = 20

func (tab *Tab) forget(newest int) {
	tab.order = append(tab.order, newest)
	if n := len(tab.order); n > refsMax {
		old := tab.order[0]
		tab.order = tab.order[1:]
		tab.retired[old] = retired{why: tab.retired[old].why}
	}
	if len(tab.retired) <= rememberMax {
		return
	}
	for n := range tab.retired {
		if n <= newest-rememberMax {
			delete(tab.retired, n)
		}
	}
}

// spend remembers that a continuation resolves no more.
func (tab *Tab) spend(id string) {
	tab.spent[id] = true
	tab.spending = append(tab.spending, id)
	if len(tab.spending) > rememberMax {
		delete(tab.spent, tab.spending[0])
		tab.spending = tab.spending[1:]
	}
}

// Put adds the refs of a segment to the tab's snapshot n and, where there is
// more, mints the next continuation. It reports false if n is no longer current.
func (t *Target) Put(tab *Tab, n int, refs []Ref, more bool) (continuation string, ok bool) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	s := tab.snapshot
	if s == nil || s.N != n || t.owner.ended {
		return "", false
	}
	for _, r := range refs {
		s.refs[r.K] = r
		s.since[r.K] = n
		if was, ok := s.before.refs[r.K]; ok && was.same(r) {
			s.since[r.K] = s.before.since[r.K]
		}
	}
	if s.continuation != "" {
		tab.spend(s.continuation)
	}
	s.continuation = ""
	if more {
		s.continuation = NewID("bc-")
	}
	return s.continuation, true
}

// Continue takes a continuation: it works once, in its session and tab, while
// its snapshot is current. It returns the snapshot's number and payload.
func (t *Target) Continue(tab *Tab, id string) (n int, payload any, r *refusal.Refusal) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	s := tab.snapshot
	switch {
	case t.owner.ended:
		return 0, nil, ended()
	case s != nil && id != "" && s.continuation == id:
		s.continuation = ""
		tab.spend(id)
		return s.N, s.payload, nil
	case tab.spent[id]:
		return 0, nil, refusal.New(refusal.Spent, "this continuation has been used, or its snapshot has been replaced")
	case !strings.HasPrefix(id, "bc-"):
		return 0, nil, refusal.New(refusal.Malformed, "a continuation starts with bc-")
	}
	return 0, nil, refusal.New(refusal.Foreign, "this tab has handed out no such continuation")
}

func ended() *refusal.Refusal {
	return refusal.New(refusal.UnknownTarget, "the session of this target has ended")
}

// The kinds of refs, which are their first letters.
const (
	KindNode    = 'p' // a listed node: the only kind that is acted on
	KindExplain = 'o' // a node that is left out: explained, and nothing else
	KindVisual  = 'v' // a visual region: shown by browser_screenshot, and nothing else
	KindUID     = 'u' // a listed node by its uid, which has no letter: <n>_<k>
)

// Parse reads <kind><n>:<k>, or the uid <n>_<k>: decimal digits only, no sign,
// no leading zero. ok is false for what is no ref of any kind.
func Parse(ref string) (kind byte, n, k int, ok bool) {
	if ref == "" {
		return 0, 0, 0, false
	}
	kind, sep := ref[0], ":"
	switch {
	case kind >= '1' && kind <= '9':
		kind, sep = KindUID, "_"
	case strings.ContainsRune("pov", rune(kind)):
		ref = ref[1:]
	default:
		return 0, 0, 0, false
	}
	left, right, found := strings.Cut(ref, sep)
	n, okN := number(left)
	k, okK := number(right)
	return kind, n, k, found && okN && okK
}

// parse reads the ref or uid of a listed node, and refuses every other.
func parse(ref string) (kind byte, n, k int, r *refusal.Refusal) {
	kind, n, k, ok := Parse(ref)
	switch {
	case !ok:
		return 0, 0, 0, refusal.New(refusal.Malformed, "a ref has the form p<n>:<k>, a uid <n>_<k>")
	case kind == KindExplain:
		return 0, 0, 0, refusal.New(refusal.RefKindUnsupported, "this ref names a node that is left out of the snapshot: it can be explained, and nothing else")
	case kind == KindVisual:
		return 0, 0, 0, refusal.New(refusal.RefKindUnsupported, "this ref names a visual region: browser_screenshot shows it, and nothing else takes it")
	}
	return kind, n, k, nil
}

func number(s string) (int, bool) {
	if s == "" || len(s) > 9 || s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// Resolve finds a ref or a uid in the tab's current snapshot. It refuses with
// malformed, ref_kind_unsupported, foreign, superseded or navigated, a uid also
// with no_snapshot, and with unknown_target once the session has ended. For a
// superseded one it also returns what it was and what the current snapshot lists
// of its node, as far as both are known.
func (t *Target) Resolve(tab *Tab, ref string) (found Ref, old, now *Ref, r *refusal.Refusal) {
	kind, n, k, r := parse(ref)
	if r != nil {
		return Ref{}, nil, nil, r
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if t.owner.ended {
		return Ref{}, nil, nil, ended()
	}
	s := tab.snapshot
	if kind == KindUID {
		return tab.resolveUID(n, k)
	}
	if s != nil && s.N == n {
		if got, ok := s.refs[k]; ok {
			return got, nil, nil, nil
		}
		return Ref{}, nil, nil, refusal.New(refusal.Foreign, "snapshot p%d has handed out no such ref", n)
	}
	was, known := tab.retired[n]
	switch {
	case known && was.why == "navigated":
		return Ref{}, nil, nil, refusal.New(refusal.Navigated, "the document of snapshot p%d has been replaced", n)
	case known:
		if before, ok := was.refs[k]; ok {
			old = &before
		}
		if s != nil {
			if current, ok := s.refs[k]; ok {
				now = &current
			}
		}
		return Ref{}, old, now, refusal.New(refusal.Superseded, "snapshot p%d has been replaced by a newer one", n)
	}
	return Ref{}, nil, nil, refusal.New(refusal.Foreign, "this tab has handed out no snapshot p%d, or long ago", n)
}

// resolveUID finds the node k that snapshot n was the first to list, if every
// snapshot since has listed it as what it was.
func (tab *Tab) resolveUID(n, k int) (found Ref, old, now *Ref, r *refusal.Refusal) {
	s := tab.snapshot
	if s != nil && s.since[k] == n {
		return s.refs[k], nil, nil, nil
	}
	was, known := tab.retired[n]
	switch {
	case s == nil && len(tab.retired) == 0:
		return Ref{}, nil, nil, refusal.New(refusal.NoSnapshot, "no snapshot of this tab has been taken, so it has no uids")
	case known && was.why == "navigated":
		return Ref{}, nil, nil, refusal.New(refusal.Navigated, "the document of snapshot p%d has been replaced", n)
	case known && (was.refs == nil || was.since[k] == n):
		if before, ok := was.refs[k]; ok {
			old = &before
		}
		if s != nil {
			if current, ok := s.refs[k]; ok {
				now = &current
			}
		}
		return Ref{}, old, now, refusal.New(refusal.Superseded, "a newer snapshot does not list the node of this uid, or lists it as something else")
	}
	return Ref{}, nil, nil, refusal.New(refusal.Foreign, "this tab has handed out no such uid, or long ago")
}

// PutVisual adds the visual refs of a segment to the tab's snapshot n. It
// reports false if n is no longer current.
func (t *Target) PutVisual(tab *Tab, n int, ks []int) bool {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	s := tab.snapshot
	if s == nil || s.N != n || t.owner.ended {
		return false
	}
	for _, k := range ks {
		if s.visual == nil {
			s.visual = map[int]bool{}
		}
		s.visual[k] = true
	}
	return true
}

// ResolveVisual finds a visual ref in the tab's current snapshot, and returns
// that snapshot's payload with it. It refuses as Resolve does.
func (t *Target) ResolveVisual(tab *Tab, ref string) (k int, payload any, r *refusal.Refusal) {
	kind, n, k, ok := Parse(ref)
	if !ok || kind != KindVisual {
		return 0, nil, refusal.New(refusal.Malformed, "a visual ref has the form v<n>:<k>")
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	s := tab.snapshot
	was, known := tab.retired[n]
	switch {
	case t.owner.ended:
		return 0, nil, ended()
	case s != nil && s.N == n && s.visual[k]:
		return k, s.payload, nil
	case s != nil && s.N == n:
		return 0, nil, refusal.New(refusal.Foreign, "snapshot p%d has handed out no such visual ref", n)
	case known && was.why == "navigated":
		return 0, nil, refusal.New(refusal.Navigated, "the document of snapshot p%d has been replaced", n)
	case known:
		return 0, nil, refusal.New(refusal.Superseded, "snapshot p%d has been replaced by a newer one", n)
	}
	return 0, nil, refusal.New(refusal.Foreign, "this tab has handed out no snapshot p%d, or long ago", n)
}

// Listing is what a snapshot of the tab has listed, by k, and the document it
// is of. The snapshot is the current one or one of the last few before it. It
// refuses with malformed, foreign, navigated, superseded for one that is too
// old, and unknown_target once the session has ended.
func (t *Target) Listing(tab *Tab, id string) (refs map[int]Ref, document string, r *refusal.Refusal) {
	n, ok := number(strings.TrimPrefix(id, "p"))
	if !ok || !strings.HasPrefix(id, "p") {
		return nil, "", refusal.New(refusal.Malformed, "a snapshot has the form p<n>")
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if t.owner.ended {
		return nil, "", ended()
	}
	if s := tab.snapshot; s != nil && s.N == n {
		return maps.Clone(s.refs), s.document(), nil
	}
	was, known := tab.retired[n]
	switch {
	case !known:
		return nil, "", refusal.New(refusal.Foreign, "this tab has handed out no snapshot p%d, or long ago", n)
	case was.why == "navigated":
		return nil, "", refusal.New(refusal.Navigated, "the document of snapshot p%d has been replaced", n)
	case was.refs == nil:
		return nil, "", refusal.New(refusal.Superseded, "what snapshot p%d listed is no longer kept: %d newer ones have been taken", n, refsMax)
	}
	return maps.Clone(was.refs), was.document, nil
}

// Current is the number of the tab's snapshot, 0 if it has none.
func (t *Target) Current(tab *Tab) int {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if tab.snapshot == nil {
		return 0
	}
	return tab.snapshot.N
}

// RefOf is the ref of a node in the tab's current snapshot, "" if it lists none.
func (t *Target) RefOf(tab *Tab, k int) string {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	s := tab.snapshot
	if s == nil {
		return ""
	}
	if _, ok := s.refs[k]; !ok {
		return ""
	}
	return "p" + strconv.Itoa(s.N) + ":" + strconv.Itoa(k)
}

// UID is the uid of a node in the tab's current snapshot, "" if it lists none.
func (t *Target) UID(tab *Tab, k int) string {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	s := tab.snapshot
	if s == nil || s.since[k] == 0 {
		return ""
	}
	return strconv.Itoa(s.since[k]) + "_" + strconv.Itoa(k)
}

// Reuse says what the node k of the tab's current snapshot is for now: what an
// action on its ref has made of it.
func (t *Target) Reuse(tab *Tab, k int, use string) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if s := tab.snapshot; s != nil {
		if r, ok := s.refs[k]; ok {
			r.Use = use
			s.refs[k] = r
		}
	}
}

// same says whether a node is still what a ref was made for.
func (r Ref) same(is Ref) bool {
	return r.Role == is.Role && cmp.Or(r.Steady, r.Name) == cmp.Or(is.Steady, is.Name) && r.RowKey == is.RowKey
}

// Payload is the tab's current snapshot with its number, nil if it has none.
func (t *Target) Payload(tab *Tab) (n int, payload any) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if tab.snapshot == nil {
		return 0, nil
	}
	return tab.snapshot.N, tab.snapshot.payload
}
