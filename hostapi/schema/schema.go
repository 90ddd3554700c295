// Package schema compiles JSON Schemas (2020-12) and checks JSON values
// against them. It is the one place that knows the schema library.
//
// A [Schema] is compiled once, when a tool file or a host tool is registered,
// and used for every call. [Schema.Validate] reports the violations, each
// with the JSON Pointer of the value that broke it, in a stable order;
// [Schema.Complete] fills in defaults as well. No schema is fetched: a $ref leads
// inside the schema, or to the metaschema.
//
// Schemas and values may come from hostile people, and neither may keep the host
// busy. The size of a schema is limited when it is compiled. What it costs to check a
// value depends on both, and is counted before the check. The limits are constants of
// this package.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

// Schema is a compiled JSON Schema: immutable, safe for concurrent use. A nil
// Schema accepts every value.
type Schema struct {
	root   any
	source json.RawMessage
	impl   *jsonschema.Schema
	graph  *graph
}

const location = "schema.json"

// Compile reads a schema and checks it against the metaschema and the limits: its size,
// how many of its parts apply to one value, the size of its patterns and defaults. The
// error is an *[Error] whose paths point into the schema, or says that raw is not JSON.
func Compile(raw json.RawMessage) (*Schema, error) {
	root, err := decode(raw)
	older := false
	if err == nil {
		older, err = checkSource(root, len(raw))
	}
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	impl, err := compile(root, older)
	if err != nil {
		return nil, err
	}
	graph, err := newGraph(impl)
	if err != nil {
		return nil, err
	}
	s := &Schema{root: root, source: bytes.Clone(raw), impl: impl, graph: graph}
	if _, _, err := s.fill(json.RawMessage("{}"), map[string]any{}); err != nil {
		return nil, err
	}
	return s, nil
}

func compile(root any, older bool) (impl *jsonschema.Schema, err error) {
	defer recovered(&err)
	jsonschema.Load()
	if older {
		jsonschema.LoadOlder()
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	compiler.AssertFormat()
	expressions := patterns{known: map[string]*pattern{}}
	compiler.UseRegexpEngine(expressions.compile)
	if err := compiler.AddResource(location, root); err != nil {
		return nil, schemaError(err)
	}
	impl, err = compiler.Compile(location)
	expressions.sealed = true
	if err != nil {
		return nil, schemaError(err)
	}
	return impl, nil
}

// recovered turns a panic of the library into an error: no schema and no value may end
// the host.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = refuse("", "it cannot be checked: %v", p)
	}
}

// Source is the schema as it was given to [Compile]; nil for a nil Schema.
func (s *Schema) Source() json.RawMessage {
	if s == nil {
		return nil
	}
	return s.source
}

// Validate checks a JSON text. The error is an *[Error] with the violations, sorted by
// path, a hundred at most, or says that raw is not JSON. A value that would take too
// many steps to check is refused before the check.
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
	return s.check(value)
}

// ValidateQuickly is [Schema.Validate] if the check is sure to take less than a
// millisecond. For other values, done is false.
func (s *Schema) ValidateQuickly(raw json.RawMessage) (done bool, err error) {
	if len(raw) > quickBytes {
		return false, nil
	}
	if s == nil {
		return true, s.Validate(raw)
	}
	value, err := decode(raw)
	if err != nil {
		return true, err
	}
	if !s.isQuick(value) {
		return false, nil
	}
	return true, s.apply(value)
}

// quickBytes is the largest value that is decoded quickly.
const quickBytes = 16 << 10

func (s *Schema) isQuick(value any) (quick bool) {
	defer func() {
		if recover() != nil {
			quick = false // the check will say what is wrong
		}
	}()
	return s.graph.within(value, quickSteps, quickWork)
}

func (s *Schema) check(value any) (err error) {
	defer recovered(&err)
	if !s.graph.affordable(value) {
		return refuse("", "checking it takes more than %d steps; make it smaller or less deep, or let fewer alternatives of the schema apply to the same part of it", maxSteps)
	}
	return s.apply(value)
}

// apply checks a value whose cost is known.
func (s *Schema) apply(value any) (err error) {
	defer recovered(&err)
	return violations(s.impl.Validate(value), s.impl)
}

// noLoader fetches nothing: a schema that names a file or a URL is an error.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not part of the schema, and nothing is fetched", url)
}

func schemaError(err error) error {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		if e := violations(invalid.Err, nil); e != nil {
			return e
		}
	}
	return &Error{Violations: []Violation{{Message: strings.ReplaceAll(err.Error(), location, "schema")}}}
}
