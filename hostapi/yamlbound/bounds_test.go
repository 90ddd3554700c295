package yamlbound_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/lexer"
	"github.com/scriptrun/scriptrun/hostapi/yamlbound"
)

func keys(indent string, n int, after string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sk%d:%s\n", indent, i, after)
	}
	return b.String()
}

func TestWhatTakesAParserLongIsFound(t *testing.T) {
	t.Parallel()
	bounds := yamlbound.Bounds{Tokens: 10_000, Depth: 50, Keys: 100, Paths: 1 << 20, Empty: 200}
	for text, want := range map[string]string{
		"":                                             "",
		keys("", 100, ""):                              "",
		keys("", 101, ""):                              "keys",
		keys("", 101, " v"):                            "keys",
		"a:\n" + keys("  ", 101, " v"):                 "keys",
		"- " + keys("  ", 101, " v")[2:]:               "keys",
		strings.Repeat("? a\n", 101):                   "keys",
		strings.Repeat("--- a\n", 101):                 "documents",
		strings.Repeat("...\n", 101):                   "documents",
		strings.Repeat("- a: b\n", 2000):               "", // two thousand maps of one key
		strings.Repeat("- a: b\n", 4000):               "values",
		strings.Repeat("- "+keys("  ", 50, "")[2:], 4): "",
		strings.Repeat("- "+keys("  ", 50, "")[2:], 5): "keys",
		"a: {" + strings.Repeat("a: b, ", 500) + "}":   "", // the parser is linear there
		strings.Repeat("[", 60):                        "nesting",
		strings.Repeat("- ", 60) + "x":                 "nesting",
		strings.Repeat("k", 1<<20) + ": v":             "text in keys",

		strings.Repeat("-\n", 200):              "",
		strings.Repeat("-\n", 201):              "without a value",
		strings.Repeat("- -\n", 201):            "without a value",
		strings.Repeat("- # c\n", 201):          "without a value",
		strings.Repeat("- a:\n", 201):           "without a value",
		strings.Repeat("- a: 1\n  b:\n", 201):   "without a value",
		strings.Repeat("- {a: , b: }\n", 101):   "without a value",
		strings.Repeat("- ? a\n", 201):          "without a value",
		strings.Repeat("-\n  x\n", 201):         "",
		strings.Repeat("- a:\n  - 1\n", 201):    "",
		strings.Repeat("- a:\n    b: 1\n", 201): "",
		strings.Repeat("- # c\n  x\n", 201):     "",
	} {
		at, what := bounds.Exceeded(lexer.Tokenize(text))
		if !strings.Contains(what, want) || (want == "") != (what == "") || (at == nil) != (what == "") {
			t.Errorf("%.60q: %q at %v, not %q", text, what, at, want)
		}
	}
}
