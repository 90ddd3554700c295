package main

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServerHasLimitsForCode: --limit sets them, and a message that says one was hit names the flag.
func TestServerHasLimitsForCode(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]string{"maxToolCalls=1": "raise the server's --limit maxToolCalls, or make fewer calls", "maxToolCalls=25": "made 22"} {
		session, _ := served(t, folderOf(t, map[string]string{"a": "1"}), "--eval", "--allow", "ls", "--limit", limit)
		code := "for (let i = 0; i < 22; i++) await ctx.ls(); return 'made 22'"
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "eval", Arguments: map[string]any{"code": code}})
		if err != nil {
			t.Fatal(err)
		}
		if said := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(said, want) { //nolint:forcetypeassert // eval answers with text
			t.Errorf("with %s it says %s", limit, said)
		}
	}
}
