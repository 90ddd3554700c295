package realm

import "testing"

// TestTheInnermostOpenBracketIsFound: texts, comments, templates and regular expressions open none.
func TestTheInnermostOpenBracketIsFound(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"f(a, [1, 2": "[1, 2", "f(a, [1, 2]": "(a, [1, 2]", "f(a)": "", "": "",
		"{ ')' (": "(", `x = "(" + '[' + "\"{"`: "", "// (\n[": "[", "/* ( */ {": "{", "/* (": "",
		"`(${a[`": "[`", "`${f(1)} (`": "", "`${`${x}`}` + (": "(", "a / (b / c": "(b / c", "x = /[/(]\\(/.test(": "(", "return (/a(/": "(/a(/",
		"f(a))}": "", "`(": "",
	} {
		got := ""
		if at := innermost(src); at >= 0 {
			got = src[at:]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func FuzzInnermost(f *testing.F) {
	for _, seed := range []string{"f(`${a", "/[/", "'\\", "}}}", "`${`${", "/*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if at := innermost(src); at >= 0 && (at >= len(src) || closes[src[at]] == 0) {
			t.Errorf("%q: %d", src, at)
		}
	})
}
