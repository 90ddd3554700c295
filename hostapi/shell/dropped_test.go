package shell_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestDroppedBytesAreThoseThatTheOutputLacks: the line in the output and the metadata say the same.
func TestDroppedBytesAreThoseThatTheOutputLacks(t *testing.T) {
	t.Parallel()
	bash := &shell.Tool{Dir: t.TempDir()}
	t.Cleanup(func() { bash.Close() })
	registry, err := hostapi.NewRegistry(bash)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, said string }{
		{"seq 2000", "of 8893 bytes dropped here"},
		{"seq 2000; seq 2000 >&2", "of 17786 bytes dropped here"},
		{"seq 20", ""},
	} {
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
			Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList([]hostapi.Rule{{Tool: "bash"}})}, Quota: hostapi.Quota{MaxResultBytes: 2000},
		})
		result, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: []byte(`{"command":"` + c.line + `"}`)})
		gate.Close(time.Second)
		var about struct{ DroppedBytes int64 }
		if err := errors.Join(err, json.Unmarshal(result.Metadata, &about)); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("… %d %s", about.DroppedBytes, c.said)
		if c.said == "" && about.DroppedBytes != 0 || c.said != "" && !strings.Contains(result.Output, want) {
			t.Errorf("%s: %q is not in %q", c.line, want, result.Output)
		}
	}
}
