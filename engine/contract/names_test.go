package contract_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"cuatui/engine/contract"
)

// handedOn are the fields of results by whose value something is named in a
// later call.
var handedOn = regexp.MustCompile(`(^|_)(pid|ids?|ref|routes?|successor|continuation|next|options)$`)

// notHandedOn are fields of such a name that no call takes.
var notHandedOn = map[string]string{
	"frames.id":     "frames are told apart in a snapshot, and named in no call",
	"refusal.next":  "is a whole call",
	"binding_route": "says how the window was proved",
}

var asArgument = regexp.MustCompile(`\bas (\w+)`)

// A caller that has a value to pass on finds the argument by the name of the
// field, or is told its name.
func TestWhatIsHandedOnIsCalledAsTheArgument(t *testing.T) {
	arguments := map[string]bool{}
	for _, tool := range contract.Tools {
		for name := range tool.InputSchema().Properties {
			arguments[name] = true
		}
	}
	seen := map[string]bool{}
	var walk func(in string, schema any)
	walk = func(in string, schema any) {
		switch s := schema.(type) {
		case []any:
			for _, one := range s {
				walk(in, one)
			}
		case map[string]any:
			properties, _ := s["properties"].(map[string]any)
			for name, p := range properties {
				at := in + "." + name
				if in == "" {
					at = name
				}
				if handedOn.MatchString(name) && notHandedOn[at] == "" {
					seen[name] = true
					says, _ := p.(map[string]any)["description"].(string)
					as := asArgument.FindStringSubmatch(says)
					if !arguments[name] && (as == nil || !arguments[as[1]]) {
						t.Errorf("%s: no argument is called so, and its description %q names none", at, says)
					}
				}
				walk(name, p)
			}
			for key, below := range s {
				if key != "properties" {
					walk(in, below)
				}
			}
		}
	}
	for _, tool := range contract.Tools {
		data, err := json.Marshal(tool.OutputSchema())
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		walk("", schema)
	}
	for _, name := range []string{"prepared_pid", "window_ids", "target_id", "tab_id", "ref", "routes", "continuation", "dialog_id", "next", "id"} {
		if !seen[name] {
			t.Errorf("%s was not met: the schemas are not walked as they are", name)
		}
	}
}
