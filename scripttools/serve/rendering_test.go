package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestAnswersDoNotMultiply: a model is sent at most about twice what the tool returned.
func TestAnswersDoNotMultiply(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{}, `/*---
kind: script
name: deep
description: Returns a value that is nested deep.
---*/
export default () => JSON.parse('['.repeat(990) + '1,'.repeat(30000) + '1' + ']'.repeat(990))
`, `/*---
kind: script
name: object
description: Returns an object that is nested deep.
---*/
export default () => JSON.parse('{"a":'.repeat(900) + '[' + '1,'.repeat(25000) + '1]' + '}'.repeat(900))
`, `/*---
kind: script
name: denied
description: Asks for what it is not given.
---*/
export default async (ctx) => { for (let i = 0; i < 500; i++) await ctx.tool("bash", {command: "x".repeat(2000)}).catch(() => {}); await ctx.tool("bash", {}) }
`).connect(t, nil)
	const most = 2*64<<10 + 8<<10
	for _, name := range []string{"deep", "object", "denied"} {
		result := call(t, session, name, nil)
		if size := len(text(result)); size == 0 || size > most {
			t.Errorf("%s: %d bytes of text", name, size)
		}
		encoded, err := json.Marshal(result.StructuredContent)
		if err != nil || len(encoded) > most {
			t.Errorf("%s: %d bytes of structured content, %v", name, len(encoded), err)
		}
		if name == "denied" && !strings.Contains(text(result), "and 491 more that were not allowed") {
			t.Errorf("not all refused calls are counted: %s", text(result))
		}
	}
}

// TestNotificationsAreBounded: a script that writes without end sends a bounded amount, and the
// client learns how much was dropped.
func TestNotificationsAreBounded(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 1000)
	session := offer(t, serve.Options{}, `/*---
kind: script
name: floods
description: Writes much.
---*/
export default () => { for (let i = 0; i < 300; i++) console.log("x".repeat(30000)); return 1 }
`).connect(t, &mcp.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { //nolint:staticcheck // as long as clients ask for it
			heard <- fmt.Sprint(r.Params.Data)
		},
	})
	params := &mcp.CallToolParams{Name: "floods", Meta: mcp.Meta{mcp.MetaKeyLogLevel: "info"}} //nolint:staticcheck // as above
	if result, err := session.CallTool(t.Context(), params); err != nil || result.IsError {
		t.Fatal(text(result), err)
	}
	bytes := 0
	for said := range heard {
		if bytes += len(said); bytes > 300<<10 {
			t.Fatalf("%d bytes were sent", bytes)
		}
		if strings.Contains(said, "notifications were dropped") {
			return
		}
	}
}
