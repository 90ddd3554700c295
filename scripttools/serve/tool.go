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
	return &mcp.Tool{
		Name: about.Name, Description: about.Description, InputSchema: asObject(about.InputSchema),
		OutputSchema: objectOnly(about.OutputSchema), Annotations: annotations(spec.AllowedTools, registry),
	}
}

// asObject makes an input schema say that inputs are objects: they all are, and the
// protocol wants it said.
func asObject(schema json.RawMessage) any {
	if typeOf(schema) == "object" {
		return schema
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(schema, &keys) != nil {
		return json.RawMessage(`{"type":"object"}`) // true accepts any
	}
	keys["type"] = json.RawMessage(`"object"`)
	return keys
}

// objectOnly is an output schema if it describes an object: only objects can be
// structured content, except in the last version of the protocol.
func objectOnly(schema json.RawMessage) any {
	if typeOf(schema) != "object" {
		return nil
	}
	return schema
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
