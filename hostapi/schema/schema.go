// Package schema compiles JSON Schemas (2020-12) and checks JSON values
// against them. It is the one place that knows the schema library.
//
// A [Schema] is compiled once, when a tool file or a host tool is registered,
// and used for every call. [Schema.Validate] reports every violation, each
// with the JSON Pointer of the value that broke it, in a stable order;
// [Schema.ApplyDefaults] fills in what the schema gives a default for. No
// schema is fetched: a $ref leads inside the schema, or to the metaschema.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Schema is a compiled JSON Schema: immutable, safe for concurrent use. A nil
// Schema accepts every value.
type Schema struct {
	root   any
	source json.RawMessage
	impl   *jsonschema.Schema
}

// Violation is one way in which a value, or a schema, breaks its schema.
type Violation struct {
	// Path is the JSON Pointer of the offending value; "" is the value itself.
	Path string `json:"path"`
	// Message says what was expected there.
	Message string `json:"message"`
}

// String is "path: message", with the root shown as "(root)".
func (v Violation) String() string {
	if v.Path == "" {
		return "(root): " + v.Message
	}
	return v.Path + ": " + v.Message
}

// Error is a schema that is not one, or a value that breaks one.
type Error struct {
	Violations []Violation
}

// Error lists the violations, separated by semicolons.
func (e *Error) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.String()
	}
	return strings.Join(parts, "; ")
}

const location = "schema.json"

// Compile reads a schema and checks it against the metaschema. The error is an
// *[Error] whose paths point into the schema, or tells that raw is not JSON.
func Compile(raw json.RawMessage) (*Schema, error) {
	root, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	jsonschema.Load()
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	compiler.AssertFormat()
	if err := compiler.AddResource(location, root); err != nil {
		return nil, schemaError(err)
	}
	impl, err := compiler.Compile(location)
	if err != nil {
		return nil, schemaError(err)
	}
	return &Schema{root: root, source: bytes.Clone(raw), impl: impl}, nil
}

// Source is the schema as it was given to [Compile]; nil for a nil Schema.
func (s *Schema) Source() json.RawMessage {
	if s == nil {
		return nil
	}
	return s.source
}

// Validate checks a JSON text. The error is an *[Error] with every violation,
// sorted by path, or tells that raw is not JSON.
func (s *Schema) Validate(raw json.RawMessage) error {
	if s == nil && json.Valid(raw) {
		return nil
	}
	value, err := decode(raw)
	if err != nil {
		return err
	}
	if s == nil {
		return nil
	}
	return violations(s.impl.Validate(value))
}

func decode(raw json.RawMessage) (any, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return value, nil
}

// noLoader refuses to fetch: a schema that names a file or a URL is an error.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not part of the schema, and nothing is fetched", url)
}

func schemaError(err error) error {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		if e := violations(invalid.Err); e != nil {
			return e
		}
	}
	return &Error{Violations: []Violation{{Message: strings.ReplaceAll(err.Error(), location, "schema")}}}
}

// violations flattens the library's tree to its leaves.
func violations(err error) error {
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return &Error{Violations: []Violation{{Message: err.Error()}}}
	}
	printer := message.NewPrinter(language.English)
	var out []Violation
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			out = append(out, Violation{Path: pointer(e.InstanceLocation), Message: e.ErrorKind.LocalizedString(printer)})
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(invalid)
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Path != out[j].Path {
			return out[i].Path < out[j].Path
		}
		return out[i].Message < out[j].Message
	})
	return &Error{Violations: out}
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(t))
	}
	return b.String()
}
