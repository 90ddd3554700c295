//go:build unix

package shell_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// BenchmarkLocal is what a command costs; BenchmarkPlain is the same without
// this package.
func BenchmarkLocal(b *testing.B) {
	local := newLocal(b)
	command := shell.Command{
		Line:    "true",
		Context: shell.ExecContext{}.WithCwd(b.TempDir()).WithEnv("PATH", os.Getenv("PATH")),
		Limits:  shell.Limits{Timeout: time.Minute, Grace: time.Second},
	}
	for b.Loop() {
		id, err := local.Create(b.Context(), command)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := local.Wait(b.Context(), id); err != nil {
			b.Fatal(err)
		}
		_ = local.Release(id)
	}
}

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		if _, err := exec.Command("/bin/bash", "-c", "true").CombinedOutput(); err != nil {
			b.Fatal(err)
		}
	}
}
