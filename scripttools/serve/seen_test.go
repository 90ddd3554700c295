package serve_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestSeeTellsWhatAClientGets: the tools with their schemas, which of them only read, and the
// answer to a call of none of them.
func TestSeeTellsWhatAClientGets(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, "/*---\nkind: script\nname: a\ndescription: Reads.\n---*/\nexport default () => 1\n",
		"/*---\nkind: script\nname: b\ndescription: Runs.\nallowed_tools: [bash]\n---*/\nexport default () => 1\n")
	seen, err := b.server.See(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(seen.Tools) != 2 || seen.Tools[0].Name != "a" || !strings.Contains(string(seen.Tools[0].Schema), `"properties":{}`) {
		t.Errorf("%+v", seen)
	}
	if len(seen.ReadOnly) != 1 || seen.ReadOnly[0] != "a" || seen.Protocol == "" || !strings.Contains(seen.Unknown, "unknown tool") {
		t.Errorf("%+v", seen)
	}
}
