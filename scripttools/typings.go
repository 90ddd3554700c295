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
			args = s.of(s.tree.root, 1, 0)
			s.said(&b)
		}
		fmt.Fprintf(&b, "  %s: %s;\n", property(name), args)
	}
	b.WriteString("}\n\n/** The tools of these files, by name. */\nexport interface Tools {\n")
	for spec := range specs {
		comment(&b, spec.Description, 1)
		inputs, value, calls := "{ [key: string]: any }", "any", []string{"never"}
		if spec.InputSchema != nil {
			s := newShape(spec.InputSchema.Source())
			s.filled = true
			inputs = s.of(s.tree.root, 2, 0)
			s.said(&b)
		}
		if spec.OutputSchema != nil {
			s := newShape(spec.OutputSchema.Source())
			s.open = true
			value = s.of(s.tree.root, 2, 0)
			s.said(&b)
		}
		if granted := registry.Granted(spec.AllowedTools); len(granted) > 0 {
			calls = nil
			for _, name := range granted {
				calls = append(calls, literal(name))
			}
		}
		fmt.Fprintf(&b, "  %s: {\n    inputs: %s;\n    value: %s;\n    calls: %s;\n  };\n", property(spec.Name), inputs, value, strings.Join(calls, " | "))
	}
	b.WriteString("}\n")
	return b.String()
}

// shape turns a JSON Schema into a TypeScript type. What TypeScript cannot say, such as a
// pattern, is left out; so the type takes what the schema takes, and more.
type shape struct {
	tree    *schemaTree
	filled  bool              // what has a default is there
	open    bool              // what is not declared may be there
	aliases map[string]string // of properties at the top
	parts   int               // how many there are so far
	text    int               // how many bytes there are so far
	cut     bool              // there are more parts or bytes in the schema
}

func newShape(schema json.RawMessage) *shape { return &shape{tree: readSchema(schema)} }

// How deep a type goes, how many parts it has, and how many bytes. Beyond, anything is taken. A
// schema can refer to itself, and to large values, many times.
const maxTypeDepth, maxTypeParts, maxTypeText = 12, 2000, 256 << 10

// said writes that there is more to say than the types do.
func (s *shape) said(b *strings.Builder) {
	if s.cut {
		comment(b, "A schema of this tool is larger than its types here, which take anything for the rest.", 1)
	}
}

// full counts text, and reports whether there is more of it than there may be.
func (s *shape) full(bytes int) bool {
	s.text += bytes
	s.cut = s.cut || s.text > maxTypeText
	return s.text > maxTypeText
}

// of is the type of a schema, in lines that are indented by level.
func (s *shape) of(n *node, level, depth int) string {
	s.parts++
	s.cut = s.cut || s.parts > maxTypeParts
	if n == nil || depth > maxTypeDepth || s.full(len("(any) & ")) || s.parts > maxTypeParts {
		return "any"
	}
	if isFalse(n) {
		return "never"
	}
	if ref := n.child("$ref"); ref != nil {
		return s.of(s.tree.referred(n), level, depth+1)
	}
	if value := n.child("const"); value != nil {
		return s.values([]*node{value})
	}
	if values := n.child("enum"); values != nil {
		return s.values(values.items)
	}
	alone := n.child("type") == nil
	for _, key := range []string{"anyOf", "oneOf"} {
		if parts := n.child(key); parts != nil && alone && n.child("properties") == nil {
			return union(each(parts.items, func(part *node) string { return s.of(part, level, depth+1) }))
		}
	}
	if parts := n.child("allOf"); parts != nil && alone {
		return strings.Join(each(parts.items, func(part *node) string { return "(" + s.of(part, level, depth+1) + ")" }), " & ")
	}
	return union(each(typesOf(n), func(name string) string { return s.ofType(name, n, level, depth) }))
}

// typesOf are the types that a part names, or an empty one.
func typesOf(n *node) []string {
	if types := (together{parts: []*node{n}}).types(); len(types) > 0 {
		return types
	}
	return []string{""}
}

// values is the type of values that are written out.
func (s *shape) values(all []*node) string {
	var types []string
	for _, value := range all {
		text := literalOf(value)
		if s.full(len(text)) {
			return "any"
		}
		types = append(types, text)
	}
	return union(types)
}

func (s *shape) ofType(name string, n *node, level, depth int) string {
	switch name {
	case "string", "boolean", "null":
		return name
	case "number", "integer":
		return "number"
	case "array":
		return s.list(n, level, depth)
	case "object":
		return s.object(n, level, depth)
	}
	switch {
	case n.child("properties") != nil:
		return s.object(n, level, depth)
	case n.child("items") != nil:
		return s.list(n, level, depth)
	}
	return "any"
}

func (s *shape) list(n *node, level, depth int) string {
	items := n.child("items")
	if first := n.child("prefixItems"); first != nil {
		parts := each(first.items, func(part *node) string { return s.of(part, level, depth+1) })
		if !isFalse(items) {
			parts = append(parts, "..."+group(s.of(items, level, depth+1))+"[]")
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if items == nil {
		return "any[]"
	}
	return group(s.of(items, level, depth+1)) + "[]"
}

func (s *shape) object(n *node, level, depth int) string {
	own := together{parts: []*node{n}}
	properties, required, more := own.properties(), own.required(), n.child("additionalProperties")
	if len(properties) == 0 {
		if isFalse(more) {
			return "{ [key: string]: never }"
		}
		return fmt.Sprintf("{ [key: string]: %s }", s.of(more, level, depth+1))
	}
	var b strings.Builder
	b.WriteString("{\n")
	indent, open := strings.Repeat("  ", level+1), !isFalse(more) && (s.open || more != nil)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		schema := properties[name]
		mark := "?"
		if required[name] && (depth > 0 || !s.hasAlias(name)) || s.filled && schema.child("default") != nil {
			mark = ""
		}
		about := ""
		if described := schema.child("description"); described != nil {
			about = described.text
		}
		if s.full(2*len(indent) + len(name) + len(about)) {
			open = true
			break
		}
		comment(&b, about, level+1)
		fmt.Fprintf(&b, "%s%s%s: %s;\n", indent, property(name), mark, s.of(schema, level+1, depth+1))
	}
	if depth == 0 {
		for _, other := range slices.Sorted(maps.Keys(s.aliases)) {
			comment(&b, "another name of "+s.aliases[other], level+1)
			fmt.Fprintf(&b, "%s%s?: %s;\n", indent, property(other), s.of(properties[s.aliases[other]], level+1, depth+1))
		}
	}
	if open {
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

// literalOf is a JSON value as a type.
func literalOf(value *node) string {
	if value.kind == kindMap || value.kind == kindList {
		return "any"
	}
	return string(value.json())
}

// literal is a text as a type.
func literal(text string) string { return string(appendString(nil, text)) }

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
