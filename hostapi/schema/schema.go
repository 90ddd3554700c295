// Package schema compiles JSON Schemas (2020-12) and checks JSON values
// against them. It is the one place that knows the schema library.
//
// A [Schema] is compiled once, when a tool file or a host tool is registered,
// and used for every call. [Schema.Validate] reports the violations, each
// with the JSON Pointer of the value that broke it, in a stable order;
// [Schema.ApplyDefaults] fills in what the schema gives a default for. No
// schema is fetched: a $ref leads inside the schema, or to the metaschema.
//
// Schemas and values come from people who may be hostile, and neither can be
// allowed to occupy the host. What a schema is made of is bounded when it is
// compiled; what it takes to check a value, which both decide, is counted
// before it is checked, without checking it. Both are refused beyond the
// bounds, which are constants of this package.
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

// Compile reads a schema and checks it against the metaschema, and that what it
// asks for is bounded: how large it is, how many of its parts apply to one
// value, what its patterns and defaults become. The error is an *[Error] whose
// paths point into the schema, or tells that raw is not JSON.
func Compile(raw json.RawMessage) (*Schema, error) {
	root, err := decode(raw)
	if err == nil {
		err = checkSource(root, len(raw))
	}
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	impl, err := compile(root)
	if err != nil {
		return nil, err
	}
	graph, err := newGraph(impl)
	if err != nil {
		return nil, err
	}
	s := &Schema{root: root, source: bytes.Clone(raw), impl: impl, graph: graph}
	if _, err := s.ApplyDefaults(json.RawMessage("{}")); err != nil {
		return nil, err
	}
	return s, nil
}

func compile(root any) (impl *jsonschema.Schema, err error) {
	defer recovered(&err)
	jsonschema.Load()
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

// recovered turns a panic of the library into an error: a schema, or a value,
// that it did not foresee must not end the host.
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

// Validate checks a JSON text. The error is an *[Error] with the violations,
// sorted by path, a hundred at most, or tells that raw is not JSON. A value that
// would take more than a bounded number of steps to check is refused as well,
// before it is.
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

// ValidateQuickly is [Schema.Validate] for a value of which the check takes no time to
// speak of, however the value is meant. It is not done for others.
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

// quickBytes is up to which size a value is decoded in no time to speak of.
const quickBytes = 16 << 10

func (s *Schema) isQuick(value any) (quick bool) {
	defer func() {
		if recover() != nil {
			quick = false // the check says what is wrong
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

// apply checks a value of which the cost is known.
func (s *Schema) apply(value any) (err error) {
	defer recovered(&err)
	return violations(s.impl.Validate(value))
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
