package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// TestServeLogsALinePerBrokenFile: with its name, place and first problem, and without the source.
func TestServeLogsALinePerBrokenFile(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	problem := func(file string, line int, text string) scripttools.Problem {
		return scripttools.Problem{Pos: runtime.Position{File: file, Line: line, Col: 1}, Msg: text, Excerpt: "the source\n^"}
	}
	warnBroken(log, "broken", &scripttools.LoadError{Problems: []scripttools.Problem{
		problem("a.js", 3, "first"), problem("a.js", 4, "second"), problem("b.js", 1, "third"),
	}})
	warnBroken(log, "broken", errors.New("the folder is gone"))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`error="a.js:3:1: first" problems=2`, `error="b.js:1:1: third"`, `error="the folder is gone"`} {
		if len(lines) != 3 || !strings.HasSuffix(lines[i], want) {
			t.Errorf("%q is not line %d of %s", want, i, out.String())
		}
	}
}
