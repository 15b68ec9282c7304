package prepare

import (
	"errors"
	"strings"
	"testing"

	"cuatui/engine/contract"
)

func TestSpecIsCheckedBeforeAnythingElse(t *testing.T) {
	long := strings.Repeat("a", 64)
	tests := []struct {
		name  string
		spec  Spec
		field string // "": accepted
	}{
		{"new", Spec{Mode: IsolatedNew}, ""},
		{"new with a name", Spec{Mode: IsolatedNew, Name: "a"}, "name"},
		{"named", Spec{Mode: IsolatedNamed, Name: "Az09_-"}, ""},
		{"longest name", Spec{Mode: IsolatedNamed, Name: long}, ""},
		{"too long a name", Spec{Mode: IsolatedNamed, Name: long + "a"}, "name"},
		{"no name", Spec{Mode: IsolatedNamed}, "name"},
		{"name that climbs", Spec{Mode: IsolatedNamed, Name: ".."}, "name"},
		{"name with a slash", Spec{Mode: IsolatedNamed, Name: "a/b"}, "name"},
		{"name beyond ASCII", Spec{Mode: IsolatedNamed, Name: "é"}, "name"},
		{"name with a null byte", Spec{Mode: IsolatedNamed, Name: "a\x00"}, "name"},
		{"no mode", Spec{}, "profile"},
		{"personal profile", Spec{Mode: "existing"}, "profile"},
		{"http", Spec{Mode: IsolatedNew, URL: "HTTP://localhost:1/x?y#z"}, ""},
		{"https", Spec{Mode: IsolatedNew, URL: "https://example.org"}, ""},
		{"blank", Spec{Mode: IsolatedNew, URL: "about:blank"}, ""},
		{"browser page through about", Spec{Mode: IsolatedNew, URL: "about:settings"}, "url"},
		{"browser page", Spec{Mode: IsolatedNew, URL: "chrome://settings"}, "url"},
		{"file", Spec{Mode: IsolatedNew, URL: "file:///etc/passwd"}, "url"},
		{"script", Spec{Mode: IsolatedNew, URL: "javascript:alert(1)"}, "url"},
		{"flag", Spec{Mode: IsolatedNew, URL: "--no-sandbox"}, "url"},
		{"no scheme", Spec{Mode: IsolatedNew, URL: "example.org"}, "url"},
		{"no host", Spec{Mode: IsolatedNew, URL: "http:///x"}, "url"},
		{"leading blank", Spec{Mode: IsolatedNew, URL: " http://example.org"}, "url"},
		{"null byte", Spec{Mode: IsolatedNew, URL: "http://example.org/\x00"}, "url"},
		{"password", Spec{Mode: IsolatedNew, URL: "http://a:b@example.org"}, "url"},
		{"too long a url", Spec{Mode: IsolatedNew, URL: "http://a/" + strings.Repeat("a", urlBytesMax)}, "url"},
		{"tiny window", Spec{Mode: IsolatedNew, Size: [2]int{800, 1}}, "size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.spec.normalise()
			var bad *contract.ArgumentError
			if tt.field == "" {
				if err != nil || got.URL == "" || got.Size[0] == 0 {
					t.Errorf("%+v, %v", got, err)
				}
			} else if !errors.As(err, &bad) || bad.Field != tt.field {
				t.Errorf("error %v, want one of %s", err, tt.field)
			}
		})
	}
}
