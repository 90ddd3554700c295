package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// countedBackend says what it is asked for.
type countedBackend struct {
	Backend

	said func(what string)
	out  Output
}

func (b countedBackend) Output(_ TerminalID, since int64) (Output, error) {
	b.said("output")
	out := b.out
	out.Both.Head = out.Both.Head[since:]
	return out, nil
}

func (b countedBackend) Wait(context.Context, TerminalID) (ExitStatus, error) {
	return ExitStatus{}, nil
}

func (b countedBackend) kept(_ TerminalID, since int64) int64 { return b.out.Both.Total - since }

// TestOutputIsCopiedInTurn: what a command wrote is copied once it is the run's turn, and never for
// a run that is over, unless somebody has to hear how the command ended.
func TestOutputIsCopiedInTurn(t *testing.T) {
	t.Parallel()
	text := Captured{Head: []byte(strings.Repeat("x", hostapi.LargeResult+1)), Total: hostapi.LargeResult + 1}
	for _, c := range []struct {
		name, want string
		over       bool
		since      int64
		do         func(ctx context.Context, j *job) (hostapi.Result, error)
	}{
		{name: "output", want: "[turn output]", do: operateOutput(0)},
		{name: "a little output", want: "[output]", do: operateOutput(2)},
		{name: "wait", want: "[turn output]", do: func(ctx context.Context, j *job) (hostapi.Result, error) { return j.Wait(ctx) }},
		{name: "output after the run", want: "[]", over: true, do: operateOutput(0)},
		{name: "wait after the run", want: "[output]", over: true, do: func(ctx context.Context, j *job) (hostapi.Result, error) { return j.Wait(ctx) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			heard := []string{}
			said := func(what string) { heard = append(heard, what) }
			queue := new(hostapi.Turns).Queue(func(<-chan struct{}) { said("turn") })
			life, end := context.WithCancel(t.Context())
			defer end()
			if c.over {
				end()
			}
			ctx, leave := queue.Call(life)
			defer leave()
			j := &job{backend: countedBackend{said: said, out: Output{Both: text, Stdout: text}}}
			if _, err := c.do(ctx, j); err != nil && !c.over {
				t.Error(err)
			}
			if c.over && len(heard) > 0 && heard[0] == "turn" { // it is asked for at the same time
				heard = heard[1:]
			}
			if got := fmt.Sprint(heard); got != c.want {
				t.Errorf("got %v; want %v", got, c.want)
			}
		})
	}
}

func operateOutput(since int64) func(ctx context.Context, j *job) (hostapi.Result, error) {
	return func(ctx context.Context, j *job) (hostapi.Result, error) {
		return j.Operate(ctx, "output", json.RawMessage(fmt.Sprintf(`{"since":%d}`, since)))
	}
}
