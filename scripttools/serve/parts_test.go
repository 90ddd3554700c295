package serve_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

const lists = `/*---
kind: script
name: lists
description: Returns a long list.
limits: {maxOutputBytes: 400000}
---*/
export default () => Array.from({length: 9000}, (_, i) => ({ name: "ä" + i, n: i }))
`

const declared = `/*---
kind: script
name: declared
description: Returns a long list, as it declares.
limits: {maxOutputBytes: 400000}
output_schema: {type: array}
---*/
export default () => Array.from({length: 3000}, (_, i) => "entry " + i)
`

const fails = `/*---
kind: script
name: fails
description: Says much, and fails.
---*/
export default () => { for (let i = 0; i < 40; i++) console.log("step " + i + "\n  more"); throw new Error("boom " + "x".repeat(20000)) }
`

const texts300 = `/*---
kind: script
name: long
description: Returns a text over its own limit.
limits: {maxOutputBytes: 100000}
---*/
export default () => "begin " + "ä".repeat(150000) + " end"
`

// TestLongResultsAreCutAndReadToTheEnd by the tool that the text names, to the letter.
func TestLongResultsAreCutAndReadToTheEnd(t *testing.T) {
	t.Parallel()
	const most = 10 << 10
	session := offer(t, serve.Options{MaxResultBytes: most, SpillDir: t.TempDir()}, lists, texts300).connect(t, nil)
	for _, tool := range []string{"lists", "long"} {
		result := call(t, session, tool, nil)
		shown := text(result)
		if len(shown) > most || result.StructuredContent != nil {
			t.Errorf("%s: %d bytes, with %T", tool, len(shown), result.StructuredContent)
		}
		next := regexp.MustCompile(`(\d+) of (\d+) bytes are left out here; read_output \{"run": "(\w+)", "part": "value", "offset": (\d+)\} goes on, and all of it is the resource (\S+) …`).FindStringSubmatch(shown)
		if next == nil {
			t.Fatalf("%s: %s", tool, shown)
		}
		head, tail, _ := strings.Cut(shown, "\n… "+next[1])
		_, tail, _ = strings.Cut(tail, " …\n")
		var whole strings.Builder
		whole.WriteString(head)
		offset, _ := strconv.Atoi(next[4])
		for steps := 0; ; steps++ {
			piece := texts(call(t, session, "read_output", map[string]any{"run": next[3], "offset": offset, "limit": 65537}))
			if len(piece) != 2 || steps > 100 {
				t.Fatal(piece)
			}
			whole.WriteString(piece[0])
			var from, to, size int
			if _, err := fmt.Sscanf(piece[1], "bytes %d to %d of %d", &from, &to, &size); err != nil || from != offset || to-from != len(piece[0]) {
				t.Fatal(piece[1], err)
			}
			if offset = to; to == size {
				break
			}
		}
		got := whole.String()
		if size, _ := strconv.Atoi(next[2]); len(got) != size || !strings.HasSuffix(got, tail) || strings.Contains(got, "\ufffd") {
			t.Errorf("%s: %d bytes are read of %s, with the end %q", tool, len(got), next[2], got[max(len(got)-20, 0):])
		}
		resource, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: next[5]})
		if err != nil || resource.Contents[0].Text != got {
			t.Errorf("%s: the resource differs: %v", tool, err)
		}
	}
}

// TestShortResultsAreWhole, and what a schema declares is kept.
func TestShortResultsAreWhole(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{MaxResultBytes: 1 << 10}, add, declared).connect(t, nil)
	if result := call(t, session, "add", map[string]any{"a": 1, "b": 2}); text(result) != `{"sum":3}` {
		t.Error(text(result))
	}
	result := call(t, session, "declared", nil)
	kept, _ := result.StructuredContent.(map[string]any)
	if all, _ := kept["result"].([]any); len(all) != 3000 || len(text(result)) > 1<<10 {
		t.Errorf("%d entries, %d bytes", len(all), len(text(result)))
	}
}

// TestTheEndOfTheConsoleIsInTheText of a failure: clients show models no logs.
func TestTheEndOfTheConsoleIsInTheText(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{MaxResultBytes: 4 << 10}, fails).connect(t, nil)
	result := call(t, session, "fails", nil)
	said := text(result)
	if len(said) > 4<<10 || !strings.HasPrefix(said, "script_error: ") || !strings.Contains(said, "| step 39\n|   more") || strings.Contains(said, "| step 29\n") {
		t.Errorf("%d bytes: %s", len(said), said)
	}
	run := result.Meta["scriptrun/run"]
	for name, c := range map[string]struct {
		arguments map[string]any
		want      string
		isError   bool
	}{
		"the receipt":       {map[string]any{"run": run, "part": "report", "limit": 100}, `{"run":`, false},
		"no such run":       {map[string]any{"run": "X"}, `there is no run "X"`, true},
		"no such part":      {map[string]any{"run": run, "part": "../x"}, "has no part \"../x\"; its parts are value, report", true},
		"a wrong limit":     {map[string]any{"run": run, "limit": 0}, "invalid_input", true},
		"a negative offset": {map[string]any{"run": run, "offset": -1}, "invalid_input", true},
		"a wrong type":      {map[string]any{"run": 1}, "invalid_input", true},
		"beyond the end":    {map[string]any{"run": run, "part": "report", "offset": 1 << 40}, "", false},
	} {
		if got := call(t, session, "read_output", c.arguments); got.IsError != c.isError || !strings.HasPrefix(text(got), c.want) && !strings.Contains(text(got), c.want) {
			t.Errorf("%s: %q", name, texts(got))
		}
	}
}

// TestOthersReadNoResults: a run is its session's, or its token's.
func TestOthersReadNoResults(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{MaxResultBytes: 1 << 10}, add)
	mine, others := b.connect(t, nil), b.connect(t, nil)
	run := call(t, mine, "add", map[string]any{"a": 1, "b": 2}).Meta["scriptrun/run"]
	if got := call(t, mine, "read_output", map[string]any{"run": run}); got.IsError || text(got) != `{"sum":3}` {
		t.Error(text(got))
	}
	if got := call(t, others, "read_output", map[string]any{"run": run}); !got.IsError || strings.Contains(text(got), "sum") {
		t.Error(text(got))
	}
}

// TestNamesOfTheServersOwnToolsAreTheirs: a file of such a name is not offered.
func TestNamesOfTheServersOwnToolsAreTheirs(t *testing.T) {
	t.Parallel()
	named := func(name string) string { return strings.Replace(add, "name: add", "name: "+name, 1) }
	session := offer(t, serve.Options{MaxResultBytes: 1 << 10, Eval: &serve.Eval{}}, named("read_output"), named("eval")).connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 || strings.Contains(list.Tools[0].Description+list.Tools[1].Description, "Add") {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := serve.New(serve.Options{Runner: new(runtime.Runner), MaxResultBytes: 10}); err == nil || !strings.Contains(err.Error(), "MaxResultBytes is 10") {
		t.Error(err)
	}
}
