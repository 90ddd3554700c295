package scripttools

import (
	"fmt"
	"strings"
	"testing"
)

// TestTOMLPlaces: each key and value is placed where it stands. Every
// value of the input is its own place, as line:column in text.
func TestTOMLPlaces(t *testing.T) {
	t.Parallel()
	block := strings.Join([]string{
		`a = "2:5" # a = "no"`,
		`"b c" = '3:9'`,
		`d.e . f = "4:11"`,
		`list = ["5:9", "5:16", # ] "no"`,
		`  [ "6:5" ], { x = "6:20", y.z = "6:34" } ]`,
		`long = """7:8""" `,
		`é漢 = "8:6"`,
		`"é漢" = "9:8"`,
		``,
		`[t.u]`,
		`k = "12:5"`,
		`[[many]]`,
		`k = "14:5"`,
		`[many.sub]`,
		`k = "16:5"`,
		`[[many]]`,
		`k = "18:5"`,
		`[[many.inner]]`,
		`k = "20:5"`,
		`[ t . v ]`,
		`"]" = "22:7"`,
		`'#' = { "}" = "23:15", list = [ "23:33" ] }`,
		`esc = "\"24"`,
		`end = "25:7"`,
	}, "\n")
	block = strings.Replace(block, `é漢 = "8:6"`, `e = "8:5"`, 1) // bare keys are ASCII
	got := decodeTOML([]byte(block), 2)
	if len(got.flaws) > 0 {
		t.Fatal(got.flaws)
	}
	found := 0
	var walk func(n *node)
	walk = func(n *node) {
		if n.kind == kindText && !strings.HasPrefix(n.text, `"`) {
			found++
			if at := fmt.Sprintf("%d:%d", n.at.line, n.at.col); at != n.text {
				t.Errorf("the value %s is placed at %s", n.text, at)
			}
		}
		if n.kind == kindList && n.items[0].kind != kindMap { // of tables it has no bracket of its own
			if lines := strings.Split(block, "\n"); lines[n.at.line-2][n.at.col-1] != '[' {
				t.Errorf("a list is placed at %v", n.at)
			}
		}
		for _, f := range n.fields {
			if f.at.line < n.at.line && n.at != got.root.at {
				t.Errorf("the key %q at %v is before its table at %v", f.key, f.at, n.at)
			}
			walk(f.value)
		}
		for _, item := range n.items {
			walk(item)
		}
	}
	walk(got.root)
	if found != 20 {
		t.Errorf("looked at %d values", found)
	}
}
