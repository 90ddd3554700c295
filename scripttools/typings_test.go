package scripttools_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/web"
	"github.com/scriptrun/scriptrun/scripttools"
)

func typings(t *testing.T, tools ...hostapi.Tool) string {
	t.Helper()
	registry, err := hostapi.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return scripttools.Typings(registry, new(scripttools.Catalog).All())
}

// TestTypingsOfSchemas: what a schema becomes.
func TestTypingsOfSchemas(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type": "object"}`: "{ [key: string]: any }",
		`{"type": "object", "additionalProperties": false}`:                                                   "{ [key: string]: never }",
		`{"type": "object", "additionalProperties": {"type": "string"}}`:                                      "{ [key: string]: string }",
		`{"properties": {"a": {"type": "integer"}}}`:                                                          "{ a?: number; }",
		`{"properties": {"a-b": {"const": "x"}}, "required": ["a-b"]}`:                                        `{ "a-b": "x"; }`,
		`{"properties": {"a": {"enum": [1, "x", null, true]}}}`:                                               `{ a?: 1 | "x" | null | true; }`,
		`{"properties": {"a": {"type": ["string", "null"]}}, "additionalProperties": true}`:                   "{ a?: string | null; [key: string]: any; }",
		`{"properties": {"a": {"type": "array", "items": {"enum": [1, 2]}}}}`:                                 "{ a?: (1 | 2)[]; }",
		`{"properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}], "items": false}}}`:       "{ a?: [string]; }",
		`{"properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}]}}}`:                       "{ a?: [string, ...any[]]; }",
		`{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}, "b": {"type": "array"}}}`:  "{ a?: string | number; b?: any[]; }",
		`{"properties": {"a": {"allOf": [{"type": "string"}, {"enum": ["x", "y"]}]}}}`:                        `{ a?: (string) & ("x" | "y"); }`,
		`{"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "boolean"}}}`:                   "{ a?: boolean; }",
		`{"properties": {"a": false, "b": true, "c": {}}}`:                                                    "{ a?: never; b?: any; c?: any; }",
		`{"properties": {"a": {"description": "ends */ here,\n and goes on", "type": "string"}}}`:             `{ /** ends *\/ here, and goes on */ a?: string; }`,
		`{"properties": {"a": {"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"]}}}`: "{ a?: { b: null; }; }",
	} {
		text := typings(t, &hosttest.Fake{ToolName: "x", About: hostapi.Description{Input: []byte(schema)}})
		_, text, _ = strings.Cut(text, "\n  x: ")
		text, _, _ = strings.Cut(text, ";\n}\n")
		if got := strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("%s: %s\nwant: %s", schema, got, want)
		}
	}
	for _, times := range []int{1, 10} {
		var again []string
		for i := range times {
			again = append(again, fmt.Sprintf(`"a%d": {"$ref": "#"}`, i))
		}
		schema := `{"properties": {` + strings.Join(again, ", ") + `}}`
		deep := typings(t, &hosttest.Fake{ToolName: "x", About: hostapi.Description{Input: []byte(schema)}})
		if n := len(deep); n > 64<<10 {
			t.Errorf("a schema that refers to itself %d times takes %d bytes", times, n)
		}
	}
}

// TestTypesRepeatLittleOfASchema, however often it refers to large values, names and descriptions.
func TestTypesRepeatLittleOfASchema(t *testing.T) {
	t.Parallel()
	const size, times = 20_000, 900
	large := strings.Repeat("x", size)
	for _, repeated := range []string{
		`{"const": "` + large + `"}`, `{"enum": ["` + large + `", 1]}`, `{"properties": {"` + large + `": {}}}`, `{"properties": {"a": {"description": "` + large + `"}}}`,
	} {
		var again []string
		for i := range times {
			again = append(again, fmt.Sprintf(`"a%d": {"$ref": "#/$defs/c"}`, i))
		}
		schema := `{"properties": {` + strings.Join(again, ", ") + `}, "$defs": {"c": ` + repeated + `}}`
		text := typings(t, &hosttest.Fake{ToolName: "x", About: hostapi.Description{Input: []byte(schema)}})
		if n := len(text); n > 512<<10 {
			t.Errorf("%.30s: %d bytes", repeated, n)
		}
	}
}

// TestTypingsKnowTheData of the tools that come with scriptrun: every name that a tool says of
// its data is in the types.
func TestTypingsKnowTheData(t *testing.T) {
	t.Parallel()
	workspace, err := files.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer workspace.Close()
	tools := append(workspace.Tools(), &shell.Tool{Dir: t.TempDir()}, &web.Fetch{})
	text := typings(t, tools...)
	names := regexp.MustCompile(`\{([\w, ]+)\}`)
	known := 0
	for _, tool := range tools {
		d, _ := hostapi.As[hostapi.Describer](tool)
		about := d.Describe()
		if slices.Contains([]string{"search", "read", "json", "yaml"}, tool.Name()) { // of any shape
			continue
		}
		for _, m := range names.FindAllStringSubmatch(about.Data, -1) {
			for name := range strings.SplitSeq(m[1], ", ") {
				known++
				if !regexp.MustCompile(`\b` + name + `\??: `).MatchString(text) {
					t.Errorf("%s gives %s, which the types do not have", tool.Name(), name)
				}
			}
		}
	}
	if known < 15 {
		t.Errorf("only %d names were found", known)
	}
}
