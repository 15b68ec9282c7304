package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuatui/engine/contract"
	"cuatui/engine/refusal"
	"cuatui/fixtures"
)

// lanesScript gives each of two agents controls of its own, which note what
// they were made to do, in the order in which it happened.
const lanesScript = `for (const who of ['a', 'b']) {
	const did = (what) => { journal.note('did', who + ' ' + what); shown.textContent = what; };
	const add = (tag, name, more) => { const e = Object.assign(document.createElement(tag), more); e.ariaLabel = name + ' ' + who; document.body.prepend(e); return e; };
	const shown = document.createElement('output');
	document.body.append(shown);
	for (let i = 0; i < 8; i++) add('button', 'Button' + i, { textContent: i }).onclick = () => did('click ' + i);
	const text = add('input', 'Text');
	text.oninput = () => did('type ' + text.value);
	const choice = add('select', 'Choice', { innerHTML: '<option>Zero<option>One<option>Two' });
	choice.onchange = () => did('select ' + choice.value);
	add('button', 'Pad', { textContent: 'Pad' }).onkeydown = (e) => did('press ' + e.key);
}`

// lane is one agent on one tab.
type lane struct {
	tab
	who  string
	refs map[string]string
	did  []string // what the page must have noted
}

func (b tab) lane(who string) *lane {
	l := &lane{tab: b, who: who, refs: map[string]string{}}
	for _, e := range entries(b.state(nil)) {
		if name, mine := strings.CutSuffix(e.Name, " "+who); mine {
			l.refs[name] = e.Ref
		}
	}
	return l
}

// act makes action n of the lane. Each is another than the one before, so that
// one that is lost, doubled or astray is told.
func (l *lane) act(n int) {
	tool, with := "browser_click", args{"route": []string{"dom_event", "trusted_key"}[n%2]}
	var what string
	switch i := n % 8; {
	case n%5 == 3:
		tool, what = "browser_type", fmt.Sprintf("type w%d", n)
		with = args{"ref": l.refs["Text"], "text": fmt.Sprintf("w%d", n), "replace": true}
	case n%5 == 1 && n%2 == 0:
		option := []string{"Zero", "One", "Two"}[(n/10+1)%3]
		tool, what = "browser_select", "select "+option
		with = args{"ref": l.refs["Choice"], "labels": []string{option}}
	case n%5 == 1:
		key := []string{"x", "y"}[n/10%2]
		tool, what = "browser_press", "press "+key
		with = args{"ref": l.refs["Pad"], "key": key}
	default:
		with["ref"], what = l.refs[fmt.Sprintf("Button%d", i)], fmt.Sprintf("click %d", i)
	}
	answer, raw := l.call(tool, l.with(with))
	got, ok := answer.Result.(*contract.ActionResult)
	if !ok || got.Effect != refusal.EffectConfirmed && got.Effect != refusal.EffectDispatched {
		l.t.Errorf("%s, action %d, %s: %.1500s", l.who, n, what, raw)
	}
	l.did = append(l.did, l.who+" "+what)
}

// noted is what the page of a run has noted of an agent, in order.
func noted(t *testing.T, b tab, run, who string) (out []string) {
	t.Helper()
	for _, r := range b.settled(run) {
		var what string
		if r.Type == "did" && json.Unmarshal(r.Data, &what) == nil && strings.HasPrefix(what, who) {
			out = append(out, what)
		}
	}
	return out
}

// crowd is a person's browser with tabs, bound by two sessions of one engine,
// each with a connection of its own.
type crowd struct {
	runs []string
	a, b []tab // the tabs, as each of the two has them
}

func newCrowd(t *testing.T, tabs int) *crowd {
	t.Helper()
	s := use(t)
	first, _ := s.foreign(t, "first")
	profile, c := t.TempDir(), &crowd{}
	url, run := s.pages.Page("actions")
	// What is hidden must not wait for its timers: a person waits, a test need not.
	o := s.browse(t, profile, url, "--remote-debugging-port=0", "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows")
	must(t, s.pages.Flush(soon(t), run))
	w, err := dialWitness(soon(t), portOf(t, profile))
	must(t, err)
	t.Cleanup(func() { must(t, w.conn.Close()) })
	first.stage.witness = w
	first.grant(o)
	b := first.bind(o.pid, o.window)
	c.runs = append(c.runs, run)
	for len(c.runs) < tabs {
		url, run := s.pages.Page("actions")
		if got := ask[contract.TabsResult](first, "browser_tabs", args{"target_id": b.target, "change": "open", "url": url}); got.Effect != refusal.EffectConfirmed {
			t.Fatalf("a tab was opened: %+v", got)
		}
		must(t, s.pages.Flush(soon(t), run))
		c.runs = append(c.runs, run)
	}
	for _, run := range c.runs {
		w.eval(t, run, lanesScript, nil)
	}
	second := agent{t, first.stage, first.engine, "second"}
	ask[contract.StartSessionResult](second, "start_session", nil)
	second.grant(o)
	c.a, c.b = c.bound(first, o), c.bound(second, o)
	return c
}

// bound are the tabs in the order of their runs.
func (c *crowd) bound(a agent, o *outside) (out []tab) {
	a.t.Helper()
	got := ask[contract.StateResult](a, "get_browser_state", args{"pid": o.pid, "window_id": o.window})
	for _, run := range c.runs {
		i := slices.IndexFunc(got.Tabs, func(t contract.Tab) bool { return strings.Contains(t.URL, run) })
		if i < 0 {
			a.t.Fatalf("no tab shows %s: %+v", run, got.Tabs)
		}
		out = append(out, tab{a, got.TargetID, got.Tabs[i].TabID})
	}
	return out
}

// longEnv has the interleaved actions be a thousand. They take two minutes beside
// all other tests; so every run makes a fifth of them.
const longEnv = "CUATUI_LONG"

// TestTwoAgentsInterleave has two agents act on one tab, each on a tab of its
// own, and on eight more tabs beside. Every action is noted by its page once, on
// the node it was for, and in its agent's order.
func TestTwoAgentsInterleave(t *testing.T) {
	both, alone, beside, total := 14, 18, 17, 200 // 2*14 + 2*18 + 8*17
	if os.Getenv(longEnv) != "" {
		both, alone, beside, total = 5*both, 5*alone, 5*beside, 5*total
	}
	c := newCrowd(t, 11)
	type job struct {
		*lane
		at, actions int
	}
	jobs := []job{{c.a[0].lane("a"), 0, both}, {c.b[0].lane("b"), 0, both}, {c.a[1].lane("a"), 1, alone}, {c.b[2].lane("b"), 2, alone}}
	for i := 3; i < len(c.runs); i++ {
		l := c.a[i].lane("a")
		if i%2 == 0 {
			l = c.b[i].lane("b")
		}
		jobs = append(jobs, job{l, i, beside})
	}
	all := 0
	var wg sync.WaitGroup
	for _, j := range jobs {
		all += j.actions
		wg.Go(func() {
			for n := range j.actions {
				j.act(n)
			}
		})
	}
	wg.Wait()
	if all != total {
		t.Errorf("%d actions, want %d", all, total)
	}
	for _, j := range jobs {
		if got := noted(t, j.tab, c.runs[j.at], j.who); !slices.Equal(got, j.did) {
			i := 0
			for i < len(got) && i < len(j.did) && got[i] == j.did[i] {
				i++
			}
			t.Errorf("tab %d, agent %s: %d noted, %d made; from %d on %v, want %v", j.at, j.who, len(got), len(j.did), i, got[i:min(i+5, len(got))], j.did[i:min(i+5, len(j.did))])
		}
	}
	for i, run := range c.runs {
		strangers := 0
		for _, j := range jobs {
			if j.at == i {
				strangers -= len(j.did)
			}
		}
		if strangers += len(noted(t, c.a[i], run, "")); strangers != 0 {
			t.Errorf("tab %d noted %d actions more than were made there", i, strangers)
		}
	}
}

// TestATabThatIsHeldHoldsNoOther: while a page does not let an action end, the
// other session's action on that tab waits its turn, and actions on another tab
// of both begin and end.
func TestATabThatIsHeldHoldsNoOther(t *testing.T) {
	c := newCrowd(t, 2)
	arrived, release := make(chan struct{}), make(chan struct{})
	let := sync.OnceFunc(func() { close(release) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		close(arrived)
		<-release
	}))
	defer server.Close()
	defer let()
	c.a[0].stage.witness.eval(t, c.runs[0], fmt.Sprintf(`document.querySelector('[aria-label="Button7 a"]').onclick = () => {
		const x = new XMLHttpRequest();
		x.open('GET', %q, false);
		x.send();
		journal.note('did', 'a held');
	}`, server.URL), nil)
	held, waiting := c.a[0].lane("a"), c.b[0].lane("b")
	free, alsoFree := c.a[1].lane("a"), c.b[1].lane("b")
	ends := make(chan string, 2)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer let()
	click := func(l *lane, button string) func() {
		return func() {
			answer, raw := l.call("browser_click", l.with(args{"ref": l.refs[button], "route": "dom_event"}))
			if got, ok := answer.Result.(*contract.ActionResult); !ok || got.Effect == refusal.EffectUnknown {
				t.Errorf("%s of %s: %.1500s", button, l.who, raw)
			}
			ends <- l.who
		}
	}
	wg.Go(click(held, "Button7"))
	select {
	case <-arrived:
	case <-soon(t).Done():
		t.Fatal("the click has not arrived")
	}
	wg.Go(click(waiting, "Button0"))
	for n := range 5 {
		free.act(n)
		alsoFree.act(n)
	}
	select {
	case who := <-ends:
		t.Errorf("the action of %s on the held tab has ended", who)
	default:
	}
	for _, l := range []*lane{free, alsoFree} {
		if got := noted(t, l.tab, c.runs[1], l.who); !slices.Equal(got, l.did) {
			t.Errorf("the other tab noted %v of %s, want %v", got, l.who, l.did)
		}
	}
	let()
	if first, second := <-ends, <-ends; first != "a" || second != "b" {
		t.Errorf("%s ended before %s", first, second)
	}
	if got := noted(t, held.tab, c.runs[0], ""); !slices.Equal(got, []string{"a held", "b click 0"}) {
		t.Errorf("the held tab noted %v", got)
	}
}

// The first key of a tab that was never shown arrives: its page takes none
// before it has drawn a frame.
func TestTheFirstKeyOfATabThatWasNeverShown(t *testing.T) {
	c := newCrowd(t, 13)
	for i := 1; i < len(c.runs); i++ {
		l := c.a[i].lane("a")
		l.act(1)
		if got := noted(t, l.tab, c.runs[i], l.who); !slices.Equal(got, l.did) {
			t.Errorf("tab %d noted %v, want %v", i, got, l.did)
		}
	}
}

// The browser drops the keys of a document that has drawn nothing. One whose
// style sheet is still on its way is sent none, and says so.
func TestAHiddenTabThatDrawsNothingIsSentNoKey(t *testing.T) {
	s := use(t)
	b, _ := s.tab(t, "actions")
	url, run := s.pages.Page("keys")
	let := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sheet" {
			<-let
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><script src="%s"></script><link rel="stylesheet" href="/sheet"><button id="button">Button</button>`,
			strings.Replace(url, "/keys?", "/journal.js?", 1))
	}))
	defer server.Close()
	release := sync.OnceFunc(func() { close(let) })
	defer release()
	opened := ask[contract.TabsResult](b.agent, "browser_tabs", args{"target_id": b.target, "change": "open", "url": server.URL})
	in := tab{b.agent, b.target, opened.TabID}
	defer ask[contract.TabsResult](b.agent, "browser_tabs", in.with(args{"change": "close"}))
	in.settled(run)
	seen := in.state(nil)
	s.pages.Reset(run)
	button := find(t, seen, "button", "Button").Ref
	r := in.clickRefused(refusal.NotDrawn, button, "trusted_key")
	if r.Detail == nil || !slices.Equal(r.Detail.AlternativeRoutes, []string{"dom_event"}) {
		t.Errorf("detail %+v, want the route that needs no key", r.Detail)
	}
	in.refused(refusal.NotDrawn, "browser_press", in.with(args{"ref": button, "key": "Enter"}))
	if now := in.settled(run); fixtures.Count(now, "keydown", "")+fixtures.Count(now, "click", "") > 0 {
		t.Errorf("the page observed %s", told(now))
	}
	release()
	in.click(button, "trusted_key")
	if now := in.settled(run); fixtures.Count(now, "click", "button") != 1 {
		t.Errorf("the page observed %s", told(now))
	}
}
