package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools"
)

// questionKey names the one question of a call.
const questionKey = "inputs"

// canAsk reports whether the client can show a person a form.
func canAsk(request *mcp.CallToolRequest) bool {
	capabilities := request.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil {
		return false
	}
	e := capabilities.Elicitation
	return e.Form != nil || e.URL == nil // older clients name neither and mean form
}

// askTime is how long a person behind a client may take to answer. It is askTimeLarge
// if the call's body holds much of the memory that clients share.
const (
	askTime      = 10 * time.Minute
	askTimeLarge = 30 * time.Second
)

// askTimeOf is askTime or askTimeLarge for a call.
func (s *Server) askTimeOf(extra *mcp.RequestExtra) time.Duration {
	if p := s.callers.post(extra); p != nil && p.size > smallBody {
		return askTimeLarge
	}
	return askTime
}

// mayAskNow reports whether a client can be asked during its call. In later versions of
// the protocol the call ends with the question and is repeated with the answer.
func mayAskNow(request *mcp.CallToolRequest) bool {
	began := request.Session.InitializeParams()
	return began != nil && began.ProtocolVersion < statelessVersion
}

// ask puts a question to the person behind a client. The library alone would go on
// asking after the call, its session and the server have ended.
func ask(ctx context.Context, of *mcp.ServerSession, question *mcp.ElicitParams, atMost time.Duration) (*mcp.ElicitResult, error) {
	ctx, stop := context.WithTimeoutCause(ctx, atMost, fmt.Errorf("nobody answered within %v", atMost))
	defer stop()
	answer, err := of.Elicit(ctx, question)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return answer, err
}

// askFor completes the arguments of a call with a person's answers.
func askFor(ctx context.Context, of *mcp.ServerSession, question *mcp.ElicitParams, inputs json.RawMessage, atMost time.Duration) (json.RawMessage, asking, error) {
	answer, err := ask(ctx, of, question, atMost)
	if err != nil {
		return nil, notAsked, err
	}
	return completed(inputs, answer)
}

// missingOf is the question for the inputs that a call lacks; nil for none.
func (s *Server) missingOf(request *mcp.CallToolRequest, inputs json.RawMessage) *mcp.ElicitParams {
	name := request.Params.Name
	if !s.options.Ask || !canAsk(request) || s.isDirect(name) || name == evalName && s.options.Eval != nil {
		return nil
	}
	spec, err := s.current.Load().catalog.Spec(name)
	if err != nil {
		return nil // the call will say so
	}
	return missing(spec, inputs)
}

// missing is a form for the required inputs that a call lacks; nil if it lacks none, or
// if a form cannot hold one of them.
func missing(spec *scripttools.ScriptToolSpec, inputs json.RawMessage) *mcp.ElicitParams {
	names, properties := lacking(spec, inputs)
	form := map[string]any{}
	for _, name := range names {
		field := fieldOf(properties[name])
		if field == nil {
			return nil
		}
		form[name] = field
	}
	if len(names) == 0 {
		return nil
	}
	return &mcp.ElicitParams{
		Message:         "The tool " + spec.Name + " needs " + strings.Join(names, ", ") + ".",
		RequestedSchema: map[string]any{"type": "object", "properties": form, "required": names},
	}
}

// lacking are the required inputs that a call lacks, and all properties.
func lacking(spec *scripttools.ScriptToolSpec, inputs json.RawMessage) (names []string, properties map[string]map[string]json.RawMessage) {
	var given map[string]json.RawMessage
	if len(inputs) > 0 && json.Unmarshal(inputs, &given) != nil {
		return nil, nil
	}
	var schema struct {
		Required   []string                              `json:"required"`
		Properties map[string]map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(spec.Describe().InputSchema, &schema) != nil {
		return nil, nil
	}
	for _, name := range schema.Required {
		if _, ok := given[name]; !ok && schema.Properties[name]["default"] == nil {
			names = append(names, name)
		}
	}
	return names, schema.Properties
}

// missingNames are the required inputs that a call of a tool file lacks.
func missingNames(spec *scripttools.ScriptToolSpec, inputs json.RawMessage) []string {
	if spec == nil {
		return nil
	}
	names, _ := lacking(spec, inputs)
	return names
}

// formKeys are the schema keys that the protocol allows for a field of each type.
var formKeys = map[string][]string{
	"string":  {"minLength", "maxLength", "format", "enum", "enumNames", "oneOf"},
	"number":  {"minimum", "maximum"},
	"integer": {"minimum", "maximum"},
	"boolean": {},
	"array":   {"minItems", "maxItems", "items"},
}

// fieldOf is the field of a form for a property; nil if the property is neither a plain
// value nor a choice.
func fieldOf(property map[string]json.RawMessage) map[string]json.RawMessage {
	var kind string
	if json.Unmarshal(property["type"], &kind) != nil {
		return nil
	}
	keys, ok := formKeys[kind]
	if !ok {
		return nil
	}
	field := map[string]json.RawMessage{}
	for _, key := range append([]string{"type", "title", "description"}, keys...) {
		if value, ok := property[key]; ok && formTakes(key, value) {
			field[key] = value
		}
	}
	if kind == "array" && field["items"] == nil {
		return nil // a list of anything has no field
	}
	return field
}

// formTakes reports whether a form may have a key with this value.
func formTakes(key string, value json.RawMessage) bool {
	switch key {
	case "enum", "enumNames":
		var names []string
		return json.Unmarshal(value, &names) == nil && len(names) > 0
	case "format":
		var format string
		return json.Unmarshal(value, &format) == nil && slices.Contains([]string{"email", "uri", "date", "date-time"}, format)
	case "oneOf", "anyOf":
		var choices []struct {
			Const *string `json:"const"`
		}
		if json.Unmarshal(value, &choices) != nil || len(choices) == 0 {
			return false
		}
		return !slices.ContainsFunc(choices, func(c struct {
			Const *string `json:"const"`
		}) bool {
			return c.Const == nil
		})
	case "items":
		var items map[string]json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return false
		}
		return items["enum"] != nil && formTakes("enum", items["enum"]) || items["anyOf"] != nil && formTakes("anyOf", items["anyOf"])
	}
	return true
}
