package contract

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tool is one tool as both faces offer it.
type Tool struct {
	Name string
	// Description is for the model that chooses: what it does, what it refuses.
	Description string
	Annotations Annotations

	request, result reflect.Type
}

// Annotations are the hints of the tool list. Each is always sent, because the
// defaults a client assumes are others.
type Annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// Tools lists the tools in the order in which a caller meets them.
var Tools = []Tool{
	tool[StartSessionRequest, StartSessionResult]("start_session",
		"Opens a named session, which owns every id and browser made in it. Call it first; ids of one session are unknown in another.",
		Annotations{Idempotent: true}),
	tool[EndSessionRequest, EndSessionResult]("end_session",
		"Ends a session: closes the browsers it launched, removes their temporary profiles, voids all its ids.",
		Annotations{Destructive: true, Idempotent: true}),
	tool[ListWindowsRequest, ListWindowsResult]("list_windows",
		"Lists native windows with pid, window_id, title, box and what binding would say. Touches no browser. Refuses if the window system cannot be asked; an empty list means there are none.",
		Annotations{ReadOnly: true, Idempotent: true}),
	tool[StateRequest, StateResult]("get_browser_state",
		"With pid and window_id: binds that native window by proof and lists its tabs. With target_id and tab_id: a snapshot of the page, refs first what is in view, with exact counts of what is left out; continuation gives the next segment once. A new snapshot voids the tab's older refs. Refuses ambiguous, changed and unproven windows; a scope_ref or diff_from that is gone; a used continuation.",
		Annotations{ReadOnly: true, OpenWorld: true}),
	tool[PrepareRequest, PrepareResult]("browser_prepare",
		"Starts an isolated browser with a profile of its own and returns the pid and window ids to bind. The only tool that starts one. Never touches a personal profile; refuses without a display or a trusted browser.",
		Annotations{OpenWorld: true}),
	tool[NavigateRequest, NavigateResult]("browser_navigate",
		"Moves a tab to a URL, back, forward, or reloads it, and waits for the named load state. Voids the tab's refs when the document changes. Refuses targets bound by likeness only, and anything that changed since binding.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[ClickRequest, ActionResult]("browser_click",
		"Clicks a ref (or a point of a region's image, by capture_id) by the named route and reads the effect back: trusted_key (focus and one key, native controls), dom_event (untrusted event), trusted (real pointer; foreground where it would raise the window). Never changes the route. Refuses stale refs; covered (names what covers), disabled, hidden or moved nodes; targets bound by likeness only. expect: the verdict is met only if it did not hold before.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[TypeRequest, ActionResult]("browser_type",
		"Types text into a ref that declares type, or gives a slider or colour its value, and reads the field back; appends, or replaces with replace. Says partial with exact counts where the field took less. Refuses read-only, covered, hidden or changed fields.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[SelectRequest, ActionResult]("browser_select",
		"Selects exactly the named options of a native select (a ref that declares select), by label or value. Refuses missing options (lists what there is), disabled ones, and custom comboboxes: those are clicked.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[PressRequest, ActionResult]("browser_press",
		"Focuses a ref and presses one named key or chord. Refuses nodes that cannot hold the focus, and what browser_click refuses.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[PointerRequest, ActionResult]("browser_pointer",
		"Hovers over a ref or scrolls it by the wheel (says how far, and what remains) without raising the window; right click, double click and drag by the named route. Says of a drag whether the page took the drop. Refuses as browser_click does.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[FilesRequest, ActionResult]("browser_set_input_files",
		"Puts files into a file input (or the label of one, or what a click on a button asks for) without showing a chooser, and reads it back. Hands over private copies, kept until the session ends. Refuses links, folders, what accept or multiple rule out, over 512 MB.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[DownloadRequest, DownloadResult]("browser_download",
		"Clicks a ref and keeps the file that its frame then downloads in the root, never over another file. Says failure, and leaves nothing, if none begins, it is stopped, too large or too slow. Refuses a root that is no folder or is reached by a link, and what browser_click refuses.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[DialogRequest, DialogResult]("browser_dialog",
		"Inspects the page's open alert, confirm, prompt or beforeunload, or answers it by its dialog_id. Refuses if no such dialog is open.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[ScreenshotRequest, ScreenshotResult]("browser_screenshot",
		"Takes an image of the window, of a node in view (p ref) or of a visual region (v ref), and says which part of the viewport it shows. Never scrolls, shows no tab. Refuses a node that is not in view, and a region that is not exactly where its snapshot saw it.",
		Annotations{ReadOnly: true, OpenWorld: true}),
	tool[WaitRequest, WaitResult]("browser_wait",
		"Waits until every given condition holds: text shown or gone, url part, ref gone, nothing changing. Says met, unmet (with what is missing) or already_true. Acts on nothing.",
		Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}),
	tool[TabsRequest, TabsResult]("browser_tabs",
		"Lists the tabs of a bound window, opens one in the background, closes one, or shows one.",
		Annotations{Destructive: true, OpenWorld: true}),
	tool[ExplainRequest, ExplainResult]("explain_browser_state",
		"Says why a node is or is not offered: by ref, point, text, or by going through what was omitted for a reason, 50 a page. Gives the ordered evidence and the one primary reason. Rows carry o refs, which explain and nothing else.",
		Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}),
}

func tool[Request, Result any](name, description string, a Annotations) Tool {
	return Tool{Name: name, Description: description, Annotations: a, request: reflect.TypeFor[Request](), result: reflect.TypeFor[Result]()}
}

// InputSchema returns the JSON Schema of the tool's arguments.
func (t Tool) InputSchema() *jsonschema.Schema { return inputSchema(t.request) }

// ListInputSchema stands in for InputSchema in the tool list, which every
// client carries in its context: post-conditions and ids, which several tools
// take, are spelt out in one.
func (t Tool) ListInputSchema() *jsonschema.Schema {
	s := t.InputSchema()
	for name, in := range idsIn {
		if p := s.Properties[name]; p != nil && t.Name != in {
			bare := *p
			bare.Description = ""
			s.Properties[name] = &bare
		}
	}
	if s.Properties["expect"] != nil && t.Name != expectIn {
		s.Properties["expect"] = &jsonschema.Schema{Type: "object", Description: "post-conditions, as in " + expectIn}
	}
	return s
}

const expectIn = "browser_click"

// idsIn is where an id that most tools take is described.
var idsIn = map[string]string{"session": "start_session", "target_id": "get_browser_state", "tab_id": "get_browser_state"}

// OutputSchema returns the full JSON Schema of the tool's results, refusals
// included.
func (t Tool) OutputSchema() *jsonschema.Schema { return outputSchema(t.result) }

// listOutputSchema stands in for the full output schema in the tool list, which
// every client carries in its context. It promises only what every result has.
var listOutputSchema = json.RawMessage(`{"type":"object","properties":{"status":{"enum":["ok","partial","refused"]}},"required":["status"]}`)

// ListOutputSchema returns what stands in for OutputSchema in the tool list.
func (t Tool) ListOutputSchema() json.RawMessage { return listOutputSchema }

// listedTool is a tool in the tool list.
type listedTool struct {
	Name         string             `json:"name"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	OutputSchema any                `json:"outputSchema"`
	Annotations  Annotations        `json:"annotations"`
}

// ToolList renders the tool list as it is sent to a client, with a short output
// schema for each tool. The full ones are in FullToolList.
func ToolList() []byte {
	return renderTools(Tool.ListInputSchema, func(t Tool) any { return t.ListOutputSchema() })
}

// FullToolList renders the tool list with the full output schemas.
func FullToolList() []byte {
	return renderTools(Tool.InputSchema, func(t Tool) any { return t.OutputSchema() })
}

func renderTools(input func(Tool) *jsonschema.Schema, output func(Tool) any) []byte {
	list := struct {
		Tools []listedTool `json:"tools"`
	}{Tools: []listedTool{}}
	for _, t := range Tools {
		list.Tools = append(list.Tools, listedTool{
			Name: t.Name, Description: t.Description, InputSchema: input(t), OutputSchema: output(t), Annotations: t.Annotations,
		})
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(fmt.Sprintf("contract: render tool list: %v", err))
	}
	return data
}
