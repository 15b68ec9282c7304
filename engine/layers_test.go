package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "cuatui"

// layer says what the packages of a path may import of this module. "x/..." is
// x and everything below it. The first layer that fits a package is its own.
type layer struct {
	path string
	may  []string
}

// layers is the import rule: main -> faces -> engine -> parts -> ground, and
// never back. A new package needs a line here or is refused.
var layers = []layer{
	{module, []string{"tui/...", "engine", "engine/headless", "engine/contract", "engine/limits", "platform", "snapshotfmt", "fixtures"}},

	{"tui/...", []string{"tui/...", "engine/contract", "engine/refusal", "engine/limits", "snapshotfmt"}},
	{"engine/headless", []string{"engine/contract", "engine/refusal", "engine/limits", "platform", "snapshotfmt"}},

	{"engine", []string{"engine/act", "engine/attach", "engine/bind", "engine/observe", "engine/prepare", "engine/capability", "engine/world", "engine/visual", "engine/devtools", "engine/contract", "engine/refusal", "engine/limits", "platform/...", "snapshotfmt"}},

	{"engine/act", parts},
	{"engine/attach", parts},
	{"engine/bind", parts},
	{"engine/observe", append([]string{"engine/observe/domtree"}, parts...)},
	{"engine/observe/domtree", []string{"engine/devtools", "engine/limits"}},
	{"engine/prepare", append([]string{"platform/..."}, parts...)}, // opens the system of the display it starts

	{"engine/world", []string{"engine/devtools", "engine/contract", "engine/refusal", "engine/limits", "snapshotfmt"}},
	{"engine/capability", []string{"platform", "engine/contract", "engine/refusal", "engine/limits", "snapshotfmt"}},
	{"engine/contract", []string{"engine/refusal", "engine/limits", "snapshotfmt"}},
	{"engine/devtools", []string{"engine/limits"}},
	{"engine/visual", nil},
	{"engine/refusal", nil},
	{"engine/limits", nil},

	{"platform/...", []string{"platform/..."}},
	{"snapshotfmt", nil},
	{"fixtures/...", []string{"fixtures/..."}},
	{"engine/e2e", nil},   // tests only
	{"engine/bench", nil}, // tests only
	{"engine/enginetest/...", []string{"engine/devtools", "engine/contract", "engine/refusal", "engine/limits", "platform", "snapshotfmt"}},
}

// parts is what the parts of the engine may build on; not on each other.
var parts = []string{"engine/world", "engine/visual", "engine/capability", "engine/devtools", "engine/contract", "engine/refusal", "engine/limits", "platform", "snapshotfmt"}

// outside says which packages alone may import a module that is not ours.
var outside = []layer{
	{"github.com/mafredri/cdp", []string{"engine/devtools"}},
	{"charm.land", []string{"tui/..."}},
	{"github.com/charmbracelet", []string{"tui/...", module}},
	{"github.com/spf13/cobra", []string{module}},
	{"github.com/spf13/pflag", []string{module}},
	{"github.com/google/jsonschema-go", []string{"engine/contract"}},
	{"github.com/modelcontextprotocol/go-sdk", []string{"engine/headless"}},
	{"github.com/jezek/xgb", []string{"platform/...", "fixtures/..."}},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

// within says whether a package path is at or, for "x/...", below the pattern.
func within(path, pattern string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	return path == pattern
}

func withinAny(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return within(path, p) })
}

// violations lists every import that the two tables do not allow.
func violations(pkgs []pkg) []string {
	var out []string
	for _, p := range pkgs {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		own := slices.IndexFunc(layers, func(l layer) bool { return within(path, l.path) })
		if own < 0 {
			out = append(out, path+" is in no layer: give it a line in this test")
			continue
		}
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok && !withinAny(ours, layers[own].may) {
				out = append(out, fmt.Sprintf("%s imports %s", path, ours))
			}
			for _, o := range outside {
				if within(imported, o.path+"/...") && !withinAny(path, o.may) {
					out = append(out, fmt.Sprintf("%s imports %s", path, imported))
				}
			}
		}
	}
	return out
}

func list(t *testing.T, system string) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v\n%s", system, err, stderr.Bytes())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 5 {
		t.Fatalf("go list for %s found only %d packages", system, len(pkgs))
	}
	return pkgs
}

func TestImportsPointOneWay(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, v := range violations(list(t, system)) {
			t.Errorf("%s: %s", system, v)
		}
	}
}

func TestPlantedImportsAreFound(t *testing.T) {
	tests := []struct{ from, imports string }{
		{"cuatui/engine/observe", "cuatui/engine/act"},
		{"cuatui/engine/observe", "cuatui/engine"},
		{"cuatui/engine/capability", "cuatui/engine/devtools"},
		{"cuatui/engine/act", "cuatui/platform/x11"},
		{"cuatui/engine", "cuatui/engine/headless"},
		{"cuatui/engine", "cuatui/tui"},
		{"cuatui/engine/headless", "cuatui/engine/devtools"},
		{"cuatui/tui/pane", "cuatui/engine/devtools"},
		{"cuatui/platform/x11", "cuatui/engine/contract"},
		{"cuatui/snapshotfmt", "cuatui/platform"},
		{"cuatui/engine", "github.com/mafredri/cdp/rpcc"},
		{"cuatui/engine/contract", "charm.land/lipgloss/v2"},
		{"cuatui/platform", "github.com/charmbracelet/x/term"},
		{"cuatui/util", "strings"},
	}
	for _, tt := range tests {
		t.Run(tt.from+" imports "+tt.imports, func(t *testing.T) {
			if got := violations([]pkg{{ImportPath: tt.from, Imports: []string{"fmt", tt.imports}}}); len(got) != 1 {
				t.Errorf("violations %q, want one", got)
			}
		})
	}
}
