package observe_test

import (
	"slices"
	"strings"
	"testing"

	"cuatui/engine/enginetest"
	"cuatui/engine/observe"
	"cuatui/snapshotfmt"
)

// unrestJS makes a document of two buttons that are far apart in it, of which
// exactly one is there at any time: CHANGE says which, in every frame.
const unrestJS = `(() => {
  document.documentElement.innerHTML = '<head><style>.one #a, .two #b { display: none } #box { position: relative; height: 40px; overflow: hidden }</style></head>'
    + '<body class=one><div id=box><button id=a>first</button>' + '<i></i>'.repeat(600) + '<button id=b>second</button></div></body>';
  const box = document.getElementById('box'), a = document.getElementById('a'), b = document.getElementById('b'), body = document.body;
  let n = 0;
  const change = () => { n++; CHANGE; requestAnimationFrame(change); };
  change();
  return true;
})()`

const resting = "nothing changes"

// unrest are such changes, each of a kind that is noticed in its own way.
var unrest = map[string]string{
	"an attribute changes": `body.className = n % 2 ? 'one' : 'two'`,
	"nodes come and go":    `if (n === 1) body.className = ''; n % 2 ? (b.remove(), box.prepend(a)) : (a.remove(), box.append(b))`,
	"a scroller scrolls": `if (n === 1) { body.className = ''; b.style.cssText = 'position:absolute;top:500px;left:0' }
		box.scrollTop = n % 2 ? 500 : 0`,
	"a rule hides": `if (n === 1) body.className = ''
		document.styleSheets[0].cssRules[0].selectorText = n % 2 ? '#a' : '#b'`,
	"a rule moves": `const rule = document.styleSheets[0].cssRules[0]
		if (n === 1) { body.className = ''; rule.style.cssText = 'position:absolute;left:-3000px' }
		rule.selectorText = n % 2 ? '#a' : '#b'`,
	"an attribute changes in a shadow tree": `if (n === 1) {
			const root = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'})
			root.append(...box.childNodes)
		}
		a.ariaHidden = n % 2 ? 'true' : 'false'; b.ariaHidden = n % 2 ? 'false' : 'true'`,
	resting: `if (n === 1) return`,
}

// A page that changes while it is read in slices is answered as it was at one
// moment.
func TestAPageThatChangesBetweenSlicesIsReadAtOneMoment(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := enginetest.Open(t, h.conn, "about:blank")
	page := observe.NewPage(h.conn, s, "slice-world")
	page.SetSlice(0)
	for name, change := range unrest {
		t.Run(name, func(t *testing.T) {
			enginetest.Go(t, s, h.srv.URL("hard/smoke.html"))
			var started bool
			enginetest.Eval(t, s, strings.ReplaceAll(unrestJS, "CHANGE", change), &started)
			for range 8 {
				got := read(t, page, observe.Options{})
				if got.snap.Slices() < 2 {
					t.Fatalf("it was read in %d slices", got.snap.Slices())
				}
				if got.snap.Anew() != (name != resting) {
					t.Fatalf("it was walked anew: %t", got.snap.Anew())
				}
				var there []string
				for _, e := range got.entries {
					if len(e.Actions) > 0 && e.Role == "button" {
						there = append(there, e.Name)
					}
				}
				if !slices.Equal(there, []string{"first"}) && !slices.Equal(there, []string{"second"}) {
					t.Fatalf("there are %q", there)
				}
			}
		})
	}
}

// On a page of many elements and few rules no candidate is asked whether it is
// displayed, as long as no rule fades or hides: one that comes meanwhile does.
func TestARuleThatComesBetweenSlicesIsNoticed(t *testing.T) {
	t.Parallel()
	h := newHard(t)
	s := enginetest.Open(t, h.conn, "about:blank")
	page := observe.NewPage(h.conn, s, "rules-world")
	page.SetSlice(0)
	for rule, anew := range map[string]bool{"#a { opacity: 0 }": true, "#a { visibility: hidden }": true, "#a { order: 3 }": false} {
		t.Run(rule, func(t *testing.T) {
			enginetest.Go(t, s, h.srv.URL("hard/smoke.html"))
			var started bool
			enginetest.Eval(t, s, `(() => {
				document.documentElement.innerHTML = '<head><style>i { order: 1 }</style></head><body><button id=a>first</button>' + '<i></i>'.repeat(4200) + '</body>';
				let n = 0;
				const wait = () => { if (++n > 20) document.styleSheets[0].insertRule('`+rule+`'); else requestAnimationFrame(wait); };
				wait();
				return true;
			})()`, &started)
			got := read(t, page, observe.Options{})
			if got.snap.Slices() < 2 || got.snap.Anew() != anew {
				t.Fatalf("it was read in %d slices, walked anew: %t", got.snap.Slices(), got.snap.Anew())
			}
			if offered := slices.ContainsFunc(got.entries, func(e snapshotfmt.Entry) bool { return e.Name == "first" }); offered == anew {
				t.Errorf("the button is offered: %t", offered)
			}
		})
	}
}
