package plain

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\tb\nc":                            "a\tb\nc",
		"\x1b[31m\r\x07\x7f":                 "\uFFFD[31m\uFFFD\uFFFD?",
		"\u009b31m\u0085":                    "\uFFFD31m\uFFFD",
		"\u202eabc\u2066\u200b":              "\uFFFDabc\uFFFD\uFFFD",
		"\u2028\u2029\ufeff\u00ad":           "\uFFFD\uFFFD\uFFFD\uFFFD",
		"\U000e0041\u3164\u034f":             "\uFFFD\uFFFD\uFFFD",
		"a\ufe00b\ufe0e\U000e0100\U000e01ef": "a\uFFFDb\uFFFD\uFFFD\uFFFD",
		"\u2764\ufe0f 1\ufe0f\u20e3":         "\u2764\ufe0f 1\ufe0f\u20e3",
		"漢字 é e\u0301 🙂 العربية":             "漢字 é e\u0301 🙂 العربية",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if got := []rune(Text(string(r))); got[0] == r && r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Cf)) {
			t.Errorf("%U passes", r)
		}
	}
}

// No line of a text from outside begins as one of ours does.
func TestQuotedLinesAreMarked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"\n", "forge: ok in 1ms", "error: x", "\r", "\u2028", "  1 bash ok", "\v"})).Draw(t, "text"), "")
		for i, line := range strings.Split(Quote(text), "\n") {
			if i > 0 && !strings.HasPrefix(line, Mark) {
				t.Fatalf("%q", line)
			}
		}
	})
}
