package act

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"path/filepath"
	"slices"
	"strings"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
	"cuatui/engine/world"
)

// FileInput is the route of an upload: the files are put into the input by the
// browser itself, and its chooser never opens.
const FileInput = "file_input"

// File is a file to hand over.
type File struct {
	Path string // of the private copy
	Name string // as the page sees it
	Size int64  // bytes
}

// held is a file as an input holds it.
type held struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// fileInput is what the world says of a file input.
type fileInput struct {
	Is        bool   `json:"is"`
	K         int    `json:"k"` // of the input itself, where the node is its label
	Multiple  bool   `json:"multiple"`
	Accept    string `json:"accept"`
	Directory bool   `json:"directory"`
	Disabled  string `json:"dis"`
	Files     []held `json:"files"`
}

// Upload proves the subject, a file input or its label, and puts the files
// into it. Nothing is handed over that the input does not take.
func Upload(ctx context.Context, s Subject, files []File, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "upload", route: FileInput, proof: proof}
	res, err := c.upload(ctx, files)
	if err != nil {
		c.disarm(ctx)
		c.Document.Start("files", nil) // takes its notes off
	}
	return res, err
}

func (c *attempt) upload(ctx context.Context, files []File) (*contract.ActionResult, error) {
	if _, err := c.ready(ctx); err != nil {
		return nil, err
	}
	before, d, err := c.hand(ctx, files)
	if err != nil {
		return nil, err
	}
	res, err := c.result(ctx, d)
	if err != nil || d.uncertain() || res.Invalidated {
		return res, err
	}
	if res.Dialog != nil { // what the input holds cannot be read behind it
		res.Status, res.Effect = contract.Partial, refusal.EffectDispatched
		return res, nil
	}
	return c.uploaded(ctx, res, before, files), nil
}

// hand holds the files against what the input takes and hands them over; before
// is what it held.
func (c *attempt) hand(ctx context.Context, files []File) (before []held, d delivery, err error) {
	var into fileInput
	if err := c.opArgs(ctx, "fileInput", nil, &into); err != nil {
		return nil, d, err
	}
	if err := c.takes(into, files); err != nil {
		return nil, d, err
	}
	c.trips++
	handle, err := c.Document.Node(ctx, into.K)
	switch {
	case world.Gone(err):
		return nil, d, c.replaced()
	case err != nil:
		return nil, d, err
	case handle == "":
		return nil, d, c.fail("delivery", "connected", "gone", refusal.New(refusal.NodeGone, "the node of this ref left the page before anything was delivered"))
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	sent := c.Document.Session.Send("DOM.setFileInputFiles", map[string]any{"objectId": handle, "files": paths})
	d, err = c.input(ctx, []*devtools.Pending{sent})
	var said *devtools.Error
	if errors.As(d.doubtful, &said) && said.Message == notAllowed {
		return nil, d, c.fail("delivery", "a browser that takes files", "not allowed", refusal.New(refusal.PageRefused, "this browser does not let files be handed over"))
	}
	return into.Files, d, err
}

// notAllowed is what a browser says that hands no files over, as one that an
// application embeds.
const notAllowed = "Not allowed"

// takes holds the files against what the input takes.
func (c *attempt) takes(into fileInput, files []File) error {
	const step = "files"
	switch {
	case !into.Is:
		return c.fail(step, "a file input", "none", refusal.New(refusal.NotAFileInput, "the node is no file input, and no label of one"))
	case into.Disabled != "":
		return c.fail(step, "enabled", into.Disabled, refusal.New(refusal.Disabled, "the file input is disabled").WithDetail(refusal.Detail{SubReason: into.Disabled}))
	case into.Directory:
		return c.fail(step, "files", "a folder", refusal.New(refusal.FileRejected, "the input takes a whole folder, not files").WithDetail(refusal.Detail{SubReason: "directory"}))
	case len(files) > 1 && !into.Multiple:
		return c.fail(step, "one file", fmt.Sprint(len(files)), refusal.New(refusal.FileRejected, "the input takes one file").WithDetail(refusal.Detail{SubReason: "multiple"}))
	}
	for i, f := range files {
		if !accepted(into.Accept, f.Name) {
			r := refusal.New(refusal.FileRejected, "file %d of %d is of no type that the input takes: %s", i+1, len(files), clipped(into.Accept))
			return c.fail(step, clipped(into.Accept), filepath.Ext(f.Name), r.WithDetail(refusal.Detail{SubReason: "accept"}))
		}
	}
	c.proof.Pass(step, fmt.Sprintf("%d, as the input takes them", len(files)))
	return nil
}

// uploaded reads the input back. A page may take the files out of it as soon
// as it is told: then what it held at that moment counts.
func (c *attempt) uploaded(ctx context.Context, res *contract.ActionResult, before []held, files []File) *contract.ActionResult {
	var now struct {
		Files []held  `json:"files"`
		Told  *[]held `json:"told"`
	}
	if err := c.opArgs(ctx, "files", nil, &now); err != nil {
		return unknown(res, "the input has left the page and could not be read")
	}
	want := make([]held, len(files))
	for i, f := range files {
		want[i] = held{f.Name, f.Size}
	}
	res.Evidence = append(dropFact(res.Evidence, "value"), contract.Evidence{Fact: "files", Before: listed(before), After: listed(now.Files)})
	switch {
	case slices.Equal(now.Files, want):
		res.Effect = refusal.EffectConfirmed
	case now.Told != nil && slices.Equal(*now.Told, want): // the page had them, and took them out: to keep, or to refuse them
		res.Effect = refusal.EffectDispatched
		res.Evidence = append(res.Evidence, contract.Evidence{Fact: "files_when_the_page_was_told", Before: listed(before), After: listed(*now.Told)})
	case slices.Equal(now.Files, before):
		res.Status, res.Effect = contract.Partial, refusal.EffectSuspectedNoop
	default:
		res.Status, res.Effect = contract.Partial, refusal.EffectPartial
	}
	return res
}

// listed is what an input holds as one line.
func listed(files []held) string {
	var out []string
	for _, f := range files {
		out = append(out, fmt.Sprintf("%s (%d bytes)", f.Name, f.Size))
	}
	if len(out) == 0 {
		return "none"
	}
	return clipped(strings.Join(out, ", "))
}

// accepted says whether a file of that name fits the accept attribute: an
// extension, a type, or a family of types. The type of a file is that of its
// extension, as a browser has it.
func accepted(accept, name string) bool {
	asked := false
	lower := strings.ToLower(name)
	kind := typeOf(strings.ToLower(filepath.Ext(name)))
	for token := range strings.SplitSeq(accept, ",") {
		token = strings.ToLower(strings.TrimSpace(token))
		if token == "" {
			continue
		}
		asked = true
		family, whole := strings.CutSuffix(token, "/*")
		switch {
		case strings.HasPrefix(token, "."):
			if strings.HasSuffix(lower, token) && len(lower) > len(token) {
				return true
			}
		case whole && family == "*", whole && strings.HasPrefix(kind, family+"/"), token == kind:
			return true
		}
	}
	return !asked
}

// types are the types of common extensions, so that what is accepted does not
// depend on what the system happens to have registered.
var types = map[string]string{
	".txt": "text/plain", ".csv": "text/csv", ".md": "text/markdown", ".htm": "text/html", ".html": "text/html", ".xml": "text/xml", ".json": "application/json",
	".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip", ".doc": "application/msword", ".rtf": "application/rtf",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xls":  "application/vnd.ms-excel", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".ppt": "application/vnd.ms-powerpoint", ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".odt": "application/vnd.oasis.opendocument.text", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml", ".avif": "image/avif",
	".bmp": "image/bmp", ".ico": "image/x-icon", ".tif": "image/tiff", ".tiff": "image/tiff", ".heic": "image/heic",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac", ".m4a": "audio/x-m4a",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".avi": "video/x-msvideo",
}

func typeOf(ext string) string {
	if t, ok := types[ext]; ok {
		return t
	}
	t, _, _ := strings.Cut(mime.TypeByExtension(ext), ";")
	return t
}
