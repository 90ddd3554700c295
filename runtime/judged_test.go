package runtime

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// TestValueIsJudgedThoughItsRunHasEnded: the run of a value that is large or has a
// schema ends in the moment in which the value begins to be looked at.
func TestValueIsJudgedThoughItsRunHasEnded(t *testing.T) {
	t.Parallel()
	runner, err := New(Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	ended := newClock(t.Context(), time.Now().Add(time.Hour))
	ended.free()
	value := make([]byte, inPlace+1)
	for i := range value {
		value[i] = ' '
	}
	value[0] = '1'
	for range 1000 {
		e := &execution{runner: runner, clock: ended, limits: Limits{MaxOutputBytes: 1 << 20}}
		verdict, came := e.judged(ending{returned: &wire.Return{}, value: value})
		if came.why != whyCancelled && verdict.outcome != OutcomeOK {
			t.Fatalf("%+v, %+v", verdict.outcome, came)
		}
	}
	if err := runner.Close(); err != nil { // it waits for those that go on
		t.Error(err)
	}
}

// TestCostlyCheckOfASmallValueEndsWithItsRun: a schema that takes its time with a value of a few
// bytes does not hold up a run that has ended.
func TestCostlyCheckOfASmallValueEndsWithItsRun(t *testing.T) {
	t.Parallel()
	runner, err := New(Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := schema.Compile(json.RawMessage(`{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ended := newClock(t.Context(), time.Now().Add(time.Hour))
	ended.free()
	value := []byte(strings.Repeat(`{"a":`, 14) + "1" + strings.Repeat("}", 14))
	left := false
	for range 1000 {
		e := &execution{runner: runner, clock: ended, limits: Limits{MaxOutputBytes: 1 << 20}, request: Request{Output: twice}}
		if _, came := e.judged(ending{returned: &wire.Return{}, value: value}); came.why == whyCancelled {
			left = true // and not only what happened to be checked first
			break
		}
	}
	if !left {
		t.Error("each was waited for")
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
}
