package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Typed makes a tool of a Go function. In must be a struct. The tool's schema comes
// from its fields and their json tags; jsonschema tags are the descriptions, and a
// field without omitempty or omitzero is required. See
// [github.com/google/jsonschema-go/jsonschema.For].
//
// What the function returns becomes the result's Data, as JSON, and its Output: a
// string as it is, anything else as that JSON. An Out of type [Result] is the result
// itself. An error rejects the script's call with the error's text. The function gets
// its call from [CallFrom].
//
// The tool's effect is unknown; set it in the field About. A type without a schema,
// such as one with a channel, is an error when the tool is registered.
func Typed[In, Out any](name, summary string, do func(context.Context, In) (Out, error)) *Func {
	f := &Func{ToolName: name, About: Description{Summary: summary}}
	f.About.Input, f.invalid = schemaOf[In]()
	if do == nil {
		return f
	}
	f.Do = func(ctx context.Context, call Call) (Result, error) {
		var in In
		if len(call.Args) > 0 {
			if err := json.Unmarshal(call.Args, &in); err != nil {
				return Result{}, fmt.Errorf("arguments of tool %q: %w", name, err)
			}
		}
		out, err := do(context.WithValue(ctx, callKey{}, call), in)
		switch {
		case err != nil && ctx.Err() != nil:
			return Result{}, err
		case err != nil:
			failed := Fail(err.Error())
			failed.Throws = true
			return failed, nil
		}
		return typedResult(out), nil
	}
	return f
}

func typedResult(out any) Result {
	switch out := out.(type) {
	case Result:
		return out
	case string:
		return Succeed(out).WithData(out)
	}
	result := Succeed("").WithData(out)
	if result.Outcome == OutcomeOK {
		result.Output = string(result.Data)
	}
	return result
}

func schemaOf[In any]() (json.RawMessage, error) {
	if t := reflect.TypeFor[In](); t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("expected a struct of arguments, not %s", t)
	}
	made, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(made)
}

type callKey struct{}

// CallFrom is the call of a [Typed] tool, with which its function can hold the clock
// or call another tool. ok is false for any other context.
func CallFrom(ctx context.Context) (call Call, ok bool) {
	call, ok = ctx.Value(callKey{}).(Call)
	return call, ok
}
