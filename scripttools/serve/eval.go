package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// evalName is the tool that runs code of the model's own.
const evalName = "eval"

// Eval is a tool with which a model runs code of its own ("code mode"): one call
// replaces many, and only the code's return value goes back to the model.
type Eval struct {
	// Allow is what the code may call; if it is empty, the code may call nothing.
	Allow []hostapi.Rule
	// Limits bounds each run; zero fields mean the defaults.
	Limits runtime.Limits
	// Raise names what raises a limit of Limits, such as "the server's --limit maxToolCalls", for
	// messages; nil means "the server's limit".
	Raise func(limit string) string
}

func (e *Eval) raise(limit string) string {
	if e.Raise == nil {
		return limitsFrom
	}
	return e.Raise(limit)
}

func (e *Eval) check(registry *hostapi.Registry) error {
	if e == nil {
		return nil
	}
	if err := e.Limits.Check(); err != nil {
		return fmt.Errorf("eval: limits: %w", err)
	}
	for _, rule := range e.Allow {
		if err := registry.CheckRule(rule); err != nil {
			return fmt.Errorf("eval: rule %q: %w", rule, err)
		}
	}
	return nil
}

// manyTools is how many signatures are listed; models search for more.
const manyTools = 20

const evalAbout = `Runs JavaScript: the body of an async function run(ctx, inputs). Its value, which must be JSON, is the result; console output is not part of it. One call of this tool can make many calls of others, in parallel too, and return only what matters.
A call is await ctx.tool(name, args), which resolves to {output, text, data, exitCode, metadata, truncated}: output and text are text, data is structured where the tool says so. truncated is true where a part is missing; where metadata.more is true, the same call with cursor: metadata.next goes on. A call that is refused rejects. There are no modules, no network and no files but by these tools.`

// tool describes it to clients.
func (e *Eval) tool(registry *hostapi.Registry) *mcp.Tool {
	signatures := e.signatures(registry, "")
	about := evalAbout
	properties := map[string]any{
		"code":   map[string]any{"type": "string", "description": "the body of run(ctx, inputs), or a file that exports or declares that function"},
		"inputs": map[string]any{"type": "object", "description": "the second argument"},
	}
	switch {
	case e.searches(registry):
		about += fmt.Sprintf("\nIt may call %d tools. Call this tool with search to find their signatures.", len(signatures))
		properties["search"] = map[string]any{"type": "string", "description": "instead of code: words to look for in names and descriptions of tools"}
	case len(signatures) > 0:
		about += "\nIt may call:\n" + strings.Join(signatures, "\n")
	default:
		about += "\nIt may call no tools; it can only compute."
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if properties["search"] == nil {
		schema["required"] = []string{"code"}
	}
	return &mcp.Tool{Name: evalName, Description: about, Annotations: annotations(e.Allow, registry), InputSchema: schema}
}

// advice is for a model that wrote the code itself.
func (e *Eval) advice() advice {
	allowed := "no tool"
	if len(e.Allow) > 0 {
		var rules []string
		for _, rule := range e.Allow {
			rules = append(rules, rule.String())
		}
		allowed = strings.Join(rules, ", ")
	}
	return advice{
		inputs: "correct the arguments and call it again",
		code:   "correct the code and call it again",
		limits: "do less in one call; the host's limits cannot be raised from here",
		rules:  "the code may call " + allowed + "; change it to stay within that, and call it again",
	}
}

// searches reports whether it has so many tools that models search for them.
func (e *Eval) searches(registry *hostapi.Registry) bool {
	return len(e.signatures(registry, "")) > manyTools
}

// signatures are those of the allowed tools that contain all words of search in their
// names and summaries.
func (e *Eval) signatures(registry *hostapi.Registry, search string) []string {
	words := strings.Fields(strings.ToLower(search))
	var found []string
	seen := map[string]bool{}
	for _, rule := range e.Allow {
		if seen[rule.String()] {
			continue
		}
		seen[rule.String()] = true
		about := registry.Describe(rule.Tool)
		text := strings.ToLower(rule.String() + " " + about.Summary)
		matches := true
		for _, word := range words {
			matches = matches && strings.Contains(text, word)
		}
		if matches {
			found = append(found, signature(rule, about))
		}
	}
	return found
}

// signature is a tool as a line of code.
func signature(rule hostapi.Rule, about hostapi.Description) string {
	line := fmt.Sprintf("ctx.tool(%q, %s)", rule.Tool, shape(about.Input, 0))
	var facts []string
	if about.Data != "" {
		facts = append(facts, "data: "+about.Data)
	}
	if about.Metadata != "" {
		facts = append(facts, "metadata: "+about.Metadata)
	}
	if rule.Pattern != "" {
		facts = append(facts, "only "+rule.String())
	}
	if comment := strings.TrimSpace(about.Summary + " " + strings.Join(facts, "; ")); comment != "" {
		line += " // " + comment
	}
	return line
}

// shape writes a schema as a type, roughly.
func shape(schema json.RawMessage, depth int) string {
	var s struct {
		Type       json.RawMessage            `json:"type"`
		Enum       []json.RawMessage          `json:"enum"`
		Required   []string                   `json:"required"`
		Items      json.RawMessage            `json:"items"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil || depth > 3 {
		return "any"
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, value := range s.Enum {
			values = append(values, string(value))
		}
		return strings.Join(values, " | ")
	}
	switch kind := typeOf(schema); kind {
	case "object", "":
		if len(s.Properties) == 0 {
			return "{}"
		}
		return "{" + strings.Join(fields(s.Properties, s.Required, depth), ", ") + "}"
	case "array":
		return shape(s.Items, depth+1) + "[]"
	case "integer":
		return "number"
	default:
		return kind
	}
}

// eval runs code, or answers a search with a result.
func (s *Server) eval(ctx context.Context, inputs json.RawMessage, options scripttools.RunOptions) (*runtime.Report, *mcp.CallToolResult) {
	var given struct {
		Code   string          `json:"code"`
		Inputs json.RawMessage `json:"inputs"`
		Search string          `json:"search"`
	}
	if len(inputs) > 0 {
		if err := json.Unmarshal(inputs, &given); err != nil {
			return nil, failed("invalid_input: the arguments are code, a string, and inputs, an object: " + err.Error())
		}
		var all map[string]json.RawMessage
		_ = json.Unmarshal(inputs, &all) // it is an object
		for _, name := range slices.Sorted(maps.Keys(all)) {
			names := []string{"code", "inputs"}
			if s.options.Eval.searches(s.options.Runner.Registry()) {
				names = append(names, "search")
			}
			if !slices.Contains(names, name) {
				near := cmp.Or(spelling.Nearest(name, names), strings.Join(names, " or "))
				return nil, failed(fmt.Sprintf("invalid_input: there is no argument %q; did you mean %s?", clip.Head(name, 100), near))
			}
		}
	}
	eval := s.options.Eval
	if given.Search != "" && given.Code == "" {
		found := eval.signatures(s.options.Runner.Registry(), given.Search)
		if len(found) == 0 {
			found = []string{"No tool has all of these words in its name or description; try fewer."}
		}
		return nil, &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(found, "\n")}}}
	}
	if strings.TrimSpace(given.Code) == "" {
		return nil, failed("invalid_input: code is missing: the body of run(ctx, inputs), such as return 1 + 1")
	}
	options.Checked()
	return s.options.Runner.Run(ctx, runtime.Request{
		Tool: evalName, Source: &runtime.Source{Name: evalName, Body: []byte(given.Code), FunctionBody: true},
		Inputs: given.Inputs, Allow: eval.Allow,
		Limits: eval.Limits.Narrow(options.Limits), Raise: eval.raise, Tools: options.Tools, Observer: options.Observer, Approver: options.Approver, Room: options.Room, Began: options.Began, Caller: options.Caller,
	}), nil
}

// fields are the properties of a shape, the required ones first.
func fields(properties map[string]json.RawMessage, required []string, depth int) []string {
	var must, may []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, name) {
			must = append(must, name+": "+shape(properties[name], depth+1))
		} else {
			may = append(may, name+"?: "+shape(properties[name], depth+1))
		}
	}
	return append(must, may...)
}
