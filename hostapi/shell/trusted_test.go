//go:build unix

package shell_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestNameDoesNotReachTrustedEnvironment: whatever a call says beside the name,
// in the foreground and the background, by a pattern and by a bare rule,
// nothing runs and nothing of the environment is told.
func TestNameDoesNotReachTrustedEnvironment(t *testing.T) {
	t.Parallel()
	const secret = "kept-from-scripts"
	for _, usual := range []string{"", "plain", "other"} {
		for _, extra := range []map[string]any{
			nil, {"cwd": "."}, {"env": map[string]string{"X": "1"}}, {"env": map[string]string{}}, {"cwd": ""}, {"stdin": "x"},
		} {
			for _, rule := range []hostapi.Rule{{Tool: "bash"}, {Tool: "bash", Pattern: "touch *"}} {
				for _, background := range []bool{false, true} {
					tool := newTool(t)
					tool.Default = usual
					tool.Environments = []shell.Environment{
						{Name: "plain"},
						{Name: "other", Env: map[string]string{"OTHER_TOKEN": "x"}, Trusted: true},
						{Name: "ops", Env: map[string]string{"OPS_TOKEN": secret, "OPS_USER": secret}, Trusted: true},
					}
					args := map[string]any{"command": "touch ran", "environment": "ops"}
					for key, value := range extra {
						args[key] = value
					}
					raw, err := json.Marshal(args)
					if err != nil {
						t.Fatal(err)
					}
					registry, err := hostapi.NewRegistry(tool)
					if err != nil {
						t.Fatal(err)
					}
					gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{rule}}})
					issued, err := gate.Issue(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: raw, Background: background})
					if err == nil {
						do := issued.Do
						if background {
							do = issued.Start
						}
						var result hostapi.Result
						if result, err = do(t.Context()); err == nil {
							t.Errorf("default %q, %s, %s, background %v: it ran: %+v", usual, rule, raw, background, result)
						}
					}
					var refused *shell.TrustedEnvironmentError
					if !errors.As(err, &refused) || refused.Name != "ops" || strings.Contains(err.Error(), secret) {
						t.Errorf("default %q, %s, %s, background %v: got %v", usual, rule, raw, background, err)
					}
					gate.Close(time.Second)
					if _, err := os.Lstat(filepath.Join(tool.Dir, "ran")); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("it ran: %v", err)
					}
				}
			}
		}
	}
}
