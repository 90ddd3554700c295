package scripttools

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TypingsName is the file that tool files take their types from, beside them.
const TypingsName = "scriptrun.d.ts"

//go:embed typings.d.ts
var typingsBegin string

// Typings are the TypeScript declarations of ctx, of the arguments of the registry's tools, and
// of what each spec takes, gives and may call. The same tools give the same text.
func Typings(registry *hostapi.Registry, specs iter.Seq[*ScriptToolSpec]) string {
	var b strings.Builder
	b.WriteString(typingsBegin)
	b.WriteString("\n/** The host tools, by name, with their arguments. */\nexport interface HostTools {\n")
	for _, name := range registry.Names() {
		about := registry.Describe(name)
		comment(&b, about.Summary, 1)
		args := "{ [key: string]: any }"
		if len(about.Input) > 0 {
			s := newShape(about.Input)
			s.aliases = about.Aliases
			args = s.of(s.root, 1, 0)
		}
		fmt.Fprintf(&b, "  %s: %s;\n", property(name), args)
	}
	b.WriteString("}\n\n/** The tools of these files, by name. */\nexport interface Tools {\n")
	for spec := range specs {
		inputs, value, calls := "{ [key: string]: any }", "any", []string{"never"}
		if spec.InputSchema != nil {
			s := newShape(spec.InputSchema.Source())
			s.filled = true
			inputs = s.of(s.root, 2, 0)
		}
		if spec.OutputSchema != nil {
			s := newShape(spec.OutputSchema.Source())
			s.open = true
			value = s.of(s.root, 2, 0)
		}
		if granted := registry.Granted(spec.AllowedTools); len(granted) > 0 {
			calls = nil
			for _, name := range granted {
				calls = append(calls, literal(name))
			}
		}
		comment(&b, spec.Description, 1)
		fmt.Fprintf(&b, "  %s: {\n    inputs: %s;\n    value: %s;\n    calls: %s;\n  };\n", property(spec.Name), inputs, value, strings.Join(calls, " | "))
	}
	b.WriteString("}\n")
	return b.String()
}

// shape turns a JSON Schema into a TypeScript type. What TypeScript cannot say, such as a
// pattern, is left out; so the type takes what the schema takes, and more.
type shape struct {
	root    any
	filled  bool              // what has a default is there
	open    bool              // what is not declared may be there
	aliases map[string]string // of properties at the top
	parts   int               // how many there are so far
	text    int               // how many bytes of the schema they repeat
}

func newShape(schema json.RawMessage) *shape {
	s := &shape{}
	_ = json.Unmarshal(schema, &s.root) // it has been compiled
	return s
}

// How deep a type goes, how many parts it has, and how much text of the schema: values, names and
// descriptions. Beyond, anything is taken. A schema can refer to itself, and to large values, many
// times.
const maxTypeDepth, maxTypeParts, maxTypeText = 12, 2000, 256 << 10

// of is the type of a schema, in lines that are indented by level.
func (s *shape) of(schema any, level, depth int) string {
	node, ok := schema.(map[string]any)
	if never, is := schema.(bool); is && !never {
		return "never"
	}
	if s.parts++; !ok || depth > maxTypeDepth || s.parts > maxTypeParts || s.text > maxTypeText {
		return "any"
	}
	if ref, ok := node["$ref"].(string); ok {
		return s.of(s.lookup(ref), level, depth+1)
	}
	if value, ok := node["const"]; ok {
		return s.values([]any{value})
	}
	if values, ok := node["enum"].([]any); ok {
		return s.values(values)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if parts, ok := node[key].([]any); ok && node["type"] == nil && node["properties"] == nil {
			return union(each(parts, func(part any) string { return s.of(part, level, depth+1) }))
		}
	}
	if parts, ok := node["allOf"].([]any); ok && node["type"] == nil {
		return strings.Join(each(parts, func(part any) string { return "(" + s.of(part, level, depth+1) + ")" }), " & ")
	}
	types := []any{node["type"]}
	if list, ok := node["type"].([]any); ok {
		types = list
	}
	return union(each(types, func(name any) string { return s.ofType(name, node, level, depth) }))
}

// values is the type of values that are written out.
func (s *shape) values(all []any) string {
	var types []string
	for _, value := range all {
		text := literal(value)
		if s.text += len(text); s.text > maxTypeText {
			return "any"
		}
		types = append(types, text)
	}
	return union(types)
}

func (s *shape) ofType(name any, node map[string]any, level, depth int) string {
	switch name {
	case "string", "boolean", "null":
		return name.(string)
	case "number", "integer":
		return "number"
	case "array":
		return s.list(node, level, depth)
	case "object":
		return s.object(node, level, depth)
	}
	switch {
	case node["properties"] != nil:
		return s.object(node, level, depth)
	case node["items"] != nil:
		return s.list(node, level, depth)
	}
	return "any"
}

func (s *shape) list(node map[string]any, level, depth int) string {
	items, there := node["items"]
	if first, ok := node["prefixItems"].([]any); ok {
		parts := each(first, func(part any) string { return s.of(part, level, depth+1) })
		if items != false {
			parts = append(parts, "..."+group(s.of(items, level, depth+1))+"[]")
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if !there {
		return "any[]"
	}
	return group(s.of(items, level, depth+1)) + "[]"
}

func (s *shape) object(node map[string]any, level, depth int) string {
	properties, _ := node["properties"].(map[string]any)
	more, declared := node["additionalProperties"]
	if len(properties) == 0 {
		if more == false {
			return "{ [key: string]: never }"
		}
		return fmt.Sprintf("{ [key: string]: %s }", s.of(more, level, depth+1))
	}
	required, _ := node["required"].([]any)
	var b strings.Builder
	b.WriteString("{\n")
	indent := strings.Repeat("  ", level+1)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		schema, _ := properties[name].(map[string]any)
		_, fills := schema["default"]
		mark := "?"
		if slices.Contains(required, any(name)) && (depth > 0 || !s.hasAlias(name)) || s.filled && fills {
			mark = ""
		}
		about, _ := schema["description"].(string)
		if s.text += len(name) + len(about); s.text > maxTypeText {
			declared, more = true, true
			break
		}
		comment(&b, about, level+1)
		fmt.Fprintf(&b, "%s%s%s: %s;\n", indent, property(name), mark, s.of(properties[name], level+1, depth+1))
	}
	if depth == 0 {
		for _, other := range slices.Sorted(maps.Keys(s.aliases)) {
			comment(&b, "another name of "+s.aliases[other], level+1)
			fmt.Fprintf(&b, "%s%s?: %s;\n", indent, property(other), s.of(properties[s.aliases[other]], level+1, depth+1))
		}
	}
	if more != false && (s.open || declared) {
		fmt.Fprintf(&b, "%s[key: string]: any;\n", indent)
	}
	b.WriteString(strings.Repeat("  ", level) + "}")
	return b.String()
}

// hasAlias reports whether a property can be given by another name.
func (s *shape) hasAlias(name string) bool {
	for _, to := range s.aliases {
		if to == name {
			return true
		}
	}
	return false
}

// lookup is what a reference within the schema leads to; true, which takes anything, for any
// other.
func (s *shape) lookup(ref string) any {
	at := s.root
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return true
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" {
			continue
		}
		node, _ := at.(map[string]any)
		if at, ok = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return true
		}
	}
	return at
}

func each[T any](values []T, do func(T) string) (all []string) {
	for _, v := range values {
		all = append(all, do(v))
	}
	return all
}

// union is a type of several, each once; any, if one takes anything.
func union(types []string) string {
	var all []string
	seen := map[string]bool{}
	for _, one := range types {
		if one == "any" {
			return one
		}
		if !seen[one] {
			all, seen[one] = append(all, one), true
		}
	}
	if len(all) == 0 {
		return "never"
	}
	return strings.Join(all, " | ")
}

// group puts what has operators in parentheses.
func group(kind string) string {
	if strings.Contains(kind, " | ") || strings.Contains(kind, " & ") {
		return "(" + kind + ")"
	}
	return kind
}

// literal is a JSON value as a type.
func literal[T any](value T) string {
	switch any(value).(type) {
	case []any, map[string]any:
		return "any"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "any"
	}
	return string(text)
}

// property is a name as a key of a type.
func property(name string) string {
	plain := name != "" && !unicode.IsDigit(rune(name[0]))
	for _, r := range name {
		plain = plain && (r == '_' || r == '$' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)))
	}
	if plain {
		return name
	}
	return literal(name)
}

// comment writes what something is about, on one line.
func comment(b *strings.Builder, text string, level int) {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return
	}
	fmt.Fprintf(b, "%s/** %s */\n", strings.Repeat("  ", level), strings.ReplaceAll(text, "*/", "*\\/"))
}
