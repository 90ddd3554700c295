package runtime_test

import (
	"context"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
)

// owner is a person who says yes to everything but the branch main.
type owner struct{}

// Approve implements [hostapi.Approver].
func (owner) Approve(_ context.Context, question hostapi.Question) (hostapi.Answer, error) {
	fmt.Printf("%s asks for %s: %s\n", question.Rules[0], question.Call.Tool, question.Preview)
	if question.Preview == `{"branch":"main"}` {
		return hostapi.AnswerNo, nil
	}
	return hostapi.AnswerOnce, nil
}

// A policy has a person asked about every call of one tool, whatever tool files allow.
func Example_policy() {
	push := &hosttest.Fake{ToolName: "push", Answer: hostapi.Succeed("pushed")}
	tools, approver := []hostapi.Tool{push}, owner{}
	runner, err := runtime.New(runtime.Options{
		Tools:    tools,
		Policies: []hostapi.Policy{hostapi.Rules{Ask: []hostapi.Rule{{Tool: "push"}}}},
		Approver: approver, // nil denies what is to be asked
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runner.Close()
	report := runner.Run(context.Background(), runtime.Request{
		Source: &runtime.Source{Name: "push.js", FunctionBody: true, Body: []byte(`
			const push = (branch) => ctx.tool("push", { branch }).then((r) => r.output, (e) => e.code);
			return [await push("fix"), await push("main")].join()`)},
		Allow: []hostapi.Rule{{Tool: "push"}},
	})
	fmt.Println(report.Text)
	// Output:
	// push asks for push: {"branch":"fix"}
	// push asks for push: {"branch":"main"}
	// pushed,denied
}
