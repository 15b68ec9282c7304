package act

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/refusal"
)

// chooserTime bounds the wait for the page to ask for files after the click.
// Tests shorten it.
var chooserTime = 3 * time.Second

// chooserGroup holds the handle of the input that asked.
const chooserGroup = "chooser"

// UploadBy clicks the subject, by the route the caller chose, and gives the
// files to the input for which its document then asks for a chooser. None is
// shown: the browser hands its asking to us, and is given its own way back
// however this ends.
func UploadBy(ctx context.Context, s Subject, route string, files []File, proof *refusal.Proof) (*contract.ActionResult, error) {
	c := &attempt{Subject: s, kind: "click", route: route, proof: proof}
	if s.Document.Session != s.Tab {
		return nil, c.fail("chooser", "a frame of the page's own process", "of another", refusal.New(refusal.PageRefused, "the asking of a frame of another process cannot be taken over; name its file input"))
	}
	events := s.Tab.Subscribe("Page.fileChooserOpened")
	defer events.Close()
	told, before := false, s.Before
	defer func() {
		if told {
			sent := s.Tab.Send("Page.setInterceptFileChooserDialog", map[string]any{"enabled": false})
			c.await(context.WithoutCancel(ctx), func(ctx context.Context) error { return sent.Decode(ctx, nil) })
		}
	}()
	c.Before = func(ctx context.Context) error {
		if before != nil {
			if err := before(ctx); err != nil {
				return err
			}
		}
		told = true
		if err := s.Tab.Call(ctx, "Page.setInterceptFileChooserDialog", map[string]any{"enabled": true}, nil); err != nil {
			return fmt.Errorf("upload: %w", err)
		}
		return nil
	}
	sight, err := c.ready(ctx)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	d, err := c.deliver(ctx, sight)
	if err != nil {
		c.disarm(ctx)
		return nil, err
	}
	res, err := c.result(ctx, d)
	if err != nil || d.uncertain() || res.Dialog != nil || res.Invalidated {
		return res, err
	}
	input, why := c.chooser(ctx, events)
	if why == "" {
		return c.give(ctx, res, input, files)
	}
	return notGiven(res, why), nil
}

// notGiven: the click was delivered, and no file was handed over.
func notGiven(res *contract.ActionResult, why string) *contract.ActionResult {
	res.Status, res.Effect = contract.Partial, refusal.EffectPartial
	res.Evidence = append(res.Evidence, contract.Evidence{Fact: "files", Before: "none", After: "not handed over: " + why})
	return res
}

// chooser waits until the document asks for files, and says for which input.
func (c *attempt) chooser(ctx context.Context, events *devtools.Events) (input int, why string) {
	ctx, cancel := context.WithTimeout(ctx, chooserTime)
	defer cancel()
	for {
		var ev devtools.Event
		select {
		case e, ok := <-events.C():
			if !ok {
				return 0, "the tab is gone"
			}
			ev = e
		case <-c.Dialogs.Opened():
			return 0, "a page dialog opened"
		case <-ctx.Done():
			return 0, "the page asked for none"
		}
		var asked struct {
			FrameID       string `json:"frameId"`
			BackendNodeID int    `json:"backendNodeId"`
		}
		if json.Unmarshal(ev.Params, &asked) != nil || asked.FrameID != c.Document.FrameID || asked.BackendNodeID == 0 {
			continue // of another frame, or without an input
		}
		return c.inputOf(ctx, asked.BackendNodeID)
	}
}

// inputOf is the local identity of the input that asked.
func (c *attempt) inputOf(ctx context.Context, backendID int) (input int, why string) {
	const gone = "its input has left the page"
	handles, err := c.Document.Resolve(ctx, chooserGroup, []int{backendID})
	if err != nil || handles[0] == "" {
		return 0, gone
	}
	var r struct {
		K int `json:"k"`
	}
	err = c.Document.Call(ctx, "local", nil, &r, handles[0])
	c.Tab.Send("Runtime.releaseObjectGroup", map[string]any{"objectGroup": chooserGroup})
	if err != nil || r.K == 0 {
		return 0, gone
	}
	return r.K, ""
}

// give puts the files into the input that asked. A refusal of the input comes
// after the click, and so is part of its result.
func (c *attempt) give(ctx context.Context, res *contract.ActionResult, input int, files []File) (*contract.ActionResult, error) {
	in := &attempt{Subject: c.Subject, kind: "upload", route: FileInput, proof: &refusal.Proof{}}
	in.Local = input
	before, d, err := in.hand(ctx, files)
	if refused, ok := refusal.As(err); ok {
		return notGiven(res, refused.Message), nil
	}
	switch {
	case err != nil:
		return unknown(res, "the input could not be read"), nil //nolint:nilerr // the click was delivered
	case d.uncertain():
		return unknown(res, "the delivery was not answered: "+d.doubtful.Error()), nil
	case c.Dialogs.Open() != nil:
		return opened(res, c.Dialogs.Open()), nil
	}
	return in.uploaded(ctx, res, before, files), nil
}
