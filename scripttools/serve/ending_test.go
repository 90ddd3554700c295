package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestServerThatEnds says so, in place of blaming the arguments, and begins no sessions.
func TestServerThatEnds(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	web := b.listen(t, serve.HTTPOptions{})
	session := b.connect(t, nil)
	if err := b.runner.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
	if err != nil {
		t.Fatal(err)
	}
	told := text(result)
	if outcome := result.Meta["scriptrun/outcome"]; !result.IsError || outcome != "cancelled" ||
		!strings.Contains(told, "the server is ending; call it again once it runs") || strings.Contains(told, "arguments") {
		t.Errorf("got %v, %s", outcome, told)
	}
	status, headers, text := post(t, web, hello, nil)
	if status != http.StatusServiceUnavailable || headers.Get("Retry-After") == "" || !strings.Contains(text, "the server is ending") {
		t.Errorf("a new session: %d, %s", status, text)
	}
}
