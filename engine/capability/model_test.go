package capability_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"cuatui/engine/capability"
	"cuatui/engine/refusal"
)

var replay = flag.Uint64("replay", 0, "run only the sequence of this seed")

// The model: what exists, said as simply as possible and without any bound.
type (
	modelTab struct {
		target  *modelTarget
		tab     *capability.Tab
		n       int // current snapshot, 0 for none
		refs    map[int]bool
		token   string
		retired []modelRetired // oldest first
	}
	modelRetired struct {
		n    int
		why  refusal.Reason
		refs map[int]bool
	}
	modelTarget struct {
		session string
		ended   bool
		target  *capability.Target
		tabs    []*modelTab
	}
)

func (m *modelTab) retire(why refusal.Reason) {
	if m.n != 0 {
		m.retired = append(m.retired, modelRetired{m.n, why, m.refs})
	}
	m.n, m.refs, m.token = 0, nil, ""
}

// world is a store, its model and every id either has ever handed out.
type world struct {
	t        *testing.T
	r        *rand.Rand
	store    *capability.Store
	open     map[string]bool
	snapshot map[string]int // per open session
	targets  []*modelTarget
	tabs     []*modelTab
	tokens   []string
	refs     []string
}

var names = []string{"a", "b", "c"}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func (w *world) step() {
	name := pick(w.r, names)
	switch op := w.r.IntN(20); {
	case op == 0:
		if got := w.store.Open(name); got == w.open[name] {
			w.t.Errorf("Open(%s) = %v, open before: %v", name, got, w.open[name])
		}
		if !w.open[name] {
			w.open[name], w.snapshot[name] = true, 0
		}
	case op == 1 && w.r.IntN(4) == 0:
		w.close(name)
	case op <= 3:
		w.bind(name)
	case len(w.tabs) == 0:
	case op <= 7:
		w.begin(pick(w.r, w.tabs))
	case op <= 11:
		w.put(pick(w.r, w.tabs))
	case op <= 13:
		w.next(pick(w.r, w.tabs))
	case op == 14:
		m := pick(w.r, w.tabs)
		m.target.target.Invalidate(m.tab)
		m.retire(refusal.Navigated)
	default:
		w.resolve(pick(w.r, w.tabs))
		w.lookUp()
	}
}

func (w *world) close(name string) {
	ids, ok := w.store.Close(name)
	var want []string
	for _, m := range w.targets {
		if m.session == name && !m.ended {
			m.ended = true
			want = append(want, m.target.ID)
		}
	}
	slices.Sort(want)
	if ok != w.open[name] || !slices.Equal(ids, want) {
		w.t.Errorf("Close(%s) = %v, %v; want %v, %v", name, ids, ok, want, w.open[name])
	}
	w.open[name] = false
}

func (w *world) bind(name string) {
	keys := []string{"k1", "k2", "k3"}[:1+w.r.IntN(3)]
	target, err := w.store.Bind(name, "exact", 1, keys)
	if (err == nil) != w.open[name] {
		w.t.Errorf("Bind(%s): %v, open: %v", name, err, w.open[name])
	}
	if err != nil {
		return
	}
	m := &modelTarget{session: name, target: target}
	for i, tab := range target.Tabs() {
		if tab.Key != keys[i] {
			w.t.Errorf("tab %d has the key %s, want %s", i, tab.Key, keys[i])
		}
		m.tabs = append(m.tabs, &modelTab{target: m, tab: tab})
	}
	w.targets, w.tabs = append(w.targets, m), append(w.tabs, m.tabs...)
}

func (w *world) begin(m *modelTab) {
	n := m.target.target.Begin(m.tab, m)
	if m.target.ended {
		if n != 0 {
			w.t.Errorf("a session that has ended began p%d", n)
		}
		return
	}
	w.snapshot[m.target.session]++
	if want := w.snapshot[m.target.session]; n != want {
		w.t.Errorf("Begin = %d, want %d", n, want)
	}
	m.retire(refusal.Superseded)
	m.n, m.refs = n, map[int]bool{}
}

func (w *world) put(m *modelTab) {
	n := m.n
	if w.r.IntN(5) == 0 {
		n = w.r.IntN(50)
	}
	var refs []capability.Ref
	for range w.r.IntN(4) {
		refs = append(refs, capability.Ref{K: 1 + w.r.IntN(9), Role: "button"})
	}
	more := w.r.IntN(2) == 0
	token, ok := m.target.target.Put(m.tab, n, refs, more)
	if want := n != 0 && n == m.n && !m.target.ended; ok != want || (token != "") != (ok && more) {
		w.t.Errorf("Put(p%d) = %q, %v; current p%d, more %v", n, token, ok, m.n, more)
	}
	if !ok {
		return
	}
	m.token = token
	if more {
		w.tokens = append(w.tokens, token)
	}
	for _, r := range refs {
		m.refs[r.K] = true
		w.refs = append(w.refs, fmt.Sprintf("p%d:%d", n, r.K))
	}
}

func (w *world) next(m *modelTab) {
	id := m.token
	if len(w.tokens) > 0 && w.r.IntN(3) > 0 {
		id = pick(w.r, w.tokens)
	}
	n, payload, r := m.target.target.Continue(m.tab, id)
	if want := id != "" && id == m.token && !m.target.ended; want != (r == nil) {
		w.t.Errorf("Continue(%q) refused %v; the tab's is %q", id, r, m.token)
	}
	if r == nil {
		if n != m.n || payload != any(m) {
			w.t.Errorf("Continue gives p%d and another's payload, want p%d", n, m.n)
		}
		m.token = ""
	}
}

// resolve tries a ref that any tab of any session has handed out.
func (w *world) resolve(m *modelTab) {
	ref := fmt.Sprintf("p%d:%d", w.r.IntN(60), w.r.IntN(12))
	if len(w.refs) > 0 && w.r.IntN(4) > 0 {
		ref = pick(w.r, w.refs)
	}
	var n, k int
	if _, err := fmt.Sscanf(ref, "p%d:%d", &n, &k); err != nil {
		w.t.Fatal(err)
	}
	got, old, _, r := m.target.target.Resolve(m.tab, ref)
	if n == 0 || k == 0 {
		w.wants(r, refusal.Malformed, ref)
		return
	}
	if m.target.ended {
		w.wants(r, refusal.UnknownTarget, ref)
		return
	}
	if n == m.n && m.refs[k] {
		if r != nil || got.K != k {
			w.t.Errorf("the current ref %s resolves to %+v, %v", ref, got, r)
		}
		if m.target.target.RefOf(m.tab, k) != ref {
			w.t.Errorf("RefOf(%d) is not %s", k, ref)
		}
		return
	}
	i := slices.IndexFunc(m.retired, func(o modelRetired) bool { return o.n == n })
	if i < 0 {
		w.wants(r, refusal.Foreign, ref)
		return
	}
	w.wants(r, m.retired[i].why, ref)
	kept := i >= len(m.retired)-20
	if was := m.retired[i]; was.why == refusal.Superseded && (old != nil) != (kept && was.refs[k]) {
		w.t.Errorf("%s: the old ref is %+v; retired %d ago, listed %v", ref, old, len(m.retired)-i, was.refs[k])
	}
}

func (w *world) wants(r *refusal.Refusal, reason refusal.Reason, ref string) {
	w.t.Helper()
	if r == nil || r.Reason != reason {
		w.t.Errorf("%s is answered %v, want %s", ref, r, reason)
	}
}

// lookUp tries every target id in a session and every tab id on a target.
func (w *world) lookUp() {
	name := pick(w.r, names)
	for _, m := range w.targets {
		got, r := w.store.Target(name, m.target.ID)
		if want := m.session == name && !m.ended; (r == nil) != want || want && got != m.target {
			w.t.Errorf("Target(%s) of session %s in session %s: %v", m.target.ID, m.session, name, r)
		}
	}
	if len(w.targets) == 0 {
		return
	}
	in := pick(w.r, w.targets)
	for _, m := range w.tabs {
		if got, r := in.target.Tab(m.tab.ID); (r == nil) != (m.target == in) || r == nil && got != m.tab {
			w.t.Errorf("a tab of another target resolves: %v", r)
		}
	}
}

func run(t *testing.T, seed uint64) {
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 0)), store: capability.New(), open: map[string]bool{}, snapshot: map[string]int{}}
	for range 400 {
		if w.step(); t.Failed() {
			t.Fatalf("replay with: go test ./engine/capability -run TestNothingForeignOrOldEverResolves -replay %d", seed)
		}
	}
}

func TestNothingForeignOrOldEverResolves(t *testing.T) {
	if *replay != 0 {
		run(t, *replay)
		return
	}
	for seed := uint64(1); seed <= 80; seed++ {
		run(t, seed)
	}
}
