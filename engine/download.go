package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"cuatui/engine/act"
	"cuatui/engine/capability"
	"cuatui/engine/contract"
	"cuatui/engine/devtools"
	"cuatui/engine/limits"
	"cuatui/engine/refusal"
)

// Why a download did not come to a file.
const (
	noneBegan  = "none_began"  // the click began no download of the ref's frame in time
	canceled   = "canceled"    // by the page, the browser or the server
	tooLarge   = "too_large"   // larger than asked for
	timedOut   = "timed_out"   // not complete in time
	givenUp    = "given_up"    // the caller gave up
	notKept    = "not_kept"    // complete, and it could not be put into the root
	dialogOpen = "dialog_open" // a page dialog opened instead
	lostSight  = "lost"        // the browser was lost meanwhile
)

// Download clicks a ref and keeps the file that its frame then downloads in
// the root, and nothing of it anywhere else.
func (e *Engine) Download(ctx context.Context, r contract.DownloadRequest) (*contract.DownloadResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := e.lookup(r.Session, r.TargetID)
	if err != nil {
		return nil, err
	}
	d := &download{browser: t.browser, request: r, out: &contract.DownloadResult{}}
	n := node{Session: r.Session, TargetID: r.TargetID, TabID: r.TabID, Ref: r.Ref, Delivery: r.Delivery, Expect: r.Expect}
	res, err := e.onNode(ctx, n, func(ctx context.Context, s act.Subject, p *refusal.Proof) (*contract.ActionResult, error) {
		release, err := e.downloads.acquire(ctx, t.browser.process.PID)
		if err != nil {
			return nil, err
		}
		defer release()
		return d.click(ctx, s, p)
	})
	if err != nil {
		return nil, err
	}
	d.out.ActionResult = *res
	e.log.Info("downloaded", "session", r.Session, "bytes", d.out.Bytes, "failure", d.out.Failure)
	return d.out, nil
}

// download is one download, from the click to the file.
type download struct {
	browser *browser
	request contract.DownloadRequest
	root    *os.Root
	folder  string // in the root: where the browser writes
	events  *devtools.Events
	set     bool // the browser was told where to write
	frames  []string
	guid    string
	name    string // as the page suggests it
	url     string // as the browser tells where it is from
	others  int    // downloads of others, which were stopped
	leads   string // where the click leads by itself
	asked   *devtools.Events
	out     *contract.DownloadResult
}

// click tells the browser where to write, clicks, and follows the download.
// However it ends, the browser's own behaviour is restored and nothing but the
// complete file is left.
func (d *download) click(ctx context.Context, s act.Subject, p *refusal.Proof) (res *contract.ActionResult, err error) {
	if err := d.open(p); err != nil {
		return nil, err
	}
	defer func() {
		if failed := d.close(); failed != nil && res != nil {
			res.SideEffects = append(res.SideEffects, "the browser's folder in the root could not be removed")
		}
	}()
	d.frames = []string{s.Document.FrameID, s.TabKey}
	root := d.browser.conn.Browser()
	d.events = root.Subscribe("Browser.downloadWillBegin", "Browser.downloadProgress")
	defer d.events.Close()
	d.asked = s.Tab.Subscribe("Page.frameRequestedNavigation")
	defer d.asked.Close()
	defer func() {
		if failed := d.restore(ctx); failed != nil && res != nil {
			res.SideEffects = append(res.SideEffects, "the browser's own download folder could not be restored")
		}
	}()
	before := s.Before
	s.Before = func(ctx context.Context) error {
		if before != nil {
			if err := before(ctx); err != nil {
				return err
			}
		}
		d.leads = leads(ctx, s)
		d.set = true
		args := map[string]any{"behavior": "allowAndName", "downloadPath": filepath.Join(d.request.Root, d.folder), "eventsEnabled": true}
		err := root.Call(ctx, "Browser.setDownloadBehavior", args, nil)
		if _, declined := protocolError(err); declined {
			p.Fail("folder", "a browser that can be told where to download", "declined")
			return refusal.New(refusal.DownloadFailed, "this browser cannot be told where to download").WithProof(p.Steps(act.Steps...))
		}
		if err != nil {
			return fmt.Errorf("download: %w", err)
		}
		return nil
	}
	if res, err = act.Click(ctx, s, d.request.Route, p); err != nil {
		return nil, err
	}
	asked := d.asked.Drain() // up to the end of the click
	if res.Dialog != nil {
		d.out.Failure = dialogOpen
	} else {
		d.out.Failure = d.follow(ctx, s.Dialogs)
	}
	d.tell(res, d.proven(asked))
	return res, nil
}

// leads is where a click on the subject leads by itself, "" for nowhere.
func leads(ctx context.Context, s act.Subject) string {
	var r struct {
		URL string `json:"url"`
	}
	if s.Document.Start("leads", map[string]any{"k": s.Local}).Decode(ctx, &r) != nil {
		return "" // then the download is not proven to be of it
	}
	return r.URL
}

// proven says whether it was the click that began the download: it is of the
// address that the clicked link leads to, or that the page asked for while it
// was clicked. A page's script may begin another at any moment, and the browser
// does not tell which of them was for the click.
func (d *download) proven(asked []devtools.Event) bool {
	if d.url == "" {
		return false
	}
	if d.url == d.leads {
		return true
	}
	return slices.ContainsFunc(asked, func(ev devtools.Event) bool {
		var n struct {
			URL     string `json:"url"`
			FrameID string `json:"frameId"`
		}
		return json.Unmarshal(ev.Params, &n) == nil && n.URL == d.url && slices.Contains(d.frames, n.FrameID)
	})
}

// tell puts what became of the download into the result of the click.
func (d *download) tell(res *contract.ActionResult, proven bool) {
	if d.others > 0 {
		res.SideEffects = append(res.SideEffects, fmt.Sprintf("stopped %d other downloads that began meanwhile", d.others))
	}
	if d.out.Failure != "" {
		res.Status = contract.Partial
		return
	}
	res.Effect = refusal.EffectConfirmed
	if !proven {
		res.Effect = refusal.EffectDispatched
		res.SideEffects = append(res.SideEffects, "a script of the page began the download, not provably for this click")
	}
	res.Evidence = append(res.Evidence, contract.Evidence{Fact: "file", Before: "absent", After: fmt.Sprintf("%d bytes", d.out.Bytes)})
}

// restore gives the browser its own behaviour back, also where the caller has
// given up, and where it is not known whether it was ever told otherwise. What
// began up to then would still be written to our folder, and is stopped.
func (d *download) restore(ctx context.Context) error {
	if !d.set {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.CallTimeout)
	defer cancel()
	err := d.browser.conn.Browser().Call(ctx, "Browser.setDownloadBehavior", map[string]any{"behavior": "default", "eventsEnabled": false}, nil)
	for _, ev := range d.events.Drain() {
		if ev.Method == "Browser.downloadWillBegin" {
			d.take(ctx, ev)
		}
	}
	if d.out.File == "" {
		d.stop(ctx, d.guid)
	}
	if err != nil {
		return fmt.Errorf("download: %w", err)
	}
	return nil
}

// follow waits for the download that the click began and for its end; it
// returns why there is no file, "" if there is one.
func (d *download) follow(ctx context.Context, dialogs act.Dialogs) (failure string) {
	limit := limits.DownloadTime
	if d.request.TimeoutMS > 0 {
		limit = time.Duration(d.request.TimeoutMS) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		select {
		case ev, ok := <-d.events.C():
			if !ok {
				return lostSight
			}
			if done, failure := d.take(ctx, ev); done {
				return failure
			}
		case <-d.unlessBegun(dialogs):
			return dialogOpen
		case <-ctx.Done():
			d.stop(ctx, d.guid)
			switch {
			case errors.Is(ctx.Err(), context.Canceled):
				return givenUp
			case d.guid == "":
				return noneBegan
			}
			return timedOut
		}
	}
}

// unlessBegun tells of a dialog where nothing has begun: nothing will, behind it.
func (d *download) unlessBegun(dialogs act.Dialogs) <-chan struct{} {
	if d.guid != "" {
		return nil
	}
	return dialogs.Opened()
}

// guidPattern is what the browser calls a download, and its file: one plain
// part of a path.
var guidPattern = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// take takes one event; done says that the download is over.
func (d *download) take(ctx context.Context, ev devtools.Event) (done bool, failure string) {
	var e struct {
		FrameID  string  `json:"frameId"`
		GUID     string  `json:"guid"`
		Name     string  `json:"suggestedFilename"`
		URL      string  `json:"url"`
		Received float64 `json:"receivedBytes"`
		Total    float64 `json:"totalBytes"`
		State    string  `json:"state"`
	}
	if json.Unmarshal(ev.Params, &e) != nil || !guidPattern.MatchString(e.GUID) {
		return false, "" // what cannot be read is none of ours
	}
	if ev.Method == "Browser.downloadWillBegin" {
		if d.guid == "" && slices.Contains(d.frames, e.FrameID) {
			d.guid, d.name, d.url = e.GUID, e.Name, e.URL
		} else if e.GUID != d.guid { // it would be written to our folder
			d.others++
			d.stop(ctx, e.GUID)
		}
		return false, ""
	}
	most := float64(d.request.MaxBytes)
	if most == 0 {
		most = limits.DownloadBytesMax
	}
	switch {
	case e.GUID != d.guid:
	case e.Received > most || e.Total > most:
		d.stop(ctx, d.guid)
		return true, tooLarge
	case e.State == "completed":
		return true, d.keep(int64(most))
	case e.State == "canceled":
		return true, canceled
	}
	return false, ""
}

// stop ends a download, also where the caller has given up. One that is over
// needs none.
func (d *download) stop(ctx context.Context, guid string) {
	if guid == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.CallTimeout)
	defer cancel()
	_ = d.browser.conn.Browser().Call(ctx, "Browser.cancelDownload", map[string]any{"guid": guid}, nil)
}

// open opens the root and makes the folder in it that the browser writes to.
//
// A person's own browser is refused: where it downloads can only be told to
// all of it, and what the person downloads meanwhile would be stopped.
func (d *download) open(p *refusal.Proof) error {
	if d.browser.access == accessConsumer {
		p.Fail("browser", "one in which only this session downloads", d.browser.access)
		return refusal.New(refusal.DownloadFailed, "in a person's own browser their downloads would be taken for this one").WithProof(p.Steps(act.Steps...))
	}
	refused := func(why string) error {
		p.Fail("root", "a folder that can be written to, reached without links", why)
		return refusal.New(refusal.DownloadFailed, "the root cannot be used: %s", why).WithProof(p.Steps(act.Steps...))
	}
	path := filepath.Clean(d.request.Root)
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return refused("it is no folder")
	}
	if direct, err := filepath.EvalSymlinks(path); err != nil || direct != path {
		return refused("a symbolic link leads to it")
	}
	if d.root, err = os.OpenRoot(path); err != nil {
		return refused("it cannot be opened")
	}
	folder := "." + capability.NewID("download-")
	if err := d.root.Mkdir(folder, 0o700); err != nil {
		_ = d.root.Close()
		return refused("it cannot be written to")
	}
	d.request.Root, d.folder = path, folder
	p.Pass("root", "a folder")
	return nil
}

// close takes away what the browser wrote and was not kept.
func (d *download) close() error {
	if err := errors.Join(d.root.RemoveAll(d.folder), d.root.Close()); err != nil {
		return fmt.Errorf("download: %w", err)
	}
	return nil
}

// keep puts the complete file into the root under a name that is free there.
func (d *download) keep(most int64) (failure string) {
	from := filepath.Join(d.folder, d.guid)
	info, err := d.root.Lstat(from)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return notKept
	case info.Size() > most:
		return tooLarge
	}
	name := "download-" + d.guid
	switch {
	case d.request.Name != "":
		name = d.request.Name
	case d.request.Suggested:
		name = safeName(d.name)
	}
	for _, free := range numbered(name) {
		reserved, err := d.root.OpenFile(free, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return notKept
		}
		_ = reserved.Close()
		if err := d.root.Rename(from, free); err != nil {
			_ = d.root.Remove(free)
			return notKept
		}
		d.out.File, d.out.Bytes = free, info.Size()
		return ""
	}
	return notKept
}
