package runtime

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"
)

// TestRealmOfTheNextRunIsMadeAhead: it is there when a run is over, the next one takes it,
// and no two share one.
func TestRealmOfTheNextRunIsMadeAhead(t *testing.T) {
	t.Parallel()
	runner, err := New(Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	program, err := runner.Compile(t.Context(), Source{Name: "n.js", FunctionBody: true, Body: []byte(
		"const seen = globalThis.seen ?? 0; globalThis.seen = seen + 1; await null; return [inputs.n, seen]")})
	if err != nil {
		t.Fatal(err)
	}
	run := func(n int) {
		report := runner.Run(t.Context(), Request{Program: program, Inputs: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))})
		if want := fmt.Sprintf("[%d,0]", n); report.Err() != nil || string(report.Value) != want {
			t.Errorf("%s, %v, not %s", report.Value, report.Err(), want)
		}
	}
	for n := range 3 {
		run(n)
		for until := time.Now().Add(30 * time.Second); runner.cells.(*inProcessCells).spare.Load() == nil && time.Now().Before(until); {
			time.Sleep(time.Millisecond) // nothing tells
		}
		if runner.cells.(*inProcessCells).spare.Load() == nil {
			t.Fatal("none is made")
		}
	}
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() { run(n) })
	}
	all.Wait()
}
