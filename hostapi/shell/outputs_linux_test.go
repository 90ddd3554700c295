package shell_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// What is in the background is found by the commands after it, by its process
// and on the loopback network, also when outputs were cut meanwhile; once it has
// ended, commands can read those.
func TestOutputsDoNotPartCommands(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.SpillDir, tool.Sandbox.Network = t.TempDir(), sandbox.NetworkLoopback
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Run: "run", Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}, Quota: hostapi.Quota{MaxResultBytes: 2000},
	})
	defer gate.Close(time.Minute)
	seq := 0
	call := func(line string) (hostapi.Result, map[string]any) {
		t.Helper()
		seq++
		result, err := gate.Invoke(t.Context(), hostapi.Call{Seq: seq, Tool: "bash", Args: encoded(t, map[string]any{"command": line})})
		var about map[string]any
		if err != nil || json.Unmarshal(result.Metadata, &about) != nil {
			t.Fatalf("%+v, %v", result, err)
		}
		return result, about
	}
	seq++
	server, err := gate.Issue(t.Context(), hostapi.Call{Seq: seq, Tool: "bash", Background: true, Args: encoded(t, map[string]any{
		"command": "echo $$ > pid; exec python3 -m http.server --bind 127.0.0.1 8123"})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	fetch := `python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:8123/pid").status)'`
	call(`until ` + fetch + ` 2>/dev/null; do sleep 0.1; done`)
	_, about := call("seq 10000")
	file, _ := about["stdoutFile"].(string)
	if file == "" {
		t.Fatalf("nothing was cut: %v", about)
	}
	if result, _ := call(`test -d /proc/$(cat pid) && ` + fetch); strings.TrimSpace(result.Output) != "200" {
		t.Errorf("the server is not found: %q", result.Output)
	}
	if result, _ := call("cat " + file); result.Outcome == hostapi.OutcomeOK {
		t.Errorf("it could be read: %.80q", result.Output)
	}
	if _, err := gate.Operate(t.Context(), 1, hostapi.OperationRelease, nil); err != nil {
		t.Fatal(err)
	}
	if result, _ := call("tail -n 1 " + file); result.Output != "10000\n" {
		t.Errorf("it reads %q", result.Output)
	}
	// Another run has none of it.
	other := hostapi.NewGate(t.Context(), hostapi.GateConfig{Run: "other", Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}})
	defer other.Close(time.Minute)
	for i, line := range []string{"cat " + file, "seq 100000", "cat " + file + " || ls " + tool.SpillDir + "/run"} {
		result, err := other.Invoke(t.Context(), hostapi.Call{Seq: i + 1, Tool: "bash", Args: encoded(t, map[string]any{"command": line})})
		if err != nil || i != 1 && result.Outcome == hostapi.OutcomeOK {
			t.Errorf("%s: %+v, %v", line, result, err)
		}
	}
}
