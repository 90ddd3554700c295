package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestLargeAnswersTakeTurns before they are made, small ones do not, and none that is large is
// made in a run that is over by then.
func TestLargeAnswersTakeTurns(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", hostapi.LargeResult+1)
	content := map[string]string{
		"long": long, "short": "x", "lines": strings.Repeat("\n", hostapi.LargeResult/64+1), "all": strings.Repeat("x y z\n", 40_000),
		"long.json": `"` + long + `"`, "short.json": `"x"`, "long.yaml": long[:hostapi.LargeResult/16+1], "short.yaml": "x",
	}
	for i := range 3000 {
		content[fmt.Sprintf("many/%04d%s", i, strings.Repeat("x", 200))] = ""
	}
	p := workspace(t, content)
	for call, wanted := range map[string]bool{
		`read {"path":"long"}`: true, `read {"path":"lines"}`: true, `read {"path":"short"}`: false, `read {"path":"all","limit":10}`: false,
		`json {"path":"long.json"}`: true, `json {"path":"short.json"}`: false,
		`yaml {"path":"long.yaml"}`: true, `yaml {"path":"short.yaml"}`: false,
		`grep {"pattern":"x","path":"long"}`: true, `grep {"pattern":"x","path":"all"}`: true, `grep {"pattern":"x","path":"short"}`: false,
		`ls {"path":"many"}`: true, `ls {"path":"many","limit":10}`: false,
		`glob {"pattern":"many/*"}`: true, `glob {"pattern":"many/*","limit":10}`: false,
	} {
		tool, args, _ := strings.Cut(call, " ")
		var turns hostapi.Turns
		var asked atomic.Int64
		run, end := context.WithCancel(t.Context())
		ctx, leave := turns.Queue(func(<-chan struct{}) { asked.Add(1) }).Call(run)
		result, err := p.tools[tool].Invoke(ctx, hostapi.Call{Tool: tool, Args: json.RawMessage(args), MaxResultBytes: 1 << 20})
		leave()
		if err != nil || result.Outcome != hostapi.OutcomeOK || asked.Load() > 0 != wanted {
			t.Errorf("%s: %d turns; %v, %.200s", call, asked.Load(), err, result.Output)
		}
		ctx, leave = turns.Queue(func(<-chan struct{}) { end() }).Call(run)
		result, err = p.tools[tool].Invoke(ctx, hostapi.Call{Tool: tool, Args: json.RawMessage(args), MaxResultBytes: 1 << 20})
		leave()
		end()
		if wanted != errors.Is(err, context.Canceled) || wanted && len(result.Output)+len(result.Data) > 0 {
			t.Errorf("%s: got %v, %.200s in a run that is over", call, err, result.Output)
		}
	}
}
