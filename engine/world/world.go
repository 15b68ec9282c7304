// Package world is the engine's foothold in a document: an isolated script
// world that the page cannot see, in which the survey, the meaning and the
// facts of an action are computed. It holds the scripts and the typed calls to
// them; what their answers mean is decided by observe and act.
//
// It never calls Runtime.enable and never adds a script to new documents.
package world

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"cuatui/engine/devtools"
)

//go:embed js/*.js
var scripts embed.FS

// parts in the order they build on each other.
var parts = []string{"dom", "tree", "clip", "survey", "kind", "setting", "place", "area", "watch", "hit", "under", "svg", "unseen", "meaning", "sense", "describe", "ops", "act", "explain", "again", "region", "type", "wait", "files", "drag"}

var source = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("(() => { \"use strict\";\n")
	for _, p := range parts {
		src, err := scripts.ReadFile("js/" + p + ".js")
		if err != nil {
			panic(err) // embedded: cannot be missing in a built program
		}
		b.Write(src)
	}
	b.WriteString("\nreturn ops; })()")
	return b.String()
})

// Document is one document of a page with the engine's world in it. Its
// identity is (session, frame, loader); a navigation ends the world with it.
type Document struct {
	Session *devtools.Session
	FrameID string
	Loader  string
	URL     string
	// context is the execution context of the isolated world; ops is the
	// handle of the operations object in it. No name is left anywhere.
	context int
	ops     string
}

// Enter makes the isolated world in a frame's current document. A world of the
// same name in the same document is the same world, so name must be private to
// the engine session.
func Enter(ctx context.Context, s *devtools.Session, frameID, loader, url, name string) (*Document, error) {
	var made struct {
		ExecutionContextID int `json:"executionContextId"`
	}
	args := map[string]any{"frameId": frameID, "worldName": name, "grantUniveralAccess": false}
	if err := s.Call(ctx, "Page.createIsolatedWorld", args, &made); err != nil {
		return nil, fmt.Errorf("enter document: %w", err)
	}
	var ev struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
		ExceptionDetails *exception `json:"exceptionDetails"`
	}
	eval := map[string]any{"expression": source(), "contextId": made.ExecutionContextID, "objectGroup": name, "silent": true}
	if err := s.Call(ctx, "Runtime.evaluate", eval, &ev); err != nil {
		return nil, fmt.Errorf("enter document: %w", err)
	}
	if ev.ExceptionDetails != nil {
		return nil, fmt.Errorf("enter document: %w", ev.ExceptionDetails)
	}
	return &Document{Session: s, FrameID: frameID, Loader: loader, URL: url, context: made.ExecutionContextID, ops: ev.Result.ObjectID}, nil
}

// exception is a script error of our own scripts: a defect, or a document that
// went away underneath.
type exception struct {
	Text      string `json:"text"`
	Exception struct {
		Description string `json:"description"`
	} `json:"exception"`
}

func (e *exception) Error() string {
	d := e.Exception.Description
	if len(d) > 500 {
		d = d[:500]
	}
	return "script: " + e.Text + " " + d
}

const callOp = "function(op, arg, ...els) { return this[op](arg, els); }"

// Call runs an operation and decodes its answer into result.
func (d *Document) Call(ctx context.Context, op string, arg, result any, elements ...string) error {
	return d.Start(op, arg, elements...).Decode(ctx, result)
}

// Pending is an operation on its way.
type Pending struct {
	op      string
	pending *devtools.Pending
}

// Start sends an operation and returns before its answer. elements are handles
// of nodes in this world; an empty one stands for a node that is gone.
func (d *Document) Start(op string, arg any, elements ...string) *Pending {
	args := make([]any, 0, 2+len(elements))
	args = append(args, map[string]any{"value": op}, map[string]any{"value": arg})
	for _, id := range elements {
		if id == "" {
			args = append(args, map[string]any{"value": nil})
			continue
		}
		args = append(args, map[string]any{"objectId": id})
	}
	return &Pending{op: op, pending: d.Session.Send("Runtime.callFunctionOn", map[string]any{
		"objectId": d.ops, "functionDeclaration": callOp, "arguments": args,
		"returnByValue": true, "awaitPromise": true, "silent": true,
	})}
}

// Decode waits for the answer and decodes it into result.
func (p *Pending) Decode(ctx context.Context, result any) error {
	v, err := p.Value(ctx)
	if err != nil || result == nil {
		return err
	}
	if err := Decode(v, result); err != nil {
		return fmt.Errorf("%s: %w", p.op, err)
	}
	return nil
}

// Value waits for the answer and returns it as JSON.
func (p *Pending) Value(ctx context.Context) (json.RawMessage, error) {
	raw, err := p.pending.Raw(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.op, err)
	}
	var reply struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails *exception `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return nil, fmt.Errorf("%s: decode: %w", p.op, err)
	}
	if reply.ExceptionDetails != nil {
		return nil, fmt.Errorf("%s: %w", p.op, reply.ExceptionDetails)
	}
	if v := reply.Result.Value; len(v) > 0 && string(v) != "null" {
		return v, nil
	}
	return nil, fmt.Errorf("%s: the answer is empty", p.op)
}

// Decode decodes an operation's answer into result.
func Decode(v json.RawMessage, result any) error {
	if err := json.Unmarshal(v, result); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return nil
}

// Resolve turns backend node ids into handles in this world, pipelined. A node
// that is gone or belongs to another document gives "".
func (d *Document) Resolve(ctx context.Context, group string, backendIDs []int) ([]string, error) {
	sent := make([]*devtools.Pending, len(backendIDs))
	for i, id := range backendIDs {
		sent[i] = d.Session.Send("DOM.resolveNode", map[string]any{
			"backendNodeId": id, "executionContextId": d.context, "objectGroup": group,
		})
	}
	out := make([]string, len(backendIDs))
	for i, p := range sent {
		var r struct {
			Object struct {
				ObjectID string `json:"objectId"`
			} `json:"object"`
		}
		err := p.Decode(ctx, &r)
		var perr *devtools.Error
		switch {
		case err == nil:
			out[i] = r.Object.ObjectID
		case asProtocol(err, &perr): // gone, or of another document
		default:
			return nil, fmt.Errorf("resolve nodes: %w", err)
		}
	}
	return out, nil
}

// Node returns the handle of the element with local identity k, "" if it is gone.
func (d *Document) Node(ctx context.Context, k int) (string, error) {
	var r struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
	}
	err := d.Session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"objectId": d.ops, "functionDeclaration": "function(k) { return this.node(k); }",
		"arguments": []any{map[string]any{"value": k}}, "silent": true,
	}, &r)
	if err != nil {
		return "", fmt.Errorf("node: %w", err)
	}
	return r.Result.ObjectID, nil
}

// Nodes returns the handles of the elements with the local identities, "" for
// one that is gone, in one object group that the caller releases.
func (d *Document) Nodes(ctx context.Context, locals []int, group string) ([]string, error) {
	var made struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
	}
	err := d.Session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"objectId": d.ops, "functionDeclaration": "function(ks) { return ks.map((k) => this.node(k)); }",
		"arguments": []any{map[string]any{"value": locals}}, "objectGroup": group, "silent": true,
	}, &made)
	if err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	var props struct {
		Result []struct {
			Name  string `json:"name"`
			Value struct {
				ObjectID string `json:"objectId"`
			} `json:"value"`
		} `json:"result"`
	}
	err = d.Session.Send("Runtime.getProperties", map[string]any{"objectId": made.Result.ObjectID, "ownProperties": true}).Decode(ctx, &props)
	if err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	out := make([]string, len(locals))
	for _, p := range props.Result {
		if i, err := strconv.Atoi(p.Name); err == nil && i >= 0 && i < len(out) {
			out[i] = p.Value.ObjectID
		}
	}
	return out, nil
}
