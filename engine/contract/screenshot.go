package contract

// ScreenshotRequest asks for an image of a bound tab.
type ScreenshotRequest struct {
	Session  string `json:"session" jsonschema:"name of the session"`
	TargetID string `json:"target_id" jsonschema:"bt- id from binding"`
	TabID    string `json:"tab_id" jsonschema:"tab- id from binding"`
	Ref      string `json:"ref,omitempty" jsonschema:"p ref of a node in view, or v ref of a visual region; left out: the whole window"`
	Annotate bool   `json:"annotate,omitempty" jsonschema:"draw the boxes and the numbers of the snapshot's refs on the image: 8 is p<n>:8"`
}

// Mark is a ref that is drawn on an image.
type Mark struct {
	Ref   string  `json:"ref"`
	Box   [4]int  `json:"box" jsonschema:"x, y, width, height, px of the image"`
	Label *[4]int `json:"label,omitempty" jsonschema:"where its number stands; absent where the image has no room"`
}

// Validate checks the request by itself. The error is an *ArgumentError.
func (r *ScreenshotRequest) Validate() error { return validateFields(r) }

// ScreenshotResult is an image and what it shows. A px of the image at x, y is
// at box[0] + x / scale[0], box[1] + y / scale[1] in the viewport.
type ScreenshotResult struct {
	Status   Status     `json:"status"`
	TargetID string     `json:"target_id"`
	TabID    string     `json:"tab_id"`
	Of       string     `json:"of" jsonschema:"viewport, node or region"`
	Ref      string     `json:"ref,omitempty"`
	Width    int        `json:"width" jsonschema:"of the image, px"`
	Height   int        `json:"height" jsonschema:"of the image, px"`
	Box      [4]float64 `json:"box" jsonschema:"x, y, width, height of what it shows, CSS px of the top viewport"`
	Scale    [2]float64 `json:"scale" jsonschema:"px of the image per CSS px, across and down"`
	// Moved says that what was shot was elsewhere right after: the image may
	// show the one or the other.
	Moved       string   `json:"moved,omitempty" jsonschema:"what was no longer as before when the image had been taken"`
	CaptureID   string   `json:"capture_id,omitempty" jsonschema:"of a region that stood still: browser_click takes it once with a point of the image, within 120 s and while the snapshot is the current one"`
	Marks       []Mark   `json:"marks,omitempty" jsonschema:"the refs that are drawn"`
	Unmarked    int      `json:"unmarked,omitempty" jsonschema:"refs of this part that are not drawn: their nodes are not where the snapshot saw them"`
	SideEffects []string `json:"side_effects,omitempty"`
	MIME        string   `json:"mime_type" jsonschema:"image/png"`
	Data        string   `json:"data,omitempty" jsonschema:"the image in base64; over MCP it is an image content instead"`
	// PNG is the same as it is. It never leaves the process.
	PNG []byte `json:"-"`
}
