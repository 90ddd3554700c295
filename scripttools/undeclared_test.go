package scripttools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// An open schema takes keys that it does not declare; whoever misspelt one is told.
func TestInputsThatAreNotDeclaredAreNoted(t *testing.T) {
	t.Parallel()
	const declared = `input_schema:
  type: object
  properties:
    path: {type: string}
    top: {type: integer, default: 3}
    marks: {type: object, properties: {before: {type: string}}}
    free: {type: object}
    rules: {type: array, items: {$ref: "#/$defs/rule"}}
  $defs:
    rule: {type: object, properties: {name: {type: string}}}`
	for _, c := range []struct {
		name, schema, inputs string
		want                 []string
	}{
		{"misspelt", declared, `{"paht": "x"}`, []string{`note: the tool declares no input "paht"; did you mean "path"?`}},
		{"like none", declared, `{"colour": 1}`, []string{`note: the tool declares no input "colour"; it declares free, marks, path, rules, top`}},
		{"a part", declared, `{"marks": {"befor": "x"}}`, []string{`note: the tool declares no input "marks.befor"; did you mean "marks.before"?`}},
		{
			"in elements, once", declared, `{"rules": [{"name": "a"}, {"nam": "b"}, {"nam": "c"}]}`,
			[]string{`note: the tool declares no input "rules[1].nam"; did you mean "rules[1].name"?`},
		},
		{"declared", declared, `{"path": "x", "top": 2, "marks": {"before": "x"}, "free": {"a": {"b": 1}}, "rules": [{"name": "a"}]}`, nil},
		{"nothing is declared", "input_schema: {type: object}", `{"a": 1}`, nil},
		{"no schema", "limits: {}", `{"a": 1}`, nil},
		{"more is declared to come", "input_schema: {type: object, properties: {a: {type: string}}, additionalProperties: true}", `{"b": 1}`, nil},
		{"declared elsewhere", "input_schema: {type: object, properties: {a: {}}, anyOf: [{properties: {b: {}}}, {required: [a]}]}", `{"b": 1}`, nil},
		{
			"many", "input_schema: {type: object, properties: {a: {}}}", `{"b0":0,"b1":0,"b2":0,"b3":0,"b4":0,"b5":0,"b6":0,"b7":0,"b8":0,"b9":0,"c":0}`,
			append(strings.Split(strings.TrimSuffix(strings.Repeat("…,", 10), ","), ","), `note: there are more inputs that the tool does not declare`),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			catalog, _ := loadOne(t, strings.Split(c.schema, "\n")...)
			report := catalog.Run(t.Context(), "a", inputsOf(t, c.inputs))
			got := report.NoteLines()
			for i := range min(len(got), len(c.want)) {
				if c.want[i] == "…" {
					got[i] = "…"
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" || report.Outcome != runtime.OutcomeOK {
				t.Errorf("%s: %s", report.Outcome, diff)
			}
			if slices.ContainsFunc(report.Notes, func(n runtime.Note) bool { return n.Code != runtime.NoteUndeclared }) {
				t.Errorf("%v", report.Notes)
			}
		})
	}
}

// An input of any size and depth is looked at in bounded time.
func TestNotesOfInputsAreBounded(t *testing.T) {
	t.Parallel()
	catalog, _ := loadOne(t, "input_schema: {type: object, properties: {child: {$ref: '#'}, list: {type: array, items: {$ref: '#'}}}}")
	deep := strings.Repeat(`{"child":`, 500) + `{"x":1}` + strings.Repeat(`}`, 500)
	report := catalog.Run(t.Context(), "a", inputsOf(t, deep))
	if len(report.Notes) != 0 {
		t.Errorf("%v", report.NoteLines())
	}
	long := `{"list":[` + strings.Repeat(`{},`, 2000) + `{"x":1}]}`
	report = catalog.Run(t.Context(), "a", inputsOf(t, long))
	if len(report.Notes) != 0 {
		t.Errorf("%v", report.NoteLines())
	}
	key := strings.Repeat("k", 50_000)
	catalog, _ = loadOne(t, `input_schema: {type: object, properties: {"`+key+`": {}}}`)
	began := time.Now()
	report = catalog.Run(t.Context(), "a", scripttools.Inputs{key + "l": 1})
	if took := time.Since(began); len(report.Notes) != 1 || len(report.Notes[0].Text) > 700 || took > time.Minute {
		t.Errorf("%d notes after %v", len(report.Notes), took)
	}
}

func inputsOf(t *testing.T, text string) (inputs scripttools.Inputs) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &inputs); err != nil {
		t.Fatal(err)
	}
	return inputs
}
