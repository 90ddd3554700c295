package scripttools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// The keys of a header, and of its limits.
var (
	headerKeys = []string{"kind", "name", "description", "path", "allowed_tools", "input_schema", "output_schema", "limits"}
	limitKeys  = []string{"timeoutMs", "maxToolCalls", "maxOutputBytes", "maxResultBytes", "maxMemoryBytes"}
)

// fieldReader takes the fields of one header and keeps what is wrong with
// them. Every method goes on after a problem, so that one load tells them all.
type fieldReader struct {
	file     *text
	header   *header
	problems []Problem
}

func (r *fieldReader) fail(at place, hint, format string, args ...any) {
	r.problems = append(r.problems, r.file.problem(at, hint, format, args...))
}

// failWith is fail with an error that the problem unwraps to.
func (r *fieldReader) failWith(at place, hint string, cause error, format string, args ...any) {
	p := r.file.problem(at, hint, format, args...)
	p.cause = cause
	r.problems = append(r.problems, p)
}

// kind is that of the header, script or mcp; empty for another, whose keys are
// not looked at: they have other rules.
func (r *fieldReader) kind() string {
	f, ok := r.header.root.field("kind")
	if !ok {
		for _, have := range r.header.root.fields {
			if strings.EqualFold(have.key, "kind") {
				return kindScript // told as an unknown key
			}
		}
		r.fail(r.header.opening, "add kind: script", "the header has no kind")
		return kindScript
	}
	const supported = "the kinds are script and mcp"
	switch {
	case f.value.kind == kindBroken:
		return kindScript
	case f.value.kind != kindText:
		r.fail(f.value.at, "write kind: script", "kind is %s; %s", f.value.kind, supported)
	case f.value.text == kindScript, f.value.text == kindMCP:
		return f.value.text
	default:
		r.fail(f.value.at, "write kind: script", "unknown kind %s; %s", quote(f.value.text), supported)
	}
	return ""
}

// The kinds of headers.
const (
	kindScript = "script"
	kindMCP    = "mcp"
)

// unknown reports every key of a map that is not in known.
func (r *fieldReader) unknown(n *node, known []string, what string) {
	for _, f := range n.fields {
		if slices.Contains(known, f.key) {
			continue
		}
		hint := what + " are " + strings.Join(known, ", ")
		if near := spelling.Nearest(f.key, known); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		r.fail(f.at, hint, "unknown key %s", quote(f.key))
	}
}

// value returns a field of the wanted kind; nil if it is absent, or of another
// kind, which is a problem.
func (r *fieldReader) value(key string, want kind) *node {
	f, ok := r.header.root.field(key)
	if !ok {
		return nil
	}
	if f.value.kind == want {
		return f.value
	}
	r.wrongKind(f, key, want)
	return nil
}

func (r *fieldReader) wrongKind(f field, name string, want kind) {
	if f.value.kind == kindBroken {
		return
	}
	hint := ""
	switch {
	case f.value.kind == kindNull:
		hint = "give it a value, or leave the key out"
	case want == kindText && (f.value.kind == kindNumber || f.value.kind == kindBool):
		hint = "quote it"
	case want == kindList && f.value.kind == kindText:
		hint = "write it as a list of one: [" + word(f.value.text) + "]"
	}
	r.fail(f.value.at, hint, "%s is %s; expected %s", name, f.value.kind, want)
}

// description is the field, else the body of a Markdown file.
func (r *fieldReader) description(markdown bool) string {
	if f, ok := r.header.root.field("description"); ok {
		n := r.value("description", kindText)
		if n == nil {
			return ""
		}
		if trimmed := strings.TrimSpace(n.text); trimmed != "" {
			return trimmed
		}
		if !markdown {
			r.fail(f.value.at, "say in a sentence what the tool does", "the description is blank")
			return ""
		}
	}
	if !markdown {
		r.fail(r.header.opening, "add description: …, a sentence that says what the tool does", "the header has no description")
		return ""
	}
	body := strings.TrimSpace(r.header.body)
	if body == "" {
		r.fail(r.header.opening, "add description: …, or write the description below the header",
			"the tool has no description: neither the header nor the body of the file says what it does")
	}
	return body
}
