package scripttools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// ArgumentsError is a list of key=value arguments that cannot be inputs.
type ArgumentsError struct {
	Tool string
	// Problems is one sentence for each argument that was refused, in order.
	Problems []string
}

// Error lists the problems, one a line.
func (e *ArgumentsError) Error() string {
	return fmt.Sprintf("arguments of tool %q: %s", e.Tool, strings.Join(e.Problems, "\n  "))
}

// ParseArguments makes inputs of key=value arguments. Each value is read as
// the type that the tool's input schema gives the key: text as it stands,
// numbers, true and false, null, and objects and arrays as JSON; an array may
// also be given one element at a time, by repeating the key. Where several
// types are allowed, text is the last that is tried; where none is named the
// value is text. key:=value takes the value as JSON, whatever the schema says,
// and a.b=value sets b of the object a, unless a.b is a key itself.
//
// The inputs are not checked against the schema otherwise: a run does that.
// The error is an *[ArgumentsError] with every problem.
func ParseArguments(spec *ScriptToolSpec, args []string) (json.RawMessage, error) {
	reader := newArgumentReader(spec)
	for _, arg := range args {
		reader.argument(arg)
	}
	if len(reader.problems) > 0 {
		return nil, &ArgumentsError{Tool: spec.Name, Problems: reader.problems}
	}
	return json.Marshal(reader.values)
}

type argumentReader struct {
	tree     *schemaTree
	schema   together
	values   map[string]any
	problems []string
}

func newArgumentReader(spec *ScriptToolSpec) *argumentReader {
	r := &argumentReader{tree: readSchema(spec.InputSchema.Source()), values: map[string]any{}}
	r.schema = r.tree.together(r.tree.root)
	return r
}

func (r *argumentReader) fail(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *argumentReader) argument(arg string) {
	key, value, ok := strings.Cut(arg, "=")
	name, raw := strings.CutSuffix(key, ":")
	switch {
	case !ok:
		r.fail("%q: expected key=value, or key:=JSON", arg)
		return
	case name == "":
		r.fail("%q: there is no key before the =", arg)
		return
	case raw && !json.Valid([]byte(value)):
		r.fail("%s: after := there is JSON, such as %s:=1 or %s:=[\"a\"]", arg, name, name)
		return
	}
	at, values, shown := r.schema, r.values, name
	for at.property(name) == nil && strings.Contains(name, ".") {
		outer, rest, _ := strings.Cut(name, ".")
		if outer == "" || rest == "" {
			break
		} else if !r.knows(at, outer) {
			return
		}
		name = rest
		inner, isObject := values[outer].(map[string]any)
		if _, given := values[outer]; given && !isObject {
			r.fail("%q: %q is given already, as a whole", shown, outer)
			return
		} else if !given {
			inner = map[string]any{}
			values[outer] = inner
		}
		at, values = r.tree.together(at.property(outer)), inner
	}
	if !r.knows(at, name) {
		return
	}
	n := r.tree.together(at.property(name))
	if slices.Contains(n.types(), "array") && !raw {
		r.element(values, name, value, n)
		return
	}
	if _, twice := values[name]; twice {
		r.fail("%q is given twice, and it is not a list", shown)
		return
	}
	parsed, ok := parseValue(value, n.types())
	if raw {
		parsed, ok = json.RawMessage(value), true
	}
	if !ok {
		r.fail("%s: expected %s", shown+"="+value, expected(n.types()))
		return
	}
	values[name] = parsed
}

// knows reports whether an object may have a key, and says what is wrong where it may not.
func (r *argumentReader) knows(at together, key string) bool {
	if at.property(key) != nil || at.open() {
		return true
	}
	names := slices.Sorted(maps.Keys(at.properties()))
	if near := spelling.Nearest(key, names); near != "" {
		r.fail("unknown key %q; did you mean %q?", key, near)
	} else {
		r.fail("unknown key %q; the keys are %s", key, listed(names, ", "))
	}
	return false
}

// element adds to a list: a JSON array as a whole, anything else as one
// element.
func (r *argumentReader) element(values map[string]any, key, value string, n together) {
	list, given := values[key].([]json.RawMessage)
	if !given {
		if _, other := values[key]; other {
			r.fail("%q is given twice, and not as a list", key)
			return
		}
		list = []json.RawMessage{}
	}
	var whole []json.RawMessage
	if strings.HasPrefix(strings.TrimSpace(value), "[") && json.Unmarshal([]byte(value), &whole) == nil {
		values[key] = append(list, whole...)
		return
	}
	others := slices.DeleteFunc(n.types(), func(t string) bool { return t == "array" })
	if len(others) > 0 && !given { // such as text or a list of text
		if parsed, ok := parseValue(value, others); ok {
			values[key] = parsed
			return
		}
	}
	types := r.tree.together(n.first("items")).types()
	parsed, ok := parseValue(value, types)
	if !ok {
		r.fail("%s=%s: expected %s, or a JSON array of that", key, value, expected(types))
		return
	}
	values[key] = append(list, parsed)
}

// parseValue reads a value as the first type that it fits, text last.
func parseValue(value string, types []string) (json.RawMessage, bool) {
	text := len(types) == 0
	for _, t := range types {
		if t == "string" {
			text = true
			continue
		}
		if fits(value, t) {
			return json.RawMessage(bytes.TrimSpace([]byte(value))), true
		}
	}
	if !text {
		return nil, false
	}
	encoded, err := json.Marshal(value)
	return encoded, err == nil
}

// fits reports whether value is the JSON of a type.
func fits(value, want string) bool {
	trimmed := strings.TrimSpace(value)
	if trimmed == "" || !json.Valid([]byte(trimmed)) {
		return false
	}
	number := strings.ContainsRune("-0123456789", rune(trimmed[0]))
	switch want {
	case "integer":
		if _, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
			return true
		}
		_, whole := wholeNumber(trimmed)
		return number && whole
	case "number":
		return number
	case "boolean":
		return trimmed == "true" || trimmed == "false"
	case "null":
		return trimmed == "null"
	case "array":
		return trimmed[0] == '['
	case "object":
		return trimmed[0] == '{'
	}
	return false
}

var typeWords = map[string]string{
	"integer": "a whole number", "number": "a number", "boolean": "true or false", "null": "null",
	"object": "a JSON object", "array": "a JSON array", "string": "text",
}

func expected(types []string) string {
	words := make([]string, 0, len(types))
	for _, t := range types {
		if word, ok := typeWords[t]; ok {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "text"
	}
	return strings.Join(words, " or ")
}
