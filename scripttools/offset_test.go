package scripttools_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
	"pgregory.net/rapid"
)

// However long the header is, and whatever stands before it, a script that
// does not parse is blamed at the line and column that its author sees.
func TestHeaderKeepsScriptPositions(t *testing.T) {
	t.Parallel()
	runner := newRunner(t)
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		mark := rapid.SampledFrom([]string{"", "\ufeff", "#!/usr/bin/env scriptrun\n", "\ufeff#!/x\n\n"}).Draw(t, "mark")
		newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		text := "/*---\nkind: script\ndescription: |\n" + strings.Repeat("  漢字 text\n", rapid.IntRange(1, 20).Draw(t, "header lines")) +
			"---*/\n" + strings.Repeat("// é\n", rapid.IntRange(0, 20).Draw(t, "comment lines")) +
			"export default async function run() {\n" + strings.Repeat(" ", rapid.IntRange(0, 9).Draw(t, "indent")) + "%% }\n"
		text = mark + strings.ReplaceAll(text, "\n", newline)

		wantLine, wantCol := 0, 0
		for i, line := range strings.Split(text, "\n") {
			if col := strings.Index(line, "%%"); col >= 0 {
				wantLine, wantCol = i+1, col+1
			}
		}
		path := filepath.Join(dir, "a.js")
		writeFile(t, path, text)
		_, err := scripttools.LoadFile(t.Context(), runner, path, "")
		var problem *scripttools.Problem
		if !errors.As(err, &problem) {
			t.Fatalf("got error %v", err)
		}
		if problem.Pos.Line != wantLine || problem.Pos.Col != wantCol {
			t.Fatalf("blamed %d:%d, want %d:%d\n%v", problem.Pos.Line, problem.Pos.Col, wantLine, wantCol, err)
		}
	})
}
