//go:build unix

package shell_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// BenchmarkGitUnderPattern is what reading without the repository's configuration costs:
// git log -1 under a bare rule and under a pattern in turn, and git by itself.
func BenchmarkGitUnderPattern(b *testing.B) {
	dir := b.TempDir()
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := exec.CommandContext(b.Context(), "git", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v %s", err, out)
		}
	}
	for _, profile := range []shell.Profile{shell.ProfileWorkspace, shell.ProfileOff} {
		b.Run(string(profile), func(b *testing.B) {
			tool := &shell.Tool{Dir: dir, Sandbox: shell.Sandbox{Profile: profile}}
			defer tool.Close()
			registry, err := hostapi.NewRegistry(tool)
			if err != nil {
				b.Fatal(err)
			}
			args := encodedArgs(b, map[string]any{"command": "git log -1"})
			took := func(rule hostapi.Rule) time.Duration {
				gate := hostapi.NewGate(b.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{rule}}})
				defer gate.Close(time.Second)
				began := time.Now()
				if result, err := gate.Invoke(b.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: args}); err != nil || result.ExitCode != 0 {
					b.Fatal(result, err)
				}
				return time.Since(began)
			}
			bare, pattern := hostapi.Rule{Tool: "bash"}, hostapi.Rule{Tool: "bash", Pattern: "git log *"}
			took(bare) // what is made once
			took(pattern)
			var plain, without, with []time.Duration
			for b.Loop() {
				began := time.Now()
				if err := exec.Command("git", "-C", dir, "log", "-1").Run(); err != nil {
					b.Fatal(err)
				}
				plain = append(plain, time.Since(began))
				without, with = append(without, took(bare)), append(with, took(pattern))
			}
			b.ReportMetric(float64(median(plain).Microseconds()), "git-p50-µs")
			b.ReportMetric(float64(median(without).Microseconds()), "bare-p50-µs")
			b.ReportMetric(float64(median(with).Microseconds()), "pattern-p50-µs")
		})
	}
}
