package scripttools_test

import (
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// costlyHeaders are files as large as a file may be, whose headers multiply
// what they hold, or nest it, or repeat it.
func costlyHeaders() map[string]string {
	const size = runtime.MaxSourceBytes - 1000
	r := func(s string) string { return strings.Repeat(s, size/len(s)) }
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	half := strings.Repeat("k", size/2)
	yaml := func(s string) string {
		return "/*---\nkind: script\ndescription: x\n" + s + "\n---*/\nfunction run() {}\n"
	}
	toml := func(s string) string {
		return "/*+++\nkind = 'script'\ndescription = 'x'\n" + s + "\n+++*/\nfunction run() {}\n"
	}
	json := func(s string) string {
		return "/*;;;\n{\"kind\":\"script\",\"description\":\"x\",\"x\":" + s + "}\n;;;*/\nfunction run() {}\n"
	}
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 64; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
	}
	return map[string]string{
		"yaml anchors of anchors":     yaml(laughs),
		"yaml many aliases":           yaml("a: &a " + strings.Repeat("x", 1000) + "\nb: [" + strings.Repeat("*a,", 30000) + "]"),
		"yaml many anchors":           yaml(numbered("a%d: &a%[1]d x\n")),
		"yaml lists in lists":         yaml("a: " + r("[")),
		"yaml lists in lists, closed": yaml("a: " + strings.Repeat("[", size/2) + strings.Repeat("]", size/2)),
		"yaml maps in maps":           yaml("a: " + r("{a: ")),
		"yaml indented": yaml(func() string {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String()
		}()),
		"yaml dashes":                             yaml("a:\n " + r("- ")),
		"yaml dashes on lines":                    yaml("a:\n" + r(" - x\n")),
		"yaml keys without values":                yaml(numbered("k%d:\n")),
		"yaml documents of a word":                yaml(r("--- a\n")),
		"yaml keys in question":                   yaml(r("? a\n")),
		"yaml question marks":                     yaml(r("? ")),
		"yaml a long line":                        yaml("a: " + r("x")),
		"yaml a long quoted line":                 yaml("a: \"" + r("\\x41") + "\""),
		"yaml a long block":                       yaml("a: |\n" + r("  x\n")),
		"yaml many keys":                          yaml(numbered("k%d: 1\n")),
		"yaml the same key":                       yaml(r("k: 1\n")),
		"yaml tags":                               yaml("a: " + r("!a ")),
		"yaml colons":                             yaml(r("a: ")),
		"yaml comments":                           yaml(r("# x\n")),
		"yaml blank":                              yaml(r("\n") + "x: 1"),
		"yaml spaces":                             yaml(r(" ") + "\nx: 1"),
		"yaml tabs":                               yaml(r("\t")),
		"yaml documents":                          yaml(r("--- \n")),
		"yaml fences":                             yaml(numbered("x%d\n ---\n")),
		"yaml carriage returns":                   yaml(r("\r")),
		"yaml flow keys":                          yaml("a: {" + numbered("k%d, ") + "}"),
		"yaml rules":                              yaml("allowed_tools: [" + numbered("t%d, ") + "]"),
		"yaml the same rule":                      yaml("allowed_tools: [" + r("read, ") + "]"),
		"names that are required and not allowed": yaml("input_schema: {additionalProperties: false, required: [" + numbered("k%d, ")[:size/2] + "]}"),
		"names that are required in many parts":   yaml("input_schema: {allOf: [" + strings.Repeat("{properties: {a: {}}}, ", size/2/23) + "], required: [" + numbered("k%d, ")[:size/3] + "]}\nx: 1"),
		"names that nothing evaluates":            yaml("input_schema: {unevaluatedProperties: false, anyOf: [" + strings.Repeat("{properties: {a: {}}}, ", size/2/23) + "], required: [" + numbered("k%d, ")[:size/3] + "]}\nx: 1"),
		"names that are none of many":             yaml("input_schema: {propertyNames: {enum: [" + numbered("k%d, ")[:size/3] + "]}, required: [" + numbered("j%d, ")[:size/3] + "]}"),
		"toml a long heading":                     toml("[" + half + "]\n" + strings.Repeat("a=1\n", size/8)),
		"toml a long heading, keys":               toml("[" + half + "]\n" + numbered("k%d=1\n")[:size/2-4]),
		"toml a long key of a list":               toml(half + " = [" + strings.Repeat("1,", size/4) + "]"),
		"toml a long key of a table":              toml(half + " = {" + strings.Repeat("a=1,", size/8) + "}"),
		"toml a long way to many keys": toml(func() string {
			deep := "a = " + strings.Repeat("{"+strings.Repeat("k", 900)+"=", 60)
			return deep + "{" + numbered("k%d=1,")[:size/2] + "}"
		}()),
		"toml many headings":           toml(numbered("[k%d]\n")),
		"toml many tables":             toml(r("[[k]]\n")),
		"toml tables below tables":     toml(r("[[k]]\n[k.k]\n")),
		"toml headings below one":      toml("[k]\n" + numbered("[k.k%d]\n")),
		"toml dotted keys":             toml(r("a.") + "a=1"),
		"toml dotted keys, many":       toml(numbered("a.a.a.a.a.a.a.k%d=1\n")),
		"toml lists in lists":          toml("a = " + r("[")),
		"toml tables in tables":        toml("a = " + r("{a=")),
		"toml a long list":             toml("a = [" + r("1,") + "]"),
		"toml a list of tables":        toml("a = [" + r("{},") + "]"),
		"toml many keys":               toml(numbered("k%d=1\n")),
		"toml the same key":            toml(r("k=1\n")),
		"toml a long text":             toml("a = \"" + r("\\u0041") + "\""),
		"toml a text without end":      toml("a = \"\"\"" + r("\"\" ")),
		"toml quotes":                  toml(r("\"")),
		"toml what is no pair":         toml(r("a\n")),
		"toml dates":                   toml("a = [" + r("1979-05-27,") + "]"),
		"json lists in lists":          json(r("[")),
		"json lists in lists, closed":  json(strings.Repeat("[", 9000) + strings.Repeat("]", 9000)),
		"json maps in maps":            json(r("{\"a\":")),
		"json a long list":             json("[" + r("1,") + "1]"),
		"json many keys":               json("{" + numbered("\"k%d\":1,") + "\"k\":1}"),
		"json the same key":            json("{" + r("\"k\":1,") + "\"k\":1}"),
		"json a long text":             json("\"" + r("\\u0041") + "\""),
		"json a long number":           json(r("1")),
		"json spaces":                  json(r(" ") + "1"),
		"js comments on one line":      r("/**/"),
		"js comments before spaces":    strings.Repeat("/**/", size/8) + strings.Repeat(" ", size/2),
		"js comments on lines":         r("//\n"),
		"js comments that do not end":  r("/* "),
		"js a header that is indented": strings.Repeat("/**/\n", size/8) + " /*---\nkind: script\n---*/",
		"js a header without end":      "/*---\n" + r("---\n"),
		"js ends in the header":        yaml(r("*/")),
		"js ends in lines":             yaml(r("*/\n")),
	}
}

// TestCostlyHeadersAreReadInTime: what the host reads itself takes it no longer
// than its length, and no more memory.
func TestCostlyHeadersAreReadInTime(t *testing.T) {
	runner, err := runtime.New(runtime.Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	path := filepath.Join(t.TempDir(), "x.js")
	for name, text := range costlyHeaders() {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			_, err := scripttools.LoadFile(t.Context(), runner, path, "")
			goruntime.ReadMemStats(&after)
			if err == nil || len(err.Error()) > 256<<10 {
				t.Errorf("it said %v", err)
			}
			if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 200 {
				t.Errorf("it took %d MB", taken)
			}
		})
	}
}
