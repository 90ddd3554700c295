package hostapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// TestNotesReachSomebody: a tool hears that its run was over before its answer, and of an answer that
// is too large for the run the record keeps the notes.
func TestNotesReachSomebody(t *testing.T) {
	t.Parallel()
	called, over, unheard := make(chan struct{}), make(chan struct{}), make(chan struct{}, 2)
	answer := hostapi.Result{Output: strings.Repeat("x", 2000), Notes: []string{"look"}, Unheard: func() { unheard <- struct{}{} }}
	tool := &hosttest.Fake{ToolName: "slow", Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		if call.Seq == 2 {
			close(called)
			<-over
		}
		return answer, nil
	}}
	g := hosttest.Gate(t, hostapi.Quota{MaxTotalBytes: 1000}, tool)
	invoke := func(seq int) {
		_, _ = g.Invoke(t.Context(), hostapi.Call{Seq: seq, Tool: "slow", Args: json.RawMessage("{}")})
	}
	invoke(1)
	if rows := g.Records(); len(rows) != 1 || len(rows[0].Notes) != 1 || len(unheard) != 0 {
		t.Errorf("the record is %+v, expected its notes", rows)
	}
	go invoke(2)
	<-called
	g.Close(0)
	close(over)
	<-g.Settled()
	if len(unheard) != 1 {
		t.Errorf("the tool heard %d times that nobody has its answer, expected once", len(unheard))
	}
}
