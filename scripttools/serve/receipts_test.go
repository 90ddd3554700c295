package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestReceiptsBelongToTheToken: only the token that made a run reads its receipt and outputs,
// in any of its sessions.
func TestReceiptsBelongToTheToken(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{SpillDir: t.TempDir()}, `/*---
kind: script
name: much
description: Prints much.
allowed_tools: [bash]
limits: {maxOutputBytes: 65536}
---*/
export default async (ctx) => (await ctx.tool("bash", { command: "i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done" })).truncated
`)
	tokens := []string{"the-first-of-two-tokens", "the-other-of-two-tokens"}
	guarded := b.listen(t, serve.HTTPOptions{Tokens: tokens})
	open := b.listen(t, serve.HTTPOptions{})
	mine, again, theirs := dial(t, guarded, tokens[0]), dial(t, guarded, tokens[0]), dial(t, guarded, tokens[1])
	one, other := dial(t, open, ""), dial(t, open, "")
	for _, session := range []*mcp.ClientSession{mine, again, theirs, one, other} {
		defer session.Close()
	}
	for _, c := range []struct {
		ran     *mcp.ClientSession
		readers map[*mcp.ClientSession]bool
	}{
		{mine, map[*mcp.ClientSession]bool{mine: true, again: true, theirs: false, one: false}},
		{one, map[*mcp.ClientSession]bool{one: true, other: false, mine: false}},
	} {
		result := call(t, c.ran, "much", nil)
		link, ok := result.Content[len(result.Content)-1].(*mcp.ResourceLink)
		if !ok {
			t.Fatalf("%+v", result.Content)
		}
		if other := call(t, other, "much", nil); other.IsError { // a session that has runs of its own
			t.Error(text(other))
		}
		for reader, may := range c.readers {
			for _, uri := range []string{result.Meta["scriptrun/report"].(string), link.URI} {
				if got, err := reader.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); (err == nil) != may {
					t.Errorf("%s: %v, %v; may read: %v", uri, got, err, may)
				}
			}
		}
	}
}

// TestNothingIsSharedByCaches: no cache may give one client's answers to another.
func TestNothingIsSharedByCaches(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, add).raw(t, "2025-11-25")
	client.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	client.hear(`"cacheScope":"private"`)
	client.say(`{"jsonrpc":"2.0","id":2,"method":"resources/templates/list"}`)
	client.hear(`"cacheScope":"private"`)
	client.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`)
	var answer struct {
		Result struct {
			Meta map[string]string `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(client.hear(`"sum":3`)), &answer); err != nil {
		t.Fatal(err)
	}
	client.say(`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"` + answer.Result.Meta["scriptrun/report"] + `"}}`)
	client.hear(`"cacheScope":"private"`, "outcome")
}

// TestHalfSurrogatePairsAreRefused: no argument changes on its way to a tool.
func TestHalfSurrogatePairsAreRefused(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{Eval: &serve.Eval{}, Direct: []string{"read"}}, `/*---
kind: script
name: echo
description: Echoes.
input_schema: {type: object}
---*/
export default (ctx, inputs) => JSON.stringify(inputs)
`).raw(t, "2025-11-25")
	for _, bad := range []string{`\ud800`, `\uDFFF`, `x\udc00\ud800`, `\ud800\n`, `\ud83d\u0041`, `\\\ud83d`} {
		for _, arguments := range []string{`"name":"echo","arguments":{"s":"BAD"}`, `"name":"echo","arguments":{"BAD":1}`, `"name":"eval","arguments":{"code":"return 'BAD'"}`, `"name":"read","arguments":{"file_path":"BAD"}`} {
			client.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + strings.ReplaceAll(arguments, "BAD", bad) + `}}`)
			client.hear("invalid_input", "half of a surrogate pair", `"isError":true`)
		}
	}
	for _, good := range []string{`\ud83d\ude00`, `\\ud800`, `\\\\ud800\u00e9`} {
		client.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"s":"` + good + `"}}}`)
		if line := client.hear(`"content"`); strings.Contains(line, "isError") || strings.Contains(line, "\ufffd") {
			t.Errorf("%s: %s", good, line)
		}
	}
}
