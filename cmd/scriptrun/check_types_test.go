package main

import (
	"strings"
	"testing"
)

// TestTypesNeedTheCompiler: where there is no tsc, check says how to get it.
func TestTypesNeedTheCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	found := typeErrors(t.Context(), []checkedTool{{Name: "x", Path: "x.md", source: "x.js"}})
	if len(found) != 1 || found[0].Severity != "error" || !strings.Contains(found[0].Message, "npm install -g typescript") {
		t.Errorf("%+v", found)
	}
	if found := typeErrors(t.Context(), nil); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}
