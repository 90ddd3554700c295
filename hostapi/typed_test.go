package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

type city struct {
	Name string   `json:"name" jsonschema:"what it is called"`
	Days int      `json:"days,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

type weather struct {
	City    string `json:"city"`
	Degrees int    `json:"degrees"`
}

// TestTyped: the schema comes from the types and is kept, and what comes back is data.
func TestTyped(t *testing.T) {
	t.Parallel()
	tool := hostapi.Typed("weather", "the weather of a city", func(_ context.Context, in city) (weather, error) {
		if in.Name == "Atlantis" {
			return weather{}, errors.New("there is no Atlantis")
		}
		return weather{City: in.Name, Degrees: 20 + in.Days}, nil
	})
	tool.About.Effect = hostapi.EffectNetwork
	hosttest.TestTool(t, tool, `{"name":"Rome"}`)
	var schema struct {
		Required   []string
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(tool.About.Input, &schema); err != nil || !cmp.Equal(schema.Required, []string{"name"}) || schema.Properties["name"].Description != "what it is called" {
		t.Errorf("%v: %s", err, tool.About.Input)
	}
	gate := hosttest.Gate(t, hostapi.Quota{}, tool)
	r, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "weather", Args: json.RawMessage(`{"name":"Rome","days":3}`)})
	if want := `{"city":"Rome","degrees":23}`; err != nil || string(r.Data) != want || r.Output != want {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = gate.Invoke(t.Context(), hostapi.Call{Tool: "weather", Args: json.RawMessage(`{"name":"Atlantis"}`)})
	if err != nil || r.Outcome != hostapi.OutcomeFailed || !r.Throws || r.Output != "there is no Atlantis" {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, args := range []string{`{}`, `{"name":1}`, `{"name":"Rome","town":1}`, `{"name":"Rome","days":1.5}`, `[]`} {
		if _, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "weather", Args: json.RawMessage(args)}); !errors.Is(err, hostapi.ErrInvalidArgs) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestTypedResults: what becomes of values that are no structs.
func TestTypedResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool         *hostapi.Func
		output, data string
	}{
		"a string": {hostapi.Typed("t", "t", func(context.Context, struct{}) (string, error) { return "hi", nil }), "hi", `"hi"`},
		"a result": {hostapi.Typed("t", "t", func(context.Context, struct{}) (hostapi.Result, error) { return hostapi.Succeed("as it is"), nil }), "as it is", ""},
		"nil":      {hostapi.Typed("t", "t", func(context.Context, struct{}) (*weather, error) { return nil, nil }), "null", "null"},
		"no JSON":  {hostapi.Typed("t", "t", func(context.Context, struct{}) (any, error) { return func() {}, nil }), "the tool's data is not JSON: json: unsupported type: func()", ""},
		"the call": {hostapi.Typed("t", "t", func(ctx context.Context, _ struct{}) (string, error) {
			call, ok := hostapi.CallFrom(ctx)
			if _, err := call.Invoke(ctx, "none", nil); !ok || !errors.Is(err, hostapi.ErrDenied) {
				return "", fmt.Errorf("no call: %w", err)
			}
			return call.Tool, nil
		}), "t", `"t"`},
	} {
		if r := hosttest.Call(t, c.tool, "{}"); r.Output != c.output || string(r.Data) != c.data {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if _, ok := hostapi.CallFrom(t.Context()); ok {
		t.Error("a call came from nowhere")
	}
}

// TestTypedRefusesWhatHasNoSchema: when it is registered.
func TestTypedRefusesWhatHasNoSchema(t *testing.T) {
	t.Parallel()
	type list struct{ Next *list }
	for says, tool := range map[string]*hostapi.Func{
		"expected a struct":  hostapi.Typed("t", "t", func(context.Context, string) (string, error) { return "", nil }),
		"chan":               hostapi.Typed("t", "t", func(context.Context, struct{ C chan int }) (string, error) { return "", nil }),
		"cycle":              hostapi.Typed("t", "t", func(context.Context, list) (string, error) { return "", nil }),
		"it has no function": hostapi.Typed[struct{}, string]("t", "t", nil),
	} {
		if _, err := hostapi.NewRegistry(tool); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := hostapi.NewRegistry(&hostapi.Func{ToolName: "t"}); err == nil {
		t.Error("a tool without a function was registered")
	}
}
