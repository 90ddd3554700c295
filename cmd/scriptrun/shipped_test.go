package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestShippedToolsHoldTheirCases: each tool of this repository has cases, and they hold.
func TestShippedToolsHoldTheirCases(t *testing.T) {
	t.Parallel()
	settings := filepath.Join(t.TempDir(), "none.toml") // not those of who runs this
	if err := os.WriteFile(settings, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(env{
		args:   []string{"test", "--json", "--tools", filepath.Join(root, "tools"), "--workspace", t.TempDir(), "--config", settings},
		stdout: &out, stderr: &errs,
		interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
	})
	if code != exitOK {
		t.Errorf("it exits with %d: %s%s", code, &out, &errs)
	}
	var tested struct {
		Tools []struct {
			Name  string
			Cases []struct {
				Name     string
				OK       bool
				Failures json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &tested); err != nil {
		t.Fatal(err, &out)
	}
	files, err := filepath.Glob(filepath.Join(root, "tools", "*.js"))
	if err != nil || len(tested.Tools) != len(files) {
		t.Errorf("%d of %d tools, %v", len(tested.Tools), len(files), err)
	}
	for _, tool := range tested.Tools {
		if len(tool.Cases) == 0 {
			t.Errorf("%s has no cases", tool.Name)
		}
		for _, c := range tool.Cases {
			if !c.OK {
				t.Errorf("%s: %s: %s", tool.Name, c.Name, c.Failures)
			}
		}
	}
}
