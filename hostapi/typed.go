package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Typed is a tool of a Go function. In must be a struct: its schema is made of the
// fields, their json tags, and their jsonschema tags, which are the descriptions; a
// field without omitempty or omitzero is required. See
// [github.com/google/jsonschema-go/jsonschema.For].
//
// What the function returns is the result's Data, as JSON, and its Output: a string as
// it stands, anything else as that JSON. An Out of [Result] is the result itself. An
// error rejects the script's call with the error's text. [CallFrom] gives the function
// the call.
//
// The tool's effect is unknown; set it in the field About. A type that has no schema,
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

// schemaOf is the schema of arguments of a type.
func schemaOf[In any]() (json.RawMessage, error) {
	if t := reflect.TypeFor[In](); t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments are an object: expected a struct, and %s is none", t)
	}
	made, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(made)
}

type callKey struct{}

// CallFrom is the call that a function of [Typed] does: to hold the clock, to call
// another tool, to tell what it writes. ok is false for any other context.
func CallFrom(ctx context.Context) (call Call, ok bool) {
	call, ok = ctx.Value(callKey{}).(Call)
	return call, ok
}
