package serve_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/runtime"
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
	if want := []string{"there is no invoice 7", `{"id":7}`}; !failed.IsError || !slices.Equal(texts(failed), want) {
		t.Errorf("%q", texts(failed))
	}
}

// A text that is too long for a model is cut, and is whole in a resource.
func TestLongTextIsAResource(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{SpillDir: t.TempDir()}, `/*---
kind: script
name: long
description: Returns a long text.
---*/
export default () => "a" + "x".repeat(1e5) + "z"
`).connect(t, nil)
	long := call(t, session, "long", nil)
	link, ok := long.Content[len(long.Content)-1].(*mcp.ResourceLink)
	if all := texts(long); len(all) != 2 || len(all[0]) < 65000 || len(all[0]) > 64<<10 || !strings.HasPrefix(all[1], "note: the value was cut: it is a text of 100002 bytes") || !ok {
		t.Fatalf("%.200q", all)
	}
	whole, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
	if err != nil || len(whole.Contents) != 1 || len(whole.Contents[0].Text) != 100002 {
		t.Errorf("%v, %+v", err, link)
	}
}

// What a receipt is counted for is about what it takes, with its notes and data.
func TestReceiptsAreCountedWhole(t *testing.T) {
	t.Parallel()
	runner, err := runtime.New(runtime.Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, body := range []string{
		"for (let i = 0; i < 900; i++) ctx.tool('not' + 'x'.repeat(150)).catch(() => {}); return 1",
		"ctx.fail('x', 'y'.repeat(60000))",
	} {
		report := runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Name: "t.js", Body: []byte(body), FunctionBody: true}})
		encoded, err := json.Marshal(report)
		if weight := serve.Weight(report); err != nil || weight < len(encoded)*3/4 {
			t.Errorf("%s: counted for %d bytes, and takes %d, %v", body, weight, len(encoded), err)
		}
	}
}

// A model that misspells an input is told, though the schema takes it.
func TestResultsNameInputsThatAreNotDeclared(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{}, `/*---
kind: script
name: greet
description: Greets.
input_schema: {type: object, properties: {name: {type: string, default: you}}}
---*/
export default (ctx, { name }) => "hello " + name
`).connect(t, nil)
	result := call(t, session, "greet", map[string]any{"nam": "Ann"})
	want := []string{"hello you", `note: the tool declares no input "nam"; did you mean "name"?`}
	if result.IsError || !slices.Equal(texts(result), want) {
		t.Errorf("%q", texts(result))
	}
}

// TestModelsAreToldOfAForgottenReturn in code of their own.
func TestModelsAreToldOfAForgottenReturn(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{Eval: &serve.Eval{}}).connect(t, nil)
	for code, noted := range map[string]bool{"1 + 1": true, "return null": false, "console.log(1)": false} {
		if got := strings.Join(texts(call(t, session, "eval", map[string]any{"code": code})), " "); strings.Contains(got, "note: the code returned nothing; write return") != noted {
			t.Errorf("%s: %s", code, got)
		}
	}
}
