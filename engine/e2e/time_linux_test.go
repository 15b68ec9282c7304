package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// A time element that names its instant to the second may count on: the instant
// tells the row, and the numbers of its words do not. Everything else that
// changes in a row or a name is another row.
func TestARowThatCountsTheTimeIsTheSame(t *testing.T) {
	const stamp, later = `<time datetime="2024-03-01T09:00:00Z">%s</time>`, `<time datetime="2024-03-01T09:00:07Z">%s</time>`
	const minute, plain = `<time datetime="2024-03-01T09:00Z">%s</time>`, `<span>%s</span>`
	tests := []struct {
		name, before, after string
		words, now          string
		same                bool
	}{
		{"it counts on", stamp, stamp, "3s ago", "14s ago", true},
		{"in other numbers", stamp, stamp, "٣ s ago", "٤ s ago", true},
		{"it counts in other words", stamp, stamp, "59 s ago", "1 min ago", false},
		{"it is another instant", stamp, later, "3s ago", "4s ago", false},
		{"another instant in the same words", stamp, later, "3s ago", "3s ago", false},
		{"only the minute is named", minute, minute, "3s ago", "4s ago", false},
		{"no instant is named", plain, plain, "3s ago", "4s ago", false},
	}
	s := use(t)
	for _, tt := range tests {
		for _, route := range []string{"dom_event", "trusted_key"} {
			t.Run(tt.name+" "+route, func(t *testing.T) {
				b, run := s.tab(t, "actions")
				b = b.on(t)
				s.witness.eval(t, run, fmt.Sprintf(`document.body.insertAdjacentHTML('afterbegin', '<ul id="times"><li data-key="7">Ann %[1]s <button>Reply</button><li><a href="#ann">Ann %[1]s</a></ul>');
					for (const e of document.querySelectorAll('#times button, #times a')) e.onclick = () => journal.note('took', e.localName)`, fmt.Sprintf(tt.before, tt.words)), nil)
				refs := map[string]string{}
				for _, e := range entries(b.state(nil)) {
					if e.Name == "Reply" || e.Role == "link" && e.Name == "Ann "+tt.words {
						refs[map[bool]string{true: "button", false: "a"}[e.Role == "button"]] = e.Ref
					}
				}
				s.witness.eval(t, run, fmt.Sprintf(`for (const e of document.querySelectorAll('#times time, #times span')) e.outerHTML = '%s'`, fmt.Sprintf(tt.after, tt.now)), nil)
				for tag, ref := range refs {
					want := 0
					if tt.same {
						want = 1
						b.click(ref, route)
					} else {
						b.clickRefused(refusal.IdentityChanged, ref, route)
					}
					n := 0
					for _, r := range b.settled(run) {
						if r.Type == "took" && string(r.Data) == `"`+tag+`"` {
							n++
						}
					}
					if n != want {
						t.Errorf("%s was clicked %d times, want %d", tag, n, want)
					}
				}
				if len(refs) != 2 {
					t.Errorf("listed %v", refs)
				}
			})
		}
	}
}

// What else changes in the row still tells it: the time does not cover it up.
func TestATimeHidesNoOtherChange(t *testing.T) {
	s := use(t)
	for name, change := range map[string]string{
		"another name": `li.firstChild.data = 'Bob '`,
		"another key":  `li.dataset.key = '8'`,
		"more words":   `li.append('urgent')`,
	} {
		t.Run(name, func(t *testing.T) {
			b, run := s.tab(t, "actions")
			b = b.on(t)
			s.witness.eval(t, run, `document.body.insertAdjacentHTML('afterbegin', '<ul><li id="li" data-key="7">Ann <time datetime="2024-03-01T09:00:00Z">3s ago</time> <button>Reply</button></ul>')`, nil)
			snapshot := b.state(nil)
			ref := find(t, snapshot, "button", "Reply").Ref
			s.witness.eval(t, run, `li.querySelector('time').textContent = '4s ago'; `+change, nil)
			b.clickRefused(refusal.IdentityChanged, ref, "dom_event")
		})
	}
}

// An old ref of such a row leads to its current one.
func TestATimeThatCountsOnHasASuccessor(t *testing.T) {
	s := use(t)
	b, run := s.tab(t, "actions")
	s.witness.eval(t, run, `document.body.insertAdjacentHTML('afterbegin', '<a id="ago" href="#ago"><time datetime="2024-03-01T09:00:00Z">3s ago</time></a>')`, nil)
	old := find(t, b.state(nil), "link", "3s ago").Ref
	s.witness.eval(t, run, `ago.firstChild.textContent = '4s ago'`, nil)
	now := find(t, b.state(nil), "link", "4s ago").Ref
	if r := b.clickRefused(refusal.Superseded, old, "dom_event"); r.Detail == nil || r.Detail.Successor != now {
		t.Errorf("leads to %+v, want %s", r.Detail, now)
	}
}

// A time that never stands still is not taken for a node that changes between
// its proof and its delivery.
func TestATimeThatNeverStandsStill(t *testing.T) {
	s := use(t)
	for _, route := range []string{"dom_event", "trusted_key"} {
		b, run := s.tab(t, "actions")
		s.witness.eval(t, run, `document.body.insertAdjacentHTML('afterbegin', '<a id="ago" href="#ago" style="display: inline-block; width: 200px"><time datetime="2024-03-01T09:00:00Z">1 s ago</time></a>');
			let n = 100;
			setInterval(() => { ago.firstChild.textContent = ++n + ' s ago'; }, 1);
			ago.onclick = () => journal.note('took')`, nil)
		for _, e := range entries(b.state(nil)) {
			if e.Role == "link" && strings.HasSuffix(e.Name, " s ago") {
				b.click(e.Ref, route)
			}
		}
		if n := fixtures.Count(b.settled(run), "took", ""); n != 1 {
			t.Errorf("%s: clicked %d times", route, n)
		}
	}
}
