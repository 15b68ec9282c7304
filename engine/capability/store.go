// Package capability is the namespace of what exists: sessions, bound targets,
// their tabs, snapshots, refs and continuations; who owns each and what ends
// it. It talks to no browser. An id resolves only in the session that owns it:
// a foreign one behaves exactly like an unknown one.
package capability

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sort"
	"sync"

	"cuatui/engine/refusal"
	"cuatui/snapshotfmt"
)

// Store holds every session of an engine. It is safe for concurrent use.
type Store struct {
	mu       sync.Mutex
	sessions map[string]*session
}

// New returns an empty store.
func New() *Store { return &Store{sessions: map[string]*session{}} }

type session struct {
	targets map[string]*Target
	// snapshots counts the session's snapshots: refs are p<n>:<k>.
	snapshots int
	// ended: what still holds one of its targets resolves nothing any more.
	ended bool
}

// Target is a bound browser window. Its fields do not change after Bind.
type Target struct {
	ID         string
	Session    string
	Quality    string // exact or heuristic
	Generation int

	store *Store
	owner *session
	tabs  map[string]*Tab
	order []string
}

// Tab is a tab of a target.
type Tab struct {
	ID string
	// Key is the browser's own id of the tab; it never leaves the engine.
	Key string

	snapshot *Snapshot // the current one, nil before the first
	format   string    // that its latest snapshot was asked for in
	retired  map[int]retired
	order    []int           // retired snapshots whose refs are kept, oldest first
	spent    map[string]bool // continuations used or retired, the last rememberMax
	spending []string        // the same, oldest first
}

// Ref is what a ref must still be when it is acted on.
type Ref struct {
	K        int
	Role     string
	Name     string
	Steady   string // Name without what only counts the time, "" where that is Name
	RowKey   string
	Use      string // where it leads or sends to, and with what, "" for neither
	Actions  []string
	Why      string
	Contract string
	// Shown is what the snapshot showed of the node, with its computed meaning.
	Shown snapshotfmt.Entry
}

// Snapshot is a tab's current snapshot: all its segments live together.
type Snapshot struct {
	N            int
	refs         map[int]Ref
	since        map[int]int  // by k: the snapshot that first listed the node as it is
	before       retired      // the snapshot that this one replaced
	visual       map[int]bool // the k of its visual refs
	captures     []Capture    // oldest first
	continuation string
	payload      any
}

// NewID mints an id: the prefix and 128 random bits.
func NewID(prefix string) string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // the system's random source is gone: nothing here may go on
	}
	return prefix + hex.EncodeToString(b[:])
}

// Open makes a session. It reports false if the name is taken.
func (s *Store) Open(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[name] != nil {
		return false
	}
	s.sessions[name] = &session{targets: map[string]*Target{}}
	return true
}

// Has says whether the session is open.
func (s *Store) Has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[name] != nil
}

// Names lists the open sessions, sorted.
func (s *Store) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for n := range s.sessions {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Close ends a session and everything in it, and returns the ids of its
// targets. It reports false if there was none.
func (s *Store) Close(name string) (targets []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.sessions[name]
	if ses == nil {
		return nil, false
	}
	for id := range ses.targets {
		targets = append(targets, id)
	}
	sort.Strings(targets)
	ses.ended = true
	delete(s.sessions, name)
	return targets, true
}

// Bind mints a target in a session with a tab for each key, in that order.
func (s *Store) Bind(name, quality string, generation int, keys []string) (*Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.sessions[name]
	if ses == nil {
		return nil, fmt.Errorf("bind: session %q has ended", name)
	}
	t := &Target{ID: NewID("bt-"), Session: name, Quality: quality, Generation: generation, store: s, owner: ses, tabs: map[string]*Tab{}}
	for _, k := range keys {
		t.addTab(k)
	}
	ses.targets[t.ID] = t
	return t, nil
}

func (t *Target) addTab(key string) *Tab {
	tab := &Tab{ID: NewID("tab-"), Key: key, retired: map[int]retired{}, spent: map[string]bool{}}
	t.tabs[tab.ID] = tab
	t.order = append(t.order, tab.ID)
	return tab
}

// TabFor is the tab of the browser's key, minted if it is new to the target.
func (t *Target) TabFor(key string) *Tab {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	for _, tab := range t.tabs {
		if tab.Key == key {
			return tab
		}
	}
	return t.addTab(key)
}

// Tabs lists the target's tabs in their stable order.
func (t *Target) Tabs() []*Tab {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	out := make([]*Tab, len(t.order))
	for i, id := range t.order {
		out[i] = t.tabs[id]
	}
	return out
}

// Target resolves a target id in a session; unknown, foreign and ended ones
// are refused alike.
func (s *Store) Target(name, id string) (*Target, *refusal.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ses := s.sessions[name]; ses != nil && ses.targets[id] != nil {
		return ses.targets[id], nil
	}
	return nil, refusal.New(refusal.UnknownTarget, "this session has bound no such target").
		WithNext("list_windows", map[string]any{"session": name})
}

// Tab resolves a tab id of the target.
func (t *Target) Tab(id string) (*Tab, *refusal.Refusal) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if id == "" {
		return nil, refusal.New(refusal.TabMissing, "the call names no tab of the target")
	}
	if tab := t.tabs[id]; tab != nil {
		return tab, nil
	}
	return nil, refusal.New(refusal.TabUnknown, "the target has no such tab")
}
