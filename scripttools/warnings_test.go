package scripttools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestRulesOfOtherFormsAreWarnedOf: a rule as other programs write it would match one word.
func TestRulesOfOtherFormsAreWarnedOf(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"bash(git status:*)":   "write bash(git status *)",
		"bash(git log*)":       "write bash(git log *)",
		"bash(npm run test:*)": "write bash(npm run test *)",
		"bash(git log *)":      "",
		"bash(ls src/*)":       "",
		"bash(go test ./*)":    "",
		"bash(wc --lines=*)":   "",
		"bash(npm run test*)":  "",
		"bash":                 "",
	} {
		catalog, _, err := loadFiles(t, map[string]string{"tools/a.js": tool("description: d", `allowed_tools: ["`+rule+`"]`)})
		if err != nil {
			t.Fatal(err)
		}
		for spec := range catalog.All() {
			got := ""
			for _, warning := range spec.Warnings() {
				got += warning.Error()
			}
			if want == "" && got != "" || !strings.Contains(got, want) || want != "" && !strings.Contains(got, "tools/a.js:4:") {
				t.Errorf("%s: %q, want %q", rule, got, want)
			}
		}
	}
}

// TestWhatClientsCutIsWarnedOf: long names and descriptions, and names that differ in a dash.
func TestWhatClientsCutIsWarnedOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 48)
	for name, c := range map[string]struct{ header, want string }{
		"a name":      {"name: " + long + "\ndescription: d", "some clients take no name of 48 characters"},
		"a sentence":  {"description: " + strings.Repeat("word ", 40) + "ends. And more.", "the first sentence of the description has 205 characters"},
		"a text":      {"description: Short. " + strings.Repeat("word ", 500), "the description has 2506 characters"},
		"none":        {"description: Short. " + strings.Repeat("word ", 300), ""},
		"none either": {"name: " + long[1:] + "\ndescription: " + strings.Repeat("w", 160), ""},
	} {
		catalog, _, err := loadFiles(t, map[string]string{"tools/a.js": tool(strings.Split(c.header, "\n")...)})
		if err != nil {
			t.Fatal(err)
		}
		for spec := range catalog.All() {
			got := ""
			for _, warning := range spec.Warnings() {
				got += warning.Error()
			}
			if !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	}
	catalog, _, err := loadFiles(t, map[string]string{
		"tools/a.js": tool("name: a-b", "description: d"), "tools/b.js": tool("name: a_b", "description: d"), "tools/c.js": tool("name: ab", "description: d"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := scripttools.Alike(slices.Collect(catalog.All())); len(got) != 1 || !strings.Contains(got[0].Error(), "a_b and a-b of") {
		t.Errorf("%v", got)
	}
}

// TestSchemasThatNoInputsMeetAreRefused, at their places: defaults that break them, and names
// that are required and not allowed. Inputs that a run has to give are no defaults.
func TestSchemasThatNoInputsMeetAreRefused(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{properties: {n: {type: integer, default: x}}}`:                                                                                "the default of \"n\" breaks the schema",
		`{properties: {a: {type: array, items: {type: string}, default: [1]}}}`:                                                         "the default of \"a\" breaks the schema",
		`{properties: {n: {type: integer, default: 1}, m: {type: string}}, required: [m]}`:                                              "",
		`{properties: {o: {properties: {n: {type: integer, default: 1}}, required: [p]}}}`:                                              "",
		`{properties: {mark: {type: string}}, required: [marc], additionalProperties: false}`:                                           `"marc" is required and not among the properties`,
		`{additionalProperties: false, required: [m]}`:                                                                                  `"m" is required and not among the properties`,
		`{properties: {o: {type: array, items: {properties: {a: {}}, required: [a, b], additionalProperties: false}}}}`:                 `"b" is required and not among the properties`,
		`{properties: {a: {}}, required: [a, b], patternProperties: {b: {}}, additionalProperties: false}`:                              "",
		`{properties: {a: {}}, required: [a], additionalProperties: false}`:                                                             "",
		`{properties: {a: {}}, required: [b]}`:                                                                                          "",
		`{allOf: [{properties: {a: {}}, required: [b], additionalProperties: false}]}`:                                                  `"b" is required and not among the properties`,
		`{properties: {b: {}}, required: [b], allOf: [{properties: {a: {}}, additionalProperties: false}]}`:                             `"b" is required and not among the properties`,
		`{$ref: "#/$defs/x", required: [b], $defs: {x: {properties: {a: {}}, additionalProperties: false}}}`:                            `"b" is required and not among the properties`,
		`{properties: {o: {$ref: "#/$defs/x"}}, $defs: {x: {properties: {name: {}}, required: [nam], additionalProperties: false}}}`:    "did you mean name?",
		`{properties: {a: {}}, required: [b], unevaluatedProperties: false}`:                                                            `"b" is required and not among the properties, and unevaluatedProperties`,
		`{properties: {a: {}}, required: [b], unevaluatedProperties: false, allOf: [{properties: {b: {}}}]}`:                            "",
		`{properties: {a: {}}, required: [b], unevaluatedProperties: false, anyOf: [{properties: {b: {}}}, {}]}`:                        "",
		`{required: [b], unevaluatedProperties: false, $ref: "#/$defs/x", $defs: {x: {properties: {b: {}}}}}`:                           "",
		`{properties: {a: {}}, required: [b], propertyNames: {enum: [a, c]}}`:                                                           `"b" is required and not among propertyNames`,
		`{properties: {a: {}, b: false}, required: [b]}`:                                                                                `"b" is required and false among the properties`,
		`{properties: {a: {}}, not: {required: [b], additionalProperties: false}}`:                                                      "",
		`{properties: {a: {anyOf: [{properties: {x: {}}, required: [y], additionalProperties: false}, {type: string}]}}}`:               `"y" is required and not among the properties`,
		`{$ref: "#/$defs/x", $defs: {x: {properties: {next: {$ref: "#/$defs/x"}, v: {}}, required: [v], additionalProperties: false}}}`: "",
		`{properties: {e: {enum: [a, b], default: c}}}`:                                                                                 "the default of \"e\" breaks the schema",
	} {
		problems := ""
		if _, _, err := loadFiles(t, map[string]string{"tools/a.js": tool("description: d", "input_schema: "+schema)}); err != nil {
			problems = err.Error()
		}
		if want == "" && problems != "" || !strings.Contains(problems, want) || want != "" && !strings.Contains(problems, "tools/a.js:4:") {
			t.Errorf("%s: %q, want %q", schema, problems, want)
		}
	}
}

// TestMisspeltKeywordsOfSchemasAreRefused, at any depth; names of properties and words of one's own are none.
func TestMisspeltKeywordsOfSchemasAreRefused(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{type: object, requird: [a]}`:                                                            `"requird" is no keyword of JSON Schema, and would be ignored`,
		`{properties: {n: {type: integer, minimun: 5}}}`:                                          `did you mean minimum?`,
		`{properties: {s: {type: string, minLenght: 3}}}`:                                         `did you mean minLength?`,
		`{properties: {l: {type: array, items: {patern: x}}}}`:                                    `did you mean pattern?`,
		`{properties: {l: {anyOf: [{type: string}, {typ: string}]}}}`:                             `did you mean type?`,
		`{$defs: {x: {propertes: {}}}}`:                                                           `did you mean properties?`,
		`{properties: {requird: {type: string, default: {minimun: 1}}, patern: {}}}`:              "",
		`{properties: {a: {x-ui: big, example: 1, nullable: true, enum: [{patern: x}]}}, foo: 1}`: "",
	} {
		for _, key := range []string{"input_schema", "output_schema"} {
			problems := ""
			if _, _, err := loadFiles(t, map[string]string{"tools/a.js": tool("description: d", key+": "+schema)}); err != nil {
				problems = err.Error()
			}
			if want == "" && strings.Contains(problems, "keyword") || !strings.Contains(problems, want) || want != "" && !strings.Contains(problems, "tools/a.js:4:") {
				t.Errorf("%s: %q, want %q", schema, problems, want)
			}
		}
	}
}
