package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/wholes"
	"github.com/scriptrun/scriptrun/hostapi/yamlbound"
)

// The most of a file that is read as data, and of what its aliases make of it,
// in bytes; and how deep it may be nested.
const (
	maxStructured = 4 << 20
	maxYAML       = 2 << 20
	maxAliased    = 8 << 20
	maxNesting    = 500
)

// mostLost is how many numbers that data does not have are told.
const mostLost = 3

// yamlBounds keep the parser, which cannot be ended, within a few seconds.
var yamlBounds = yamlbound.Bounds{Tokens: 300_000, Depth: maxNesting, Keys: 10_000, Paths: 64 << 20, Empty: 10_000}

const structuredSchema = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
		"path":{"type":"string","minLength":1,"description":"the file"}}}`

var jsonDef = &definition{
	name:   "json",
	data:   `the value`,
	effect: hostapi.EffectRead, paths: ofFile, schema: structuredSchema,
	summary: "Reads a JSON file; data is its value.",
	do: func(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
		return structured(ctx, w, args, maxStructured, 1, func(raw []byte) (json.RawMessage, string, error) {
			return raw, "", checkJSON(raw)
		})
	},
}

var yamlDef = &definition{
	name:   "yaml",
	data:   `the value of the first document, with the keys of each map sorted`,
	effect: hostapi.EffectRead, paths: ofFile, schema: structuredSchema,
	summary: "Reads a YAML file; data is the value of its first document.",
	do: func(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
		return structured(ctx, w, args, maxYAML, costOfYAML, func(raw []byte) (json.RawMessage, string, error) { return yamlToJSON(ctx, raw) })
	},
}

// costOfYAML is how many bytes a parser takes for each of a file, and more.
const costOfYAML = 16

// structured reads a file with read, which gives its value and what is to be noted. For each
// byte of the file it takes cost bytes.
func structured(
	ctx context.Context, w *Workspace, args *plan, most, cost int64, read func([]byte) (json.RawMessage, string, error),
) (hostapi.Result, error) {
	in, name, err := w.parent(args.at[0].rel)
	if err != nil {
		return hostapi.Result{}, plain(args.at[0].rel, err)
	}
	defer in.close()
	raw, _, err := readOnce(in, name, args.at[0].rel, most, func(size int64) error {
		_, err := hostapi.Turn(ctx, cost*size)
		return err
	})
	if err != nil {
		return hostapi.Result{}, err
	}
	data, note, err := read(bytes.TrimPrefix(raw, []byte("\ufeff")))
	if err != nil {
		return hostapi.Result{}, fmt.Errorf("%s: %w", shown(args.Path), err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return hostapi.Result{}, fmt.Errorf("%s: %w", shown(args.Path), err)
	}
	result := hostapi.Succeed(compact.String())
	result.Data = compact.Bytes()
	if !utf8.Valid(raw) {
		result.Notes = append(result.Notes, fmt.Sprintf("%s is not UTF-8: U+FFFD stands for bytes of it", shown(args.Path)))
	}
	if note != "" {
		result.Notes = append(result.Notes, shown(args.Path)+" "+note)
	}
	for _, lost := range wholes.LostIn(result.Data, mostLost) {
		result.Notes = append(result.Notes, fmt.Sprintf("%s has %.40s, which JavaScript has no number for: data has %.40s, and output has it as it is", shown(args.Path), lost.Text, lost.Becomes))
	}
	return result, nil
}

// checkJSON says where a text stops being JSON.
func checkJSON(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	depth, values := 0, 0
	lineHere := func() int { return 1 + bytes.Count(raw[:min(int(decoder.InputOffset()), len(raw))], []byte("\n")) }
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		var large *json.UnmarshalTypeError
		if errors.As(err, &large) { // the one that a token can have
			return fmt.Errorf("line %d: the %s is beyond the numbers of JavaScript, which end at 1.8e308; write it as a string", lineHere(), large.Value)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", lineHere(), err)
		}
		if depth == 0 {
			if values++; values > 1 {
				return fmt.Errorf("line %d: another value begins; expected one. If each line is a value, read the lines and parse each", lineHere())
			}
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > maxNesting {
				return fmt.Errorf("it is nested deeper than %d", maxNesting)
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	switch {
	case values == 0:
		return errors.New("it holds no JSON value")
	case !json.Valid(raw):
		return errors.New("its JSON value does not end")
	}
	return nil
}

// yamlToJSON looks at the context between its steps: none can be ended.
func yamlToJSON(ctx context.Context, raw []byte) (value json.RawMessage, note string, err error) {
	if err := checkNesting(raw); err != nil {
		return nil, "", err
	}
	tokens := lexer.Tokenize(string(raw))
	if at, what := yamlBounds.Exceeded(tokens); what != "" {
		return nil, "", fmt.Errorf("line %d: it has too many of %s from there on: %d tokens and %d keys in one map are the most; split it, or write long maps as JSON",
			at.Position.Line, what, yamlBounds.Tokens, yamlBounds.Keys)
	}
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, "", errors.New(yaml.FormatError(err, false, false))
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return json.RawMessage("null"), "", nil
	}
	body := file.Docs[0].Body
	if err := checkAliases(body); err != nil {
		return nil, "", err
	}
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if len(file.Docs) > 1 {
		note = fmt.Sprintf("holds %d documents; data is the first", len(file.Docs))
	}
	var decoded any
	if err := yaml.NodeToValue(body, &decoded); err != nil {
		return nil, "", errors.New(yaml.FormatError(err, false, false))
	}
	value, err = json.Marshal(jsonable(decoded))
	return value, note, err
}

// checkNesting bounds brackets and indentation before the parser recurses.
func checkNesting(raw []byte) error {
	brackets, most := 0, 0
	for line := range bytes.Lines(raw) {
		indent := len(line) - len(bytes.TrimLeft(line, " -"))
		most = max(most, indent/2)
		for _, c := range line {
			switch c {
			case '[', '{':
				brackets++
			case ']', '}':
				brackets = max(brackets-1, 0)
			}
			most = max(most, brackets)
		}
	}
	if most > maxNesting {
		return fmt.Errorf("it is nested deeper than %d", maxNesting)
	}
	return nil
}

// checkAliases refuses aliases that would make much of little.
func checkAliases(body ast.Node) error {
	v := &aliases{sizes: map[string]int{}}
	ast.Walk(v, body)
	if v.named > maxAliased {
		return fmt.Errorf("what its anchors name is more than %d bytes, counting anchors within anchors; name less", maxAliased)
	}
	if v.nested {
		return errors.New("an alias stands within what another names; write it out")
	}
	if v.total > maxAliased {
		return fmt.Errorf("its aliases stand for more than %d bytes; write out what is needed", maxAliased)
	}
	return nil
}

// aliases adds up what aliases stand for.
type aliases struct {
	sizes  map[string]int
	named  int // bytes that anchors name
	total  int
	nested bool
}

// Visit implements [ast.Visitor].
func (v *aliases) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.AnchorNode:
		text := n.Value.String()
		if v.named += len(text); v.named > maxAliased {
			return nil
		}
		v.sizes[n.Name.String()] = len(text)
		inner := &aliasFinder{}
		ast.Walk(inner, n.Value)
		v.nested = v.nested || inner.found
	case *ast.AliasNode:
		v.total += v.sizes[n.Value.String()] + 1
	}
	return v
}

type aliasFinder struct{ found bool }

// Visit implements [ast.Visitor].
func (f *aliasFinder) Visit(node ast.Node) ast.Visitor {
	if _, ok := node.(*ast.AliasNode); ok {
		f.found = true
	}
	return f
}

// jsonable is a value with maps as JSON has them: their keys are text.
func jsonable(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = jsonable(inner)
		}
	case map[any]any:
		out := map[string]any{}
		for key, inner := range value {
			out[fmt.Sprint(key)] = jsonable(inner)
		}
		return out
	case []any:
		for i, inner := range value {
			value[i] = jsonable(inner)
		}
	case float64:
		if value != value || value > 1.7976931348623157e308 || value < -1.7976931348623157e308 {
			return fmt.Sprint(value) // JSON has no such numbers
		}
	}
	return value
}
