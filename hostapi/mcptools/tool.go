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
	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// tool is one tool of a server.
type tool struct {
	connection *Connection
	name       string // to scripts
	theirs     string // to the server
	about      hostapi.Description
}

// take makes host tools of those that were listed.
func (c *Connection) take(listed []*mcp.Tool) error {
	var offered []string
	seen := map[string]string{}
	budget := maxSchemas
	for _, t := range listed {
		offered = append(offered, t.Name)
		if len(c.server.Tools) > 0 && !slices.Contains(c.server.Tools, t.Name) {
			continue
		}
		name := "mcp__" + c.server.Name + "__" + plainName(t.Name)
		switch {
		case !hostapi.ValidName(name):
			c.skipped = append(c.skipped, fmt.Sprintf("tool %q of MCP server %q is left out: %s is longer than 64 characters", t.Name, c.server.Name, name))
			continue
		case seen[name] != "":
			c.skipped = append(c.skipped, fmt.Sprintf("tool %q of MCP server %q is left out: %q has the name %s already", t.Name, c.server.Name, seen[name], name))
			continue
		}
		seen[name] = t.Name
		c.tools = append(c.tools, &tool{connection: c, name: name, theirs: t.Name, about: hostapi.Description{
			Summary: firstLine(t.Description), Input: inputOf(t, &budget), Checked: true,
		}})
	}
	for _, wanted := range c.server.Tools {
		if !slices.Contains(offered, wanted) {
			return fmt.Errorf("MCP server %q has no tool %q; it has %s", c.server.Name, wanted, strings.Join(offered, ", "))
		}
	}
	return nil
}

// plainName puts _ in the place of what a host tool's name cannot hold.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}

// maxSchemas is how many bytes of schemas of one server are looked at.
const maxSchemas = 2 << 20

// inputOf is the tool's schema, if it is one that can be checked here, at a
// cost that is bounded; the server checks as well. A schema of a server that
// asks for too much costs that tool its check, and nobody else anything.
func inputOf(t *mcp.Tool, budget *int) json.RawMessage {
	text, err := json.Marshal(t.InputSchema)
	if *budget -= len(text); err == nil && *budget >= 0 {
		if _, err = schema.Compile(text); err == nil {
			return text
		}
	}
	return json.RawMessage(`{"type":"object"}`)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// Name implements [hostapi.Tool].
func (t *tool) Name() string { return t.name }

// Describe implements [hostapi.Describer]. The effect is unknown: what a server
// says of it is no more than a hint.
func (t *tool) Describe() hostapi.Description { return t.about }

// Invoke implements [hostapi.Tool].
func (t *tool) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	c := t.connection
	session, err := c.live(ctx)
	if err == nil {
		var answer *mcp.CallToolResult
		limited, cancel := context.WithTimeoutCause(ctx, c.server.Timeout, errTimeout)
		answer, err = session.CallTool(limited, &mcp.CallToolParams{Name: t.theirs, Arguments: call.Args})
		var answered *jsonrpc.Error
		switch {
		case err == nil:
		case errors.Is(context.Cause(limited), errTimeout):
			err = c.failed(fmt.Errorf("tool %q did not answer within %v", t.theirs, c.server.Timeout))
		case errors.As(err, &answered), limited.Err() != nil:
			err = fmt.Errorf("MCP server %q: tool %q: %w", c.server.Name, t.theirs, err)
		default: // it is gone, or speaks no protocol any more
			err = c.failed(fmt.Errorf("tool %q: %w", t.theirs, err))
			c.drop(session)
		}
		cancel()
		if err == nil {
			return unwrap(answer), nil
		}
	}
	if ctx.Err() != nil {
		return hostapi.Result{}, err
	}
	failure := hostapi.Fail(err.Error())
	failure.Throws = true
	return failure, nil
}

var errTimeout = errors.New("it took too long")
