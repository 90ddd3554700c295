package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

// tool is one tool of a server.
type tool struct {
	connection *Connection
	name       string // to scripts
	theirs     string // to the server
	about      hostapi.Description
}

// take makes host tools of the listed tools.
func (c *Connection) take(listed []listedTool) error {
	var offered []string
	seen := map[string]string{}
	budget := maxSchemas
	for _, t := range listed {
		offered = append(offered, t.name)
		if len(c.server.Tools) > 0 && !slices.Contains(c.server.Tools, t.name) {
			continue
		}
		name := "mcp__" + c.server.Name + "__" + plainName(t.name)
		switch {
		case !hostapi.ValidName(name):
			c.skipped = append(c.skipped, fmt.Sprintf("tool %q of MCP server %q is left out: %s is longer than 64 characters", t.name, c.server.Name, name))
			continue
		case seen[name] != "":
			c.skipped = append(c.skipped, fmt.Sprintf("tool %q of MCP server %q is left out: %q has the name %s already", t.name, c.server.Name, seen[name], name))
			continue
		}
		seen[name] = t.name
		c.tools = append(c.tools, &tool{connection: c, name: name, theirs: t.name, about: hostapi.Description{
			Summary: clip.Line(strings.TrimSpace(t.description)), Input: inputOf(t.schema, &budget), Checked: true,
		}})
	}
	for _, wanted := range c.server.Tools {
		if !slices.Contains(offered, wanted) {
			return fmt.Errorf("MCP server %q has no tool %q; it has %s", c.server.Name, wanted, strings.Join(offered, ", "))
		}
	}
	return nil
}

// plainName replaces characters that a host tool's name cannot have by _.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}

// maxSchemas is how many bytes of a server's schemas are compiled.
const maxSchemas = 2 << 20

// inputOf is the tool's schema, if it compiles within the budget. Otherwise arguments
// are left to the server to check.
func inputOf(text json.RawMessage, budget *int) json.RawMessage {
	if *budget -= len(text); *budget >= 0 {
		if _, err := schema.Compile(text); err == nil {
			return text
		}
	}
	return json.RawMessage(`{"type":"object"}`)
}

// Name implements [hostapi.Tool].
func (t *tool) Name() string { return t.name }

// Describe implements [hostapi.Describer]. The effect is unknown: what a server says
// about it is only a hint.
func (t *tool) Describe() hostapi.Description { return t.about }

// Invoke implements [hostapi.Tool].
func (t *tool) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	answer, err := t.ask(ctx, call.Args)
	switch {
	case err == nil:
		return unwrap(answer), nil
	case ctx.Err() != nil:
		return hostapi.Result{}, err
	}
	failure := hostapi.Fail(err.Error())
	failure.Throws = true
	return failure, nil
}

// ask makes the call. If the server ended before it was sent, it is started again,
// once.
func (t *tool) ask(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
	c := t.connection
	for again := false; ; again = true {
		session, err := c.live(ctx)
		if err != nil {
			return nil, err
		}
		limited, cancel := context.WithTimeoutCause(ctx, c.server.Timeout, errTimeout)
		answer, delivery, err := t.askOnce(limited, session, args)
		timely := limited.Err() == nil
		cancel()
		switch {
		case err == nil && answer.NeedsInput():
			return nil, fmt.Errorf("MCP server %q: tool %q asks a person for input, which is not supported", c.server.Name, t.theirs)
		case err == nil:
			return answer, nil
		}
		reason := c.reason(session, delivery, err)
		var answered *jsonrpc.Error
		switch {
		case !timely && ctx.Err() == nil:
			return nil, c.failed(fmt.Errorf("tool %q did not answer within %v", t.theirs, c.server.Timeout))
		case ctx.Err() != nil:
			return nil, fmt.Errorf("MCP server %q: tool %q: %w", c.server.Name, t.theirs, context.Cause(ctx))
		case session.streams && !delivery.maybeSent(ctx), errors.Is(err, mcp.ErrConnectionClosed):
			session.end(errGone)
			if !again {
				continue
			}
		case session.ctx.Err() == nil && (errors.As(err, &answered) || delivery.tooMuch.Load() > 0):
			return nil, fmt.Errorf("MCP server %q: tool %q: %w", c.server.Name, t.theirs, reason)
		}
		session.end(err) // it has ended, or no longer speaks the protocol
		return nil, c.failed(fmt.Errorf("tool %q: %w", t.theirs, reason))
	}
}

// askOnce makes the call in one session, until ctx ends or the connection is closed. If
// the session ends by itself, the library says so once it has read all answers.
func (t *tool) askOnce(ctx context.Context, session *session, args json.RawMessage) (*mcp.CallToolResult, *delivery, error) {
	ctx, delivery := withDelivery(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.connection.life, func() { cancel(errClosed) })() //nolint:contextcheck // it ends with both
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Meta: traced(ctx), Name: t.theirs, Arguments: args})
	return answer, delivery, err
}

// traced tells the server the place of a call in its trace; nil without a trace.
func traced(ctx context.Context) mcp.Meta {
	parent, state := tracecontext.Of(ctx)
	if parent == "" {
		return nil
	}
	meta := mcp.Meta{tracecontext.Parent: parent}
	if state != "" {
		meta[tracecontext.State] = state
	}
	return meta
}

var errTimeout = errors.New("it took too long")
