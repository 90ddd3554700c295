package serve_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

func texts(result *mcp.CallToolResult) (all []string) {
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return all
}

// A model sees what a tool says itself, and what its author forgot.
func TestResultsHaveNotesAndCleanFailures(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, `/*---
kind: script
name: forgets
description: Forgets to await.
allowed_tools: [write]
---*/
export default (ctx) => { ctx.write("a.txt", "x"); return "done" }
`, `/*---
kind: script
name: fails
description: Fails.
---*/
export default (ctx) => ctx.fail("there is no invoice 7", {id: 7})
`)
	session := b.connect(t, nil)
	forgot := call(t, session, "forgets", nil)
	if want := []string{"done", `note: the call to tool "write" at ` + filepath.Join(b.dir, "tools/t0.js") + `:7:36 was not awaited; write await before it`}; forgot.IsError || !slices.Equal(texts(forgot), want) {
		t.Errorf("%q", texts(forgot))
	}
	failed := call(t, session, "fails", nil)
	if want := []string{"there is no invoice 7", "{\n  \"id\": 7\n}"}; !failed.IsError || !slices.Equal(texts(failed), want) {
		t.Errorf("%q", texts(failed))
	}
}
