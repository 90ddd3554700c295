//go:build unix

package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestGrantedLinesInRealShells asks the shells themselves: of a line that is
// granted, what they trace is what the patterns say, and no file comes of it.
func TestGrantedLinesInRealShells(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"git", "head"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	for _, c := range ruleCases() {
		if c.want != yes || len(c.patterns) == 1 && c.patterns[0] != "git log *" {
			continue
		}
		asked++
		local := newLocal(t)
		dir := t.TempDir()
		name, value, _ := strings.Cut(trace, "=")
		id, err := local.Create(t.Context(), shell.Command{
			Argv:    []string{"/bin/bash", "-x", "-c", "--", c.line},
			Context: shell.ExecContext{}.WithCwd(dir).WithEnv("PATH", bin).WithEnv(name, value),
			Limits:  shell.Limits{Timeout: 10 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := local.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		out, err := local.Output(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out.Stderr.Head) + string(out.Stderr.Tail)) {
			ran, traced := strings.CutPrefix(strings.TrimLeft(line, "+"), " ")
			known := strings.HasPrefix(ran, "git log") || strings.HasPrefix(ran, "for i in ") || strings.HasPrefix(ran, "case x in") ||
				strings.HasPrefix(ran, "head") || strings.HasPrefix(ran, "echo")
			if !traced && strings.HasPrefix(line, "+") || traced && !known || strings.Contains(line, "not found") {
				t.Errorf("%q is granted and runs %q", c.line, line)
			}
		}
		if made, _ := os.ReadDir(dir); len(made) > 0 {
			t.Errorf("%q is granted and makes %s", c.line, made[0].Name())
		}
		_ = local.Release(id)
	}
	if asked < 20 {
		t.Errorf("only %d lines were asked about", asked)
	}
}
