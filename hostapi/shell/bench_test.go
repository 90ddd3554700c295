//go:build unix

package shell_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// shTrue is the shortest command there is, in a profile.
func shTrue(b *testing.B, profile shell.Profile) shell.Command {
	b.Helper()
	return shell.Command{
		Argv:    []string{"/bin/sh", "-c", "true"},
		Context: shell.ExecContext{}.WithCwd(b.TempDir()).WithEnv("PATH", os.Getenv("PATH")),
		Sandbox: shell.Sandbox{Profile: profile},
		Limits:  shell.Limits{Timeout: time.Minute, Grace: time.Second},
	}
}

func runOnce(b *testing.B, local *shell.Local, command shell.Command) shell.Output {
	b.Helper()
	id, err := local.Create(b.Context(), command)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := local.Wait(b.Context(), id); err != nil {
		b.Fatal(err)
	}
	out, err := local.Output(id, 0)
	if err != nil {
		b.Fatal(err)
	}
	if err := local.Release(id); err != nil {
		b.Fatal(err)
	}
	return out
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkSandboxed is what the sandbox, the capture and the control group
// cost: each is run in turn with plain os/exec, whose output goes nowhere, and with
// one whose two streams are captured as ours are, and the medians are compared.
func BenchmarkSandboxed(b *testing.B) {
	for _, profile := range []shell.Profile{shell.ProfileWorkspace, shell.ProfileReadOnly, shell.ProfileOff} {
		b.Run(string(profile), func(b *testing.B) {
			local, command := newLocal(b), shTrue(b, profile)
			runOnce(b, local, command) // what is made once
			took := func(run func() error) time.Duration {
				began := time.Now()
				if err := run(); err != nil {
					b.Fatal(err)
				}
				return time.Since(began)
			}
			var plain, captured, ours []time.Duration
			for b.Loop() {
				plain = append(plain, took(exec.Command("/bin/sh", "-c", "true").Run))
				ours = append(ours, took(func() error {
					runOnce(b, local, command)
					return nil
				}))
				cmd := exec.Command("/bin/sh", "-c", "true")
				cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
				captured = append(captured, took(cmd.Run))
			}
			p, c, o := median(plain), median(captured), median(ours)
			b.ReportMetric(float64(p.Microseconds()), "plain-p50-µs")
			b.ReportMetric(float64(c.Microseconds()), "captured-p50-µs")
			b.ReportMetric(float64(o.Microseconds()), "p50-µs")
			b.ReportMetric(float64(o)/float64(p), "ratio")
			b.ReportMetric(float64(o)/float64(c), "captured-ratio")
		})
	}
}

// BenchmarkParallel is how commands share the machine.
func BenchmarkParallel(b *testing.B) {
	for _, width := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			local, command := newLocal(b), shTrue(b, shell.ProfileWorkspace)
			runOnce(b, local, command)
			todo := make(chan struct{})
			var working sync.WaitGroup
			for range width {
				working.Go(func() {
					for range todo {
						runOnce(b, local, command)
					}
				})
			}
			for b.Loop() {
				todo <- struct{}{}
			}
			close(todo)
			working.Wait()
		})
	}
}

// BenchmarkCapture is how fast 100 MB are captured, with and without a file
// for the whole, beside a copy to nowhere.
func BenchmarkCapture(b *testing.B) {
	const size = 100_000_000
	argv := []string{"head", "-c", fmt.Sprint(size), "/dev/zero"}
	b.Run("io.Copy", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			cmd := exec.Command(argv[0], argv[1:]...)
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, out); err != nil || n != size {
				b.Fatal(n, err)
			}
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, spill := range []bool{false, true} {
		b.Run(map[bool]string{false: "captured", true: "spilled"}[spill], func(b *testing.B) {
			local, command := newLocal(b), shTrue(b, shell.ProfileWorkspace)
			command.Argv = argv
			b.SetBytes(size)
			for b.Loop() {
				if spill {
					command.Limits.SpillDir = b.TempDir()
				}
				if out := runOnce(b, local, command); out.Stdout.Total != size || out.SpillErr != nil {
					b.Fatal(out.Stdout.Total, out.SpillErr)
				}
				if spill {
					_ = os.RemoveAll(command.Limits.SpillDir)
				}
			}
		})
	}
}
