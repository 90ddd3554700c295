package serve

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/scripttools"
)

// Tool is what clients are told of a tool file: its name, description and
// schemas, and as annotations the worst that it can do, which is the worst that
// the host tools on its list can.
func Tool(spec *scripttools.ScriptToolSpec, registry *hostapi.Registry) *mcp.Tool {
	about := spec.Describe()
	return &mcp.Tool{
		Name: about.Name, Description: about.Description, InputSchema: asObject(about.InputSchema),
		OutputSchema: objectOnly(about.OutputSchema), Annotations: annotations(spec.AllowedTools, registry),
	}
}

// asObject says of an input schema what is true of all inputs, and what the
// protocol wants said: they are objects.
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

// objectOnly is an output schema if what it describes can be structured
// content, which is an object in every version of the protocol but the last.
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
		_ = json.Unmarshal(head.Type, &name) // a list of types is not one
	}
	return name
}

// annotations say the worst that a tool can do, which is the worst that the
// host tools on its list can.
func annotations(rules []hostapi.Rule, registry *hostapi.Registry) *mcp.ToolAnnotations {
	writes, open := false, false
	for _, rule := range rules {
		effect := registry.Describe(rule.Tool).Effect
		if effect == hostapi.EffectUnknown && registry.Grants(rule.Tool) {
			effect = hostapi.EffectRead // a name such as grep, for a mode of a tool that reads
		}
		switch effect { //exhaustive:enforce
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
