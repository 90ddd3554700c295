package realm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// knownFile lists the tests that fail, below headings that say why. A line is a test, a folder
// if it ends in /, or the beginning of a name if it ends in *. The list may only get shorter.
const knownFile = "testdata/test262.txt"

// slowReason is that of tests that can pass on a fast machine.
const slowReason = "takes more than two seconds on a slow machine"

// whyFailed is the heading below which a new failure is listed. People may write better ones.
func whyFailed(v verdict, m *matter) string {
	if v.Fail == "" {
		return ""
	}
	refused := strings.HasPrefix(v.Fail, "SyntaxError: ") && !strings.HasPrefix(v.Fail, "SyntaxError: Invalid regular expression")
	switch {
	case strings.HasPrefix(v.Fail, "late: "):
		return slowReason
	case strings.HasPrefix(v.Fail, "panic: "), strings.HasPrefix(v.Fail, "crash: "), strings.HasPrefix(v.Fail, abandoned):
		return "the engine fails; the run ends with an error that says so"
	case strings.Contains(v.Fail, " is not here: there "):
		return "locales: American English, its calendar and its digits are here"
	case strings.Contains(v.Fail, "code cannot be made from strings"):
		return "code from strings: refused"
	case m.Negative.Phase != "":
		return "the engine takes what the standard refuses"
	}
	for _, absent := range []string{"DisplayNames", "DurationFormat", "Locale"} {
		if strings.HasPrefix(v.Path, "intl402/"+absent+"/") {
			return "absent: Intl." + absent
		}
	}
	for _, feature := range []string{"async-iteration", "top-level-await", "explicit-resource-management", "dynamic-import", "import.meta", "import-attributes", "json-modules", "regexp-v-flag",
		"regexp-unicode-property-escapes", "regexp-match-indices", "regexp-modifiers", "regexp-duplicate-named-groups", "resizable-arraybuffer", "WeakRef", "FinalizationRegistry", "iterator-helpers", "Float16Array"} {
		if slices.Contains(m.Features, feature) {
			if refused {
				return "the engine does not parse: " + feature
			}
			return "needs " + feature
		}
	}
	switch {
	case m.flag("module"):
		return "modules: a tool is a single file"
	case refused:
		return "the engine does not parse it"
	}
	parts := strings.Split(v.Path, "/")
	return "differs: " + strings.Join(parts[:min(2, len(parts)-1)], "/")
}

// known is the list: patterns with their reasons, in order.
type known struct{ pattern, reason string }

func readKnown(t *testing.T) (list []known) {
	t.Helper()
	text, err := os.ReadFile(knownFile)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	reason := ""
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "# ") {
			reason = line[2:]
		} else if line != "" {
			list = append(list, known{line, reason})
		}
	}
	return list
}

func (k known) covers(path string) bool {
	if prefix, ok := strings.CutSuffix(k.pattern, "*"); ok {
		return strings.HasPrefix(path, prefix) && !strings.Contains(path[len(prefix):], "/")
	}
	return path == k.pattern || strings.HasSuffix(k.pattern, "/") && strings.HasPrefix(path, k.pattern)
}

// knownReasons finds the reason for each path that is listed.
func knownReasons(list []known, all []verdict) map[string]string {
	slices.SortFunc(list, func(a, b known) int { return strings.Compare(a.pattern, b.pattern) })
	reasons := map[string]string{}
	for _, k := range list {
		prefix := strings.TrimSuffix(k.pattern, "*")
		at, _ := slices.BinarySearchFunc(all, prefix, func(v verdict, p string) int { return strings.Compare(v.Path, p) })
		for ; at < len(all) && strings.HasPrefix(all[at].Path, prefix); at++ {
			if k.covers(all[at].Path) {
				reasons[all[at].Path] = k.reason
			}
		}
	}
	return reasons
}

// compareKnown fails for each test that fails and is not listed, or is listed and passes.
func compareKnown(t *testing.T, all []verdict) {
	t.Helper()
	list := readKnown(t)
	reasons := knownReasons(list, all)
	if *test262Update {
		for i, v := range all {
			reason, listed := reasons[v.Path]
			if all[i].Why = reason; !listed && len(list) > 0 { // the list may only get shorter
				all[i].Fail = ""
			} else if v.Fail != "" && !listed {
				all[i].Why = v.Why
			} else if v.Fail == "" {
				all[i].Why = ""
			}
		}
		list = slices.DeleteFunc(list, func(k known) bool { return chosen(k.pattern) }) // what was not run stays
		if err := os.WriteFile(filepath.FromSlash(knownFile), []byte(knownText(list, all)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	worse, better := 0, 0
	const most = 100
	for _, v := range all {
		reason, listed := reasons[v.Path]
		switch {
		case v.Not != "" || reason == slowReason:
		case v.Fail != "" && !listed:
			if worse++; worse <= most {
				t.Errorf("%s: %s", v.Path, v.Fail)
			}
		case v.Fail == "" && listed:
			if better++; better <= most {
				t.Errorf("%s passes now, and is listed in %s", v.Path, knownFile)
			}
		}
	}
	if worse > 0 || better > 0 {
		t.Errorf("%d fail that should pass; %d pass that are listed (-test262.update takes them out)", worse, better)
	}
}

// knownText is the list of what was kept and of what fails, as short as folders and beginnings of names make it.
func knownText(kept []known, all []verdict) string {
	sections := map[string][]string{}
	applied := slices.DeleteFunc(slices.Clone(all), func(v verdict) bool { return v.Not != "" })
	for _, k := range kept {
		sections[k.reason] = append(sections[k.reason], k.pattern)
	}
	shorten(applied, "", func(pattern, reason string) { sections[reason] = append(sections[reason], pattern) })
	var b strings.Builder
	b.WriteString("# Tests that fail. A line is a test, a folder if it ends in /, or the beginning of a name if it ends in *.\n")
	for _, reason := range sortedKeys(sections) {
		slices.Sort(sections[reason])
		fmt.Fprintf(&b, "\n# %s\n%s\n", reason, strings.Join(sections[reason], "\n"))
	}
	return b.String()
}

// shorten gives patterns that cover exactly the failures among sorted tests, which all begin
// with a prefix and fail for one reason each.
func shorten(tests []verdict, prefix string, give func(pattern, reason string)) {
	if len(tests) == 0 {
		return
	}
	first := tests[0]
	same := !slices.ContainsFunc(tests, func(v verdict) bool { return v.Why != first.Why })
	folder := strings.HasSuffix(prefix, "/")
	flat := !slices.ContainsFunc(tests, func(v verdict) bool { return strings.Contains(v.Path[len(prefix):], "/") })
	switch {
	case same && first.Fail == "":
		return
	case len(tests) == 1:
		give(first.Path, first.Why)
		return
	case same && folder:
		give(prefix, first.Why)
		return
	case same && flat && prefix != "":
		give(prefix+"*", first.Why)
		return
	}
	for len(tests) > 0 {
		next := step(tests[0].Path, len(prefix))
		n := 1
		for n < len(tests) && strings.HasPrefix(tests[n].Path, next) {
			n++
		}
		shorten(tests[:n], next, give)
		tests = tests[n:]
	}
}

// step is the beginning of a path up to the next mark that parts words.
func step(path string, from int) string {
	if i := strings.IndexAny(path[from:], "/-_."); i >= 0 {
		return path[:from+i+1]
	}
	return path
}
