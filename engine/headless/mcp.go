package headless

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuatui/engine/contract"
	"cuatui/snapshotfmt"
)

// instructions teach a model the loop. Every client carries them in its
// context, so they are short.
//
//go:embed instructions.md
var instructions string

// schemasURI is the resource that holds what the tool list leaves out: the full
// output schemas. Below it is one resource a tool.
const schemasURI = "cuatui://schemas"

// errorMetaKey is where a call that failed has its error as an object. It is no
// structured content, because that is promised to be a result.
const errorMetaKey = "cuatui/error"

// ServeMCP answers one MCP client, one message a line, until in ends.
//
// Tools and answers are those of JSON lines: structuredContent is the result or
// the refusal, and the text part says the same for a client that shows only
// text. A call that failed has isError.
//
// When in ends, calls in flight have drainTimeout to be answered and are then
// cancelled, and every session that was opened is ended. When ctx is cancelled,
// which is a request to end and no failure, the calls are cancelled at once.
// Neither end waits for long for a reader of out that takes nothing. The
// error is that of a stream, of a deadline of ctx, or of ending a session.
func (s *Server) ServeMCP(ctx context.Context, in io.Reader, out io.Writer) error {
	f := &mcpFace{ctx: ctx, engine: s.Engine, log: s.log()}
	server := mcpServer(s.Version, func(*mcp.ServerSession) (*mcpFace, error) { return f, nil })
	err := server.Run(ctx, newMCPStream(ctx, in, out))
	if ctx.Err() != nil { // without, a call's own end is no reason to drop an error
		err = unlessAsked(err)
	}
	return errors.Join(err, f.sessions.endAll(ctx, s.Engine))
}

// mcpFace is one connection.
type mcpFace struct {
	ctx      context.Context // of the connection
	engine   Engine
	log      *slog.Logger
	slots    chan struct{} // one a running call; nil: the transport bounds them
	sessions openSessions
}

// mcpServer serves the contract. of is the connection of an SDK's session.
func mcpServer(version string, of func(*mcp.ServerSession) (*mcpFace, error)) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "cuatui", Version: version}, &mcp.ServerOptions{
		Instructions: instructions,
		// The lists never change, and there is no logging to a client.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
	})
	for _, t := range contract.Tools {
		server.AddTool(&mcp.Tool{
			Name: t.Name, Description: t.Description, InputSchema: t.ListInputSchema(), OutputSchema: t.ListOutputSchema(),
			Annotations: &mcp.ToolAnnotations{
				ReadOnlyHint: t.Annotations.ReadOnly, DestructiveHint: &t.Annotations.Destructive,
				IdempotentHint: t.Annotations.Idempotent, OpenWorldHint: &t.Annotations.OpenWorld,
			},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			f, err := of(r.Session)
			if err != nil {
				return nil, err
			}
			return f.call(ctx, t.Name, r.Params.Arguments), nil
		})
	}
	server.AddResource(&mcp.Resource{
		URI: schemasURI, Name: "schemas", MIMEType: "application/json",
		Description: "Every tool with its full output schema, refusals included.",
	}, readSchemas)
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: schemasURI + "/{tool}", Name: "schema of a tool", MIMEType: "application/json",
		Description: "The full output schema of one tool.",
	}, readSchemas)
	return server
}

// call runs one call. It ends when the client cancels it, or with the connection.
func (f *mcpFace) call(ctx context.Context, tool string, arguments json.RawMessage) *mcp.CallToolResult {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)() //nolint:contextcheck // the end of the connection's context, which the SDK does not hand on
	start := time.Now()
	a := f.run(ctx, tool, arguments)
	f.sessions.note(a)
	a, image := withoutImage(a)
	// Encoded here, because the SDK leaves a call unanswered whose result it
	// cannot encode.
	data, err := json.Marshal(a.Value())
	if err != nil {
		a = answerOf(nil, fmt.Errorf("encoding a result: %w", err))
	}
	logCall(ctx, f.log, tool, time.Since(start), a)
	out := toolResult(a, data)
	if image != nil {
		out.Content = append(out.Content, image)
	}
	return out
}

// run calls the engine when there is room for one more call.
func (f *mcpFace) run(ctx context.Context, tool string, arguments json.RawMessage) Answer {
	if f.slots != nil {
		select {
		case f.slots <- struct{}{}:
			defer func() { <-f.slots }()
		case <-ctx.Done():
			return answerOf(nil, ctx.Err())
		}
	}
	return Call(ctx, f.engine, tool, arguments)
}

// withoutImage takes the image out of an answer: a client gets it as a content
// of its own, and not once more as text in what it may put before its model.
func withoutImage(a Answer) (Answer, mcp.Content) {
	r, ok := a.Result.(*contract.ScreenshotResult)
	if !ok || r == nil {
		return a, nil
	}
	rest := *r
	rest.Data = ""
	a.Result = &rest
	return a, &mcp.ImageContent{Data: r.PNG, MIMEType: r.MIME}
}

// toolResult is an answer as MCP has it, with the value of the answer encoded.
func toolResult(a Answer, value json.RawMessage) *mcp.CallToolResult {
	text := func(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }
	if a.Err != nil {
		return &mcp.CallToolResult{IsError: true, Content: text(errorText(a.Err)), Meta: mcp.Meta{errorMetaKey: a.Err}}
	}
	return &mcp.CallToolResult{Content: text(strings.TrimRight(Text(a.Value()), "\n")), StructuredContent: value}
}

// errorText is one line with kind, field and message.
func errorText(err *contract.CallError) string {
	where := ""
	switch {
	case err.Field != "":
		where = " at " + snapshotfmt.Quote(err.Field)
	case err.Kind == contract.BadArguments:
		where = " at the arguments"
	}
	return snapshotfmt.PrintableLine(fmt.Sprintf("error %s%s: %s", err.Kind, where, err.Message))
}

// allSchemas is made once, because it takes a tenth of a second.
var allSchemas = sync.OnceValue(contract.FullToolList)

// readSchemas answers for schemasURI and what is below it.
func readSchemas(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := r.Params.URI
	if uri == schemasURI {
		return schemaResource(uri, allSchemas()), nil
	}
	for _, t := range contract.Tools {
		if uri != schemasURI+"/"+t.Name {
			continue
		}
		data, err := json.Marshal(t.OutputSchema())
		if err != nil {
			return nil, fmt.Errorf("encoding the schema of %s: %w", t.Name, err)
		}
		return schemaResource(uri, data), nil
	}
	return nil, mcp.ResourceNotFoundError(uri)
}

func schemaResource(uri string, data []byte) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(data)}}}
}
