package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestDropSpilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	spilled := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "x.stdout"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want ...string) {
		t.Helper()
		left, err := filepath.Glob(filepath.Join(dir, "[A-Z]*"))
		for i, path := range left {
			left[i] = filepath.Base(path)
		}
		if err != nil || !slices.Equal(left, want) {
			t.Errorf("left are %q, %v; want %q", left, err, want)
		}
	}
	spilled("OLD", keepSpilled+time.Hour)
	spilled("NEW", keepSpilled-time.Hour)
	dropSpilled(dir, now)
	check("NEW")
	spilled("OLD", keepSpilled+time.Hour)
	dropSpilled(dir, now.Add(sweepEvery-time.Second)) // too early to look again
	check("NEW", "OLD")
	dropSpilled(dir, now.Add(sweepEvery))
	check("NEW")
	nowhere := filepath.Join(dir, "nowhere")
	dropSpilled(nowhere, now)
	if _, err := os.Stat(nowhere); !os.IsNotExist(err) {
		t.Errorf("it was made: %v", err)
	}
}
