package realm

import (
	"slices"
	"strings"
	"testing"
)

func TestKnownFailuresAreCoveredExactly(t *testing.T) {
	t.Parallel()
	var all []verdict
	for _, line := range strings.Fields("a/b/1.js:x a/b/2.js:x a/c/one-1.js:x a/c/one-2.js:x a/c/two-1.js: a/c/two.js:y d.js: e/f-1.js:x e/f-2.js:y e/f.js:") {
		path, why, _ := strings.Cut(line, ":")
		all = append(all, verdict{Path: path, Fail: why, Why: why})
	}
	slices.SortFunc(all, func(a, b verdict) int { return strings.Compare(a.Path, b.Path) })
	var list []known
	shorten(all, "", func(pattern, reason string) { list = append(list, known{pattern, reason}) })
	want := []known{{"a/b/", "x"}, {"a/c/one-*", "x"}, {"a/c/two.js", "y"}, {"e/f-1.js", "x"}, {"e/f-2.js", "y"}}
	if !slices.Equal(list, want) {
		t.Errorf("got %v, want %v", list, want)
	}
	reasons := knownReasons(list, all)
	for _, v := range all {
		if reasons[v.Path] != v.Why {
			t.Errorf("%s is listed under %q, want %q", v.Path, reasons[v.Path], v.Why)
		}
	}
}
