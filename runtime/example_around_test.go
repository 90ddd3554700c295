package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
)

// tape records what calls came to.
type tape struct {
	mu    sync.Mutex
	lines []string
}

// record is a [hostapi.Around].
func (t *tape) record(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
	result, err := next(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf("%d %s %s, allowed by %s: %s %q", call.Seq, call.Tool, call.Args, call.Decision.Rule, result.Outcome, result.Output))
	return result, err
}

// Whatever goes around calls sees each one, with its answer.
func Example_around() {
	greet := &hosttest.Fake{ToolName: "greet", Answer: hostapi.Succeed("hello")}
	tape := &tape{}
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{greet}, Around: []hostapi.Around{tape.record}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runner.Close()
	report := runner.Run(context.Background(), runtime.Request{
		Source: &runtime.Source{Name: "greet.js", FunctionBody: true, Body: []byte(`return (await ctx.tool("greet", { name: "Ann" })).output`)},
		Allow:  []hostapi.Rule{{Tool: "greet"}},
	})
	fmt.Println(report.Text)
	fmt.Println(strings.Join(tape.lines, "\n"))
	// Output:
	// hello
	// 1 greet {"name":"Ann"}, allowed by greet: ok "hello"
}
