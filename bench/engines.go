package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dop251/goja"
	"modernc.org/quickjs"
)

// The tool that everybody runs: it adds two numbers.
const (
	tool   = "function run(ctx, inputs) { return { sum: inputs.a + inputs.b } }\n"
	inputs = `{"a":1,"b":2}`
	answer = `{"sum":3}`
)

// ask makes an engine that has no host parse the inputs and print the value.
const ask = tool + `JSON.stringify(run(null, JSON.parse('` + inputs + `')))`

func rawGoja() (subject, error) {
	program, err := goja.Compile("tool.js", ask, false)
	return subject{name: "goja in process, a fresh runtime, compiled before; no ctx, no limits, no receipt", batch: 200, do: func(context.Context) error {
		value, err := goja.New().RunProgram(program)
		if err != nil {
			return err
		}
		return expect(value.String())
	}}, err
}

func rawQuickJS() subject {
	return subject{name: "modernc.org/quickjs in process, a fresh VM; no ctx, no limits, no receipt", batch: 50, do: func(context.Context) error {
		vm, err := quickjs.NewVM()
		if err != nil {
			return err
		}
		value, err := vm.Eval(ask, quickjs.EvalGlobal)
		if err := errors.Join(err, vm.Close()); err != nil {
			return err
		}
		return expect(fmt.Sprint(value))
	}}
}

func expect(got string) error {
	if got != answer {
		return fmt.Errorf("it answered %s, not %s", got, answer)
	}
	return nil
}
