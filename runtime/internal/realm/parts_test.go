package realm

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPartsAreThoseOfTheScript: the table of the parts of ctx, and the numbers of the shapes, say
// what ctx.js does.
func TestPartsAreThoseOfTheScript(t *testing.T) {
	t.Parallel()
	calls := regexp.MustCompile(`\bcall\("(\w+)"`)
	promises := regexp.MustCompile(`^return \([\w,. ]*\) =>\s+call\(`)
	_, made, _ := strings.Cut(ctxSource, "switch (key) {")
	sources := strings.Split(made, `case "`)[1:]
	if len(sources) != len(parts) {
		t.Errorf("ctx.js makes %d parts; the table has %d", len(sources), len(parts))
	}
	for _, source := range sources {
		name, body, _ := strings.Cut(source, `": `)
		tool := ""
		if m := calls.FindStringSubmatch(body); m != nil && name != "approve" { // which no tool has as its name
			tool = m[1]
		}
		if p := partNamed(name); p.name != name || p.tool != tool || p.promises != promises.MatchString(body) {
			t.Errorf("the table has %+v; ctx.js makes %s of tool %q", p, name, tool)
		}
	}
	numbers := regexp.MustCompile(`([A-Z]+) = (\d+)`).FindAllStringSubmatch(ctxSource, -1)
	shapes := map[string]int{
		"RESULT": shapeResult, "OUTPUT": shapeOutput, "TEXT": shapeText, "DATA": shapeData, "START": shapeStart,
		"WORDS": shapeWords, "DONE": shapeDone,
	}
	if len(numbers) != len(shapes) {
		t.Errorf("ctx.js has the shapes %q", numbers)
	}
	for _, m := range numbers {
		if n, known := shapes[m[1]]; !known || strconv.Itoa(n) != m[2] {
			t.Errorf("ctx.js has %s; here it is %d", m[0], n)
		}
	}
}
