package headless_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/headless"
)

func TestAnImageIsAContentOfItsOwnOverMCP(t *testing.T) {
	arguments := map[string]any{"session": "s", "target_id": "bt-1", "tab_id": "tab-1", "ref": "v1:7"}
	for _, protocol := range protocols {
		c := dialMCP(t.Context(), t, &fakeEngine{}, protocol)
		got := c.must("browser_screenshot", arguments)
		if len(got.Content) != 2 {
			t.Fatalf("%s: %d contents", protocol, len(got.Content))
		}
		if image, ok := got.Content[1].(*mcp.ImageContent); !ok || string(image.Data) != "pixels" || image.MIMEType != "image/png" {
			t.Errorf("%s: the image is %+v", protocol, got.Content[1])
		}
		rest, _ := got.StructuredContent.(map[string]any)
		if _, twice := rest["data"]; twice || rest["ref"] != "v1:7" || rest["of"] != "region" {
			t.Errorf("%s: the result is %v", protocol, rest)
		}
		text, _ := got.Content[0].(*mcp.TextContent)
		if want := "image of the region v1:7: 240x80 px show 120x40@10,20 of the viewport, at 2 by 2 px per CSS px; the tab is not shown"; text == nil || text.Text != want {
			t.Errorf("%s: the text is %+v", protocol, text)
		}
	}
}

func TestAnImageIsBase64InAJSONLine(t *testing.T) {
	var out strings.Builder
	in := `{"id":1,"tool":"browser_screenshot","arguments":{"session":"s","target_id":"bt-1","tab_id":"tab-1"}}` + "\n"
	if err := headless.Serve(t.Context(), &fakeEngine{}, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"mime_type":"image/png","data":"cGl4ZWxz"`) {
		t.Errorf("the line is %s", out.String())
	}
}
