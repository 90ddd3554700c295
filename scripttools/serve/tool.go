package serve

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/scripttools"
)

// Tool describes a tool file to clients: its name, description and schemas, and
// annotations for the worst that the host tools on its list can do.
func Tool(spec *scripttools.ScriptToolSpec, registry *hostapi.Registry) *mcp.Tool {
	about := spec.Describe()
	output, _ := outputSchema(about.OutputSchema)
	return &mcp.Tool{
		Name: about.Name, Description: about.Description, InputSchema: inputSchema(about.InputSchema),
		OutputSchema: output, Annotations: annotations(spec.AllowedTools, registry),
	}
}

// sizeMeta tells Claude Code how large results can be, in characters: it shows a model of larger
// ones a preview. See https://code.claude.com/docs/en/mcp.
func sizeMeta(most int64) mcp.Meta {
	return mcp.Meta{"anthropic/maxResultSizeChars": min(most, 500_000)}
}

func typeOf(schema json.RawMessage) (name string) {
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(schema, &head) == nil {
		_ = json.Unmarshal(head.Type, &name) // a list of types has no one name
	}
	return name
}

// annotations say the worst that the host tools of rules can do.
func annotations(rules []hostapi.Rule, registry *hostapi.Registry) *mcp.ToolAnnotations {
	writes, open := false, false
	for _, rule := range rules {
		switch registry.EffectOf(rule) { //exhaustive:enforce
		case hostapi.EffectRead:
		case hostapi.EffectWrite:
			writes = true
		case hostapi.EffectNetwork:
			open = true
			writes = true // a request can change what it reaches
		case hostapi.EffectExec, hostapi.EffectUnknown:
			writes, open = true, true
		}
	}
	return &mcp.ToolAnnotations{ReadOnlyHint: !writes, DestructiveHint: &writes, IdempotentHint: !writes, OpenWorldHint: &open}
}
