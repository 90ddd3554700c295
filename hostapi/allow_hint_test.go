package hostapi_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
)

// TestARefusalOfTheWholeWorkspaceSaysWhereTheCallLooks: a pattern in the arguments is no path.
func TestARefusalOfTheWholeWorkspaceSaysWhereTheCallLooks(t *testing.T) {
	t.Parallel()
	w, err := files.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	g := gate(t, hostapi.GateConfig{Registry: registry(t, w.Tools()...), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "glob(src/**)"))}})
	for args, want := range map[string]bool{`{"pattern":"src/**/*.go"}`: true, `{"pattern":"*.go","path":"other"}`: false} {
		_, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "glob", Args: []byte(args)})
		if err == nil || strings.Contains(err.Error(), "which is where a call without a path looks: give it a path") != want {
			t.Errorf("%s: %v", args, err)
		}
	}
}
