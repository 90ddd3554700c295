package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/runtime"
)

// The figures are ratios: compare lines of one run, such as Trivial/scriptrun
// with Trivial/goja-answer.

const trivial = "async function run(ctx, inputs) { return { sum: inputs.a + inputs.b } }\n"

func benchRunner(b *testing.B) *runtime.Runner {
	b.Helper()
	answer := hostapi.Succeed("ok")
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{
		&hostapi.Func{ToolName: "noop", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return answer, nil }},
	}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { runner.Close() })
	return runner
}

func benchRun(b *testing.B, source string, inputs string, limits runtime.Limits) {
	b.Helper()
	runner := benchRunner(b)
	program, err := runner.Compile(b.Context(), runtime.Source{Name: "bench.js", Body: []byte(source)})
	if err != nil {
		b.Fatal(err)
	}
	request := runtime.Request{Program: program, Inputs: json.RawMessage(inputs), Allow: []hostapi.Rule{{Tool: "noop"}}, Limits: limits}
	b.ReportAllocs()
	for b.Loop() {
		if report := runner.Run(b.Context(), request); report.Err() != nil {
			b.Fatal(report)
		}
	}
}

func BenchmarkTrivial(b *testing.B) {
	const inputs = `{"a":1,"b":2}`
	for name, source := range map[string]string{"line": trivial, "5KB": trivial + helpers()} {
		program, err := goja.Compile("bench.js", source, false)
		if err != nil {
			b.Fatal(err)
		}
		// goja.New and RunProgram, which defines run and does not call it.
		b.Run(name+"/goja-define", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := goja.New().RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
		// The least that answers the same question: inputs are parsed, run is
		// called and awaited, and its value becomes JSON. No ctx, no limits, no
		// receipt.
		b.Run(name+"/goja-answer", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := answer(program, inputs); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/scriptrun", func(b *testing.B) { benchRun(b, source, inputs, runtime.Limits{}) })
	}
}

// helpers are 5 KB of functions, as a tool file has beside its run.
func helpers() string {
	const function = "function helper%d(items, options = {}) {\n  const { limit = 10, label } = options;\n  return items.filter((x) => x.ok && x.count > %d).slice(0, limit).map((x) => `${label}: ${x.name}`);\n}\n"
	var source strings.Builder
	for i := 0; source.Len() < 5<<10; i++ {
		fmt.Fprintf(&source, function, i, i)
	}
	return source.String()
}

func answer(program *goja.Program, inputs string) error {
	vm := goja.New()
	if _, err := vm.RunProgram(program); err != nil {
		return err
	}
	jsonObject := vm.Get("JSON").ToObject(vm)
	parse, _ := goja.AssertFunction(jsonObject.Get("parse"))
	stringify, _ := goja.AssertFunction(jsonObject.Get("stringify"))
	run, _ := goja.AssertFunction(vm.Get("run"))
	in, err := parse(jsonObject, vm.ToValue(inputs))
	if err != nil {
		return err
	}
	promise, err := run(goja.Undefined(), vm.NewObject(), in)
	if err != nil {
		return err
	}
	out, err := stringify(jsonObject, promise.Export().(*goja.Promise).Result())
	if err != nil || out.String() != `{"sum":3}` {
		return fmt.Errorf("%v, %w", out, err)
	}
	return nil
}

func BenchmarkCalls(b *testing.B) {
	for _, n := range []int{1, 100} {
		source := fmt.Sprintf("async function run(ctx) { for (let i = 0; i < %d; i++) await ctx.tool('noop', {i}); return 1 }", n)
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchRun(b, source, "", runtime.Limits{MaxToolCalls: n}) })
	}
	source := "async function run(ctx) { await Promise.all(Array.from({length: 100}, (_, i) => ctx.tool('noop', {i}))); return 1 }"
	b.Run("100-parallel", func(b *testing.B) { benchRun(b, source, "", runtime.Limits{MaxToolCalls: 100}) })
}

// BenchmarkRead is a call that does something: ctx.read of a file of 2 KB, one
// after the other.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Repeat("a line of the file\n", 100)), 0o600); err != nil {
		b.Fatal(err)
	}
	workspace, err := files.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	runner := workers(b, runtime.Options{Tools: workspace.Tools()})
	for _, n := range []int{1, 20} {
		request := runtime.Request{
			Program: compiled(b, runner, fmt.Sprintf("for (let i = 0; i < %d; i++) await ctx.read('a.txt'); return 1", n)),
			Allow:   []hostapi.Rule{{Tool: "read"}},
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if report := runner.Run(b.Context(), request); report.Err() != nil {
					b.Fatal(report)
				}
			}
		})
	}
}

func BenchmarkInOut100KB(b *testing.B) {
	item := `{"name":"an item of the list","count":12345,"tags":["one","two","three"],"ok":true}`
	inputs := `{"items":[` + strings.TrimSuffix(strings.Repeat(item+",", (100<<10)/len(item)), ",") + `]}`
	b.SetBytes(int64(len(inputs)))
	benchRun(b, "function run(ctx, inputs) { return inputs }", inputs, runtime.Limits{MaxOutputBytes: 1 << 20})
}

func BenchmarkCompile(b *testing.B) {
	source := helpers() + "export default async function run(ctx, inputs) { return helper0(inputs.items) }\n"
	runner := benchRunner(b)
	for _, known := range []bool{false, true} {
		b.Run(map[bool]string{false: "new", true: "known"}[known], func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			for i := 0; b.Loop(); i++ {
				name := "bench.js"
				if !known {
					name = fmt.Sprintf("bench%d.js", i) // another name is another program
				}
				if _, err := runner.Compile(b.Context(), runtime.Source{Name: name, Body: []byte(source)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
