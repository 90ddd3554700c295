package hosttest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// A test of a tool of one's own, as it stands in a _test.go file.
func Example() {
	double := hostapi.Typed("double", "twice a number", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		return 2 * in.N, nil
	})
	double.About.Effect = hostapi.EffectRead
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "TestDouble", F: func(t *testing.T) {
		hosttest.TestTool(t, double, `{"n": 4}`)
		if result := hosttest.Call(t, double, `{"n": 4}`); result.Output != "8" {
			t.Errorf("got %s", result.Output)
		}
	}}})
	fmt.Println(ok)
	// Output: true
}
