//go:build unix

package shell_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

// TestCommandsKnowTheirTrace: in the foreground and in the background, in a sandbox and
// without one, where there is a trace; what a call or an environment sets counts.
func TestCommandsKnowTheirTrace(t *testing.T) {
	t.Parallel()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	traced := tracecontext.With(t.Context(), parent, "a=b")
	const show = `echo "[$TRACEPARENT] [$TRACESTATE]"`
	for name, c := range map[string]struct {
		ctx  context.Context
		env  map[string]string
		want string
	}{
		"a trace":            {traced, nil, "[" + parent + "] [a=b]"},
		"none":               {t.Context(), nil, "[] []"},
		"a malformed one":    {tracecontext.With(t.Context(), "00-x", "a=b"), nil, "[] []"},
		"the call's own":     {traced, map[string]string{"TRACEPARENT": "mine"}, "[mine] []"},
		"a state without it": {tracecontext.With(t.Context(), parent, ""), map[string]string{"TRACESTATE": "mine"}, "[" + parent + "] []"},
	} {
		for _, profile := range []shell.Profile{shell.ProfileWorkspace, shell.ProfileOff} {
			t.Run(name+" "+string(profile), func(t *testing.T) {
				t.Parallel()
				tool := newTool(t)
				tool.Sandbox.Profile = profile
				args := map[string]any{"command": show}
				if c.env != nil {
					args["env"] = c.env
				}
				result, _, err := invoke(c.ctx, t, tool, args, 0)
				if err != nil || strings.TrimSpace(result.Output) != c.want {
					t.Errorf("%+v, %v", result, err)
				}
				registry, err := hostapi.NewRegistry(tool)
				if err != nil {
					t.Fatal(err)
				}
				gate := hostapi.NewGate(c.ctx, hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}})
				defer gate.Close(time.Second)
				issued, err := gate.Issue(c.ctx, hostapi.Call{Tool: "bash", Args: encoded(t, args), Background: true})
				if err != nil {
					t.Fatal(err)
				}
				if first, err := issued.Start(c.ctx); err != nil || first.Outcome != hostapi.OutcomeOK {
					t.Fatalf("%+v, %v", first, err)
				}
				result, err = gate.Operate(c.ctx, 1, hostapi.OperationWait, nil)
				if err != nil || strings.TrimSpace(result.Output) != c.want {
					t.Errorf("in the background: %+v, %v", result, err)
				}
			})
		}
	}
}
