package scripttools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

const inputSchema = `input_schema:
  type: object
  required: [path]
  additionalProperties: false
  properties:
    path: {type: string}
    depth: {type: integer, default: 3, minimum: 1}
    options: {type: object, default: {}, properties: {deep: {type: boolean, default: true}}}`

func loadOne(t *testing.T, lines ...string) (*scripttools.Catalog, *scripttools.ScriptToolSpec) {
	t.Helper()
	catalog, _, err := loadFiles(t, map[string]string{"tools/a.js": tool(append([]string{"description: d"}, lines...)...)})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := catalog.Spec("a")
	if err != nil {
		t.Fatal(err)
	}
	return catalog, spec
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	catalog, _, err := loadFiles(t, map[string]string{
		"tools/z.js": tool("name: aa-tool", "description: d"), "tools/a.js": tool("name: zz-tool", "description: d"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for spec := range catalog.All() {
		names = append(names, spec.Name)
	}
	if diff := cmp.Diff([]string{"aa-tool", "zz-tool"}, names); diff != "" || catalog.Len() != 2 {
		t.Errorf("length %d, %s", catalog.Len(), diff)
	}
	for range catalog.All() {
		break // stopping early must not panic
	}
	_, err = catalog.Spec("aa_tool")
	var unknown *scripttools.UnknownToolError
	if !errors.As(err, &unknown) || unknown.Nearest != "aa-tool" || len(unknown.Offered) != 2 {
		t.Errorf("got %v", err)
	}
	if _, err := catalog.Spec("something-else"); err == nil || !strings.Contains(err.Error(), "there are aa-tool, zz-tool") {
		t.Errorf("got %v", err)
	}
	var empty scripttools.Catalog
	if _, err := empty.Spec("x"); err == nil || !strings.Contains(err.Error(), "the catalog is empty") {
		t.Errorf("got %v", err)
	}
	if report := empty.Run(t.Context(), "x", nil); fmt.Sprint(report.Outcome) != "invalid_input" || !errors.As(report.Err(), &unknown) {
		t.Errorf("outcome %v, error %v", report.Outcome, report.Err())
	}
}

func TestRunInputs(t *testing.T) {
	t.Parallel()
	catalog, _ := loadOne(t, inputSchema)
	type mine struct {
		Deep bool `json:"deep"`
	}
	for _, c := range []struct {
		name   string
		inputs scripttools.Inputs
		want   string   // the inputs that the script sees
		paths  []string // else the violations
	}{
		{"defaults are applied, nested ones too", scripttools.Inputs{"path": "x"}, `{"path":"x","depth":3,"options":{"deep":true}}`, nil},
		{"what is given wins", scripttools.Inputs{"path": "x", "depth": 5, "options": mine{}}, `{"path":"x","depth":5,"options":{"deep":false}}`, nil},
		{"1b-25 none is an empty object", nil, "", []string{""}},
		{"every violation is told", scripttools.Inputs{"path": 5, "depth": 0, "more": 1}, "", []string{"", "/depth", "/path"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := catalog.Run(t.Context(), "a", c.inputs)
			if c.paths == nil {
				if report.Err() != nil {
					t.Fatal(report.Err())
				}
				var got, want any
				if err := errors.Join(json.Unmarshal(report.Value, &got), json.Unmarshal([]byte(c.want), &want)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				return
			}
			if fmt.Sprint(report.Outcome) != "invalid_input" {
				t.Errorf("outcome %v", report.Outcome)
			}
			var bad *scripttools.InputError
			if !errors.As(report.Err(), &bad) {
				t.Fatalf("got error %v", report.Err())
			}
			var paths []string
			for _, v := range bad.Violations {
				paths = append(paths, v.Path)
			}
			if diff := cmp.Diff(c.paths, paths); diff != "" {
				t.Errorf("%v: %s", bad, diff)
			}
		})
	}
	report := catalog.Run(t.Context(), "a", scripttools.Inputs{"path": math.NaN()})
	if fmt.Sprint(report.Outcome) != "invalid_input" {
		t.Errorf("inputs that do not encode: outcome %v", report.Outcome)
	}
}

func TestNoInputsIsAnEmptyObject(t *testing.T) {
	t.Parallel()
	catalog, _ := loadOne(t)
	report := catalog.Run(t.Context(), "a", nil)
	if report.Err() != nil || string(report.Value) != "{}" {
		t.Errorf("value %s, error %v", report.Value, report.Err())
	}
}

func TestRunSpecInputs(t *testing.T) {
	t.Parallel()
	_, spec := loadOne(t)
	runner := newRunner(t)
	_, own := loadFilesWith(t, runner)
	for _, c := range []struct{ inputs, want string }{
		{"", ""}, {" \n", ""}, {"{}", ""}, {` {"a": 1} `, ""},
		{"[]", "JSON object"}, {"null", "JSON object"}, {"5", "JSON object"}, {"{", "not JSON"}, {"{} x", "not JSON"}, {"a=b", "not JSON"},
	} {
		report := scripttools.RunSpec(t.Context(), runner, own, json.RawMessage(c.inputs), scripttools.RunOptions{})
		if c.want == "" {
			if report.Err() != nil {
				t.Errorf("%q: %v", c.inputs, report.Err())
			}
			continue
		}
		if err := report.Err(); err == nil || !strings.Contains(err.Error(), c.want) || fmt.Sprint(report.Outcome) != "invalid_input" {
			t.Errorf("%q: outcome %v, error %v", c.inputs, report.Outcome, err)
		}
	}
	for _, report := range []*runtime.Report{
		scripttools.RunSpec(t.Context(), nil, spec, nil, scripttools.RunOptions{}),
		scripttools.RunSpec(t.Context(), runner, nil, nil, scripttools.RunOptions{}),
		scripttools.RunSpec(t.Context(), runner, &scripttools.ScriptToolSpec{}, nil, scripttools.RunOptions{}),
	} {
		if report.Err() == nil {
			t.Error("it ran without a runner or a program")
		}
	}
}

func loadFilesWith(t *testing.T, runner *runtime.Runner) (*scripttools.Catalog, *scripttools.ScriptToolSpec) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{"tools/a.js": tool("description: d", "allowed_tools: [grep]", "limits: {timeoutMs: 5000}")})
	catalog, err := scripttools.LoadDir(t.Context(), runner, dir+"/tools")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := catalog.Spec("a")
	if err != nil {
		t.Fatal(err)
	}
	return catalog, spec
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	_, spec := loadOne(t, inputSchema, "output_schema: {type: object}", `allowed_tools: [grep, "bash(git log *)"]`, "limits: {timeoutMs: 1500}")
	got := spec.Describe()
	if diff := cmp.Diff([]string{"grep", "bash(git log *)"}, got.AllowedTools); diff != "" {
		t.Error(diff)
	}
	if got.Limits.TimeoutMS != 1500 || got.Limits.MaxToolCalls != 20 || got.SHA256 != spec.Digest || got.Source != "" {
		t.Errorf("got %+v", got)
	}
	if _, err := schema.Compile(got.InputSchema); err != nil {
		t.Error(err)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(encoded, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "description", "input_schema", "output_schema", "allowed_tools", "limits", "path", "sha256"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("there is no key %s in %s", key, encoded)
		}
	}
	_, bare := loadOne(t)
	if got := bare.Describe(); string(got.InputSchema) != `{"type":"object"}` || got.OutputSchema != nil || got.AllowedTools == nil {
		t.Errorf("got %+v", got)
	}
}

// What a caller adds to a run lowers limits and never raises them.
func TestRunOptionsNarrow(t *testing.T) {
	t.Parallel()
	runner := newRunner(t)
	_, spec := loadFilesWith(t, runner)
	for _, c := range []struct{ ask, want time.Duration }{{0, 5 * time.Second}, {4 * time.Second, 4 * time.Second}, {time.Minute, 5 * time.Second}} {
		report := scripttools.RunSpec(t.Context(), runner, spec, nil, scripttools.RunOptions{
			Limits: runtime.Limits{Timeout: c.ask}, Policies: []hostapi.Policy{hostapi.AllowList{}},
		})
		if report.Err() != nil || report.Limits.Timeout != c.want {
			t.Errorf("asked for %v: got %v, error %v", c.ask, report.Limits.Timeout, report.Err())
		}
	}
}
