package telemetry

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Attributes of OpenTelemetry's semantic conventions. Those of tools (gen_ai) and MCP are not
// stable yet.
const (
	toolName   attribute.Key = "gen_ai.tool.name"
	errorType  attribute.Key = "error.type"
	mcpMethod  attribute.Key = "mcp.method.name"
	httpMethod attribute.Key = "http.request.method"
	httpStatus attribute.Key = "http.response.status_code"
	serverName attribute.Key = "server.address"
	exitCode   attribute.Key = "process.exit.code"
)

func operationName() attribute.KeyValue {
	return attribute.String("gen_ai.operation.name", "execute_tool")
}

// Our own attributes.
const (
	runID      attribute.Key = "scriptrun.run.id"
	outcome    attribute.Key = "scriptrun.run.outcome"
	limit      attribute.Key = "scriptrun.run.limit"
	calls      attribute.Key = "scriptrun.run.calls"
	callSeq    attribute.Key = "scriptrun.call.seq"
	callParent attribute.Key = "scriptrun.call.parent"
	site       attribute.Key = "scriptrun.call.site"
	background attribute.Key = "scriptrun.call.background"
	operation  attribute.Key = "scriptrun.call.operation"
	verdict    attribute.Key = "scriptrun.call.verdict"
	rule       attribute.Key = "scriptrun.call.rule"
	ruleFrom   attribute.Key = "scriptrun.call.rule_from"
	status     attribute.Key = "scriptrun.call.status"
)

// Tools are recognized by their names, as in rules.
const (
	toolFetch = "fetch"
	toolBash  = "bash"
	toolGit   = "git"
	prefixMCP = "mcp__"
)

func kindOf(call hostapi.Call) trace.SpanKind {
	if call.Refused == nil && (call.Tool == toolFetch || strings.HasPrefix(call.Tool, prefixMCP)) {
		return trace.SpanKindClient
	}
	return trace.SpanKindInternal
}

// conventions are the attributes of calls of some tools. Of a fetch they have the method and
// the host, but not the rest of the URL.
func conventions(call hostapi.Call) (all []attribute.KeyValue) {
	switch {
	case call.Operation != "" || call.Refused != nil:
	case strings.HasPrefix(call.Tool, prefixMCP):
		all = append(all, mcpMethod.String("tools/call"))
	case call.Tool == toolFetch:
		args := struct{ URL, Method string }{Method: "GET"}
		if json.Unmarshal(call.Args, &args) != nil {
			return nil
		}
		all = append(all, httpMethod.String(clip.Head(strings.ToUpper(args.Method), maxText)))
		if to, err := url.Parse(args.URL); err == nil && to.Hostname() != "" {
			all = append(all, serverName.String(clip.Head(to.Hostname(), maxText)))
		}
	}
	return all
}

// resultAttributes are the attributes of a result.
func resultAttributes(call hostapi.Call, result hostapi.Result) (all []attribute.KeyValue) {
	switch {
	case call.Operation != "":
	case call.Tool == toolBash || call.Tool == toolGit:
		all = append(all, exitCode.Int(result.ExitCode))
	case call.Tool == toolFetch:
		var answer struct{ Status int }
		if json.Unmarshal(result.Data, &answer) == nil && answer.Status != 0 {
			all = append(all, httpStatus.Int(answer.Status))
		}
	}
	return all
}
