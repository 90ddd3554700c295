package files_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestPatternsThatMatchNothing are refused with what to write, so that no rule is silent.
func TestPatternsThatMatchNothing(t *testing.T) {
	t.Parallel()
	workspace := openWorkspace(t, t.TempDir())
	for pattern, want := range map[string]string{
		"secret/": "secret/**", "secret/**/": "write secret/**", "./": "/**", "a//b": "write a/b", "./x": "write x", "a/./b": "write a/b", "a/.": "write a", "//x": "relative",
		"~/x": "nothing stands for ~", "~": "nothing stands for ~", "$HOME/x": "$HOME", "${PWD}/x": "${PWD}", "/etc/x": "relative", "../x": "relative", "a/../b": "relative",
		"!x": "takes nothing out", `"x"`: "write x", "'a/**'": "write a/**", `a\b`: "separated by /", "**.env": "write **/*.env", "src**": "write src*/**", "a/**.go": "write a/**/*.go", "file:///x": "write file:/x",
	} {
		for _, tool := range workspace.Tools() {
			scoper, ok := tool.(hostapi.Scoper)
			if !ok {
				t.Fatalf("%s takes no pattern", tool.Name())
			}
			if err := scoper.CheckPattern(pattern); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s(%s): %v; want %q", tool.Name(), pattern, err, want)
			}
		}
	}
	for _, pattern := range []string{".", "**", "secret", "secret/**", "**/.env", "**/*.go", "a b", "~x", "x~", "**/*~", "{a,b/c}/**", `a\*b`, "[!a]x", "$id.tsx", "src/$HOME", "a!", "it's"} {
		for _, tool := range workspace.Tools() {
			if err := tool.(hostapi.Scoper).CheckPattern(pattern); err != nil && !strings.Contains(err.Error(), "end it in /**") {
				t.Errorf("%s(%s): %v", tool.Name(), pattern, err)
			}
		}
	}
}
