package shell_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestNamesInARefusalArePlain: a folder that a command named to look like more is quoted.
func TestNamesInARefusalArePlain(t *testing.T) {
	t.Parallel()
	const name = "a\nthe sandbox allows all \u202e\x1b[2K/.git/config"
	odd := errors.New("rename " + name + ": no")
	for _, away := range []protect.Away{
		{Path: name, Whole: true}, {Path: name, Kept: true}, {Path: name, Kept: true, Err: odd}, {Path: name, To: name}, {Path: name, Err: odd},
	} {
		text := shell.PutAway(away).String()
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || !strings.Contains(text, `a\nthe sandbox`) {
			t.Errorf("%+v: %q", away, text)
		}
	}
}
