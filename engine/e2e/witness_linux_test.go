package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"cuatui/engine/devtools"
)

// witness is a second way into the shared browser, which the engine does not
// know of: it changes pages behind the engine's back and knows the ids that
// must not leave it.
type witness struct {
	conn *devtools.Conn
	port int

	mu     sync.Mutex
	secret map[string]string // what must not leave, and what it is
}

func dialWitness(ctx context.Context, port int) (*witness, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/json/version", port), http.NoBody)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&version); err != nil {
		return nil, err
	}
	transport, err := devtools.DialWebSocket(ctx, version.Address)
	if err != nil {
		return nil, err
	}
	w := &witness{conn: devtools.New(transport, devtools.Options{}), port: port, secret: map[string]string{}}
	w.secret[version.Address] = "the browser's endpoint"
	w.secret[fmt.Sprintf("127.0.0.1:%d", port)] = "the browser's address"
	return w, nil
}

// target is a page as the browser lists it.
type target struct {
	ID   string `json:"targetId"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

func (w *witness) targets(t *testing.T) []target {
	t.Helper()
	var list struct {
		TargetInfos []target `json:"targetInfos"`
	}
	must(t, w.conn.Browser().Call(soon(t), "Target.getTargets", nil, &list))
	return list.TargetInfos
}

// showing is the page of a run.
func (w *witness) showing(t *testing.T, run string) target {
	t.Helper()
	for _, target := range w.targets(t) {
		if target.Type == "page" && strings.Contains(target.URL, run) {
			return target
		}
	}
	t.Fatalf("no page shows %s", run)
	return target{}
}

// eval runs a script in the page's own world and decodes its value. The page
// observes nothing of it but what the script does.
func (w *witness) eval(t *testing.T, run, script string, value any) {
	t.Helper()
	s, err := w.conn.Attach(soon(t), w.showing(t, run).ID)
	must(t, err)
	var r struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	must(t, s.Call(soon(t), "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &r))
	must(t, s.Detach(soon(t)))
	if r.Exception != nil {
		t.Fatalf("%s: %s", script, r.Exception.Text)
	}
	if value != nil {
		must(t, json.Unmarshal(r.Result.Value, value))
	}
}

// frameTree is what the browser says of the documents of a page.
type frameTree struct {
	Frame struct {
		ID     string `json:"id"`
		Loader string `json:"loaderId"`
	} `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

// learn takes down the browser's own ids of everything that is open.
func (w *witness) learn(t *testing.T) {
	t.Helper()
	for _, target := range w.targets(t) {
		w.note(target.ID, "a target id")
		if target.Type != "page" {
			continue
		}
		s, err := w.conn.Attach(soon(t), target.ID)
		must(t, err)
		w.note(s.ID(), "a protocol session id")
		var tree struct {
			FrameTree frameTree `json:"frameTree"`
		}
		must(t, s.Call(soon(t), "Page.getFrameTree", nil, &tree))
		must(t, s.Detach(soon(t)))
		w.noteFrames(tree.FrameTree)
	}
}

func (w *witness) noteFrames(f frameTree) {
	w.note(f.Frame.ID, "a frame id")
	w.note(f.Frame.Loader, "a loader id")
	for _, c := range f.Children {
		w.noteFrames(c)
	}
}

func (w *witness) note(value, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if value != "" {
		w.secret[value] = what
	}
}

// internals are the forms of what must not leave the engine. The engine's own
// ids are lower case hexadecimal behind a prefix.
var internals = []struct {
	what string
	form *regexp.Regexp
}{
	{"a target, frame, loader or session id", regexp.MustCompile(`\b[0-9A-F]{32}\b`)},
	{"an object id", regexp.MustCompile(`"?-?\d{4,}\.\d+\.\d+"?`)},
	{"a protocol address", regexp.MustCompile(`\bwss?://`)},
	{"a protocol path", regexp.MustCompile(`/devtools/|/json/(version|list)`)},
	{"a profile", regexp.MustCompile(`isolated-[0-9a-f]{32}|browser-profiles|user-data-dir|DevToolsActivePort`)},
	{"an isolated world", regexp.MustCompile(`\bw[0-9a-f]{32}\b`)},
	{"a name of the protocol", regexp.MustCompile(`(?i)backend_?node_?id|execution_?context|loader_?id|object_?id|unique_?id`)},
	{"a path of this machine", regexp.MustCompile(`"[^"]*/(tmp|root|home|proc|usr|opt)/[^"]*"`)},
}

// leaks says what of an answer must not have left the engine.
func (s *stage) leaks(answer []byte) []string {
	var out []string
	for _, i := range internals {
		if found := i.form.Find(answer); found != nil {
			out = append(out, fmt.Sprintf("%s: %.120q", i.what, found))
		}
	}
	known := map[string]string{s.state: "the state directory"}
	if s.witness != nil {
		s.witness.mu.Lock()
		defer s.witness.mu.Unlock()
		for value, what := range s.witness.secret {
			known[value] = what
		}
	}
	for value, what := range known {
		if strings.Contains(string(answer), value) {
			out = append(out, fmt.Sprintf("%s: %q", what, value))
		}
	}
	return out
}
