package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// checkDirect refuses names that no host tool has.
func checkDirect(names []string, registry *hostapi.Registry) error {
	for _, name := range names {
		if _, ok := registry.Lookup(name); !ok {
			return fmt.Errorf("direct: %w", registry.CheckRule(hostapi.Rule{Tool: name}))
		}
	}
	return nil
}

// directTool describes a host tool that clients may call themselves.
func directTool(name string, registry *hostapi.Registry) *mcp.Tool {
	about := registry.Describe(name)
	input := about.Input
	if input == nil {
		input = json.RawMessage(`{"type":"object"}`)
	}
	description := about.Summary
	if takesPages(input) {
		description += " If there is more than is answered, the answer is {data or text, next}: pass next as cursor, or as offset where there is no cursor, for what follows."
	}
	return &mcp.Tool{
		Name: name, Description: description, InputSchema: inputSchema(input),
		Annotations: annotations([]hostapi.Rule{{Tool: name}}, registry),
	}
}

// takesPages reports whether a tool can go on where an answer ended.
func takesPages(input json.RawMessage) bool {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(input, &schema) // it was read before
	return schema.Properties["cursor"] != nil || schema.Properties["offset"] != nil
}

// direct calls a host tool for a client, as a run of one call with its own limits and
// receipt.
func (s *Server) direct(ctx context.Context, name string, inputs json.RawMessage, options scripttools.RunOptions) *runtime.Report {
	// A failure is told in the tool's words: there is no script whose line it could name.
	source := runtime.Source{Name: name, FunctionBody: true, Body: []byte(`
		let r;
		try { r = await ctx.tool(` + strconv.Quote(name) + `, inputs); } catch (e) { if (e.code !== "failed" && e.code !== "invalid_args") throw e; ctx.fail(e.message); }
		if (r.exitCode) ctx.fail(r.data?.exitCode === r.exitCode ? "exit code " + r.exitCode + "\n" + r.output : r.output);
		const about = r.metadata ?? {}, lines = about.range ?? {};
		const next = about.next ?? (lines.more ? lines.offset + lines.returned_lines : undefined);
		const value = r.data ?? r.text ?? r.output;
		if (next === undefined) return value;
		return r.data === null ? {text: value, next} : {data: value, next};`)}
	options.Checked()
	limits := options.Limits.Narrow(runtime.Limits{})
	limits.MaxResultBytes = max(limits.MaxOutputBytes-2*clip.Shape, 1) // what comes is what goes
	return s.options.Runner.Run(ctx, runtime.Request{
		Tool: name, Source: &source, Inputs: inputs, Allow: []hostapi.Rule{{Tool: name}},
		Limits: limits, Raise: raiseLimits, Tools: options.Tools, Observer: options.Observer, Approver: options.Approver, Room: options.Room, Began: options.Began, Caller: options.Caller,
	})
}

func (s *Server) isDirect(name string) bool { return slices.Contains(s.options.Direct, name) }
