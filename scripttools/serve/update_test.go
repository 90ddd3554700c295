package serve_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestWhatIsListedCanBeCalled at once, while the catalog grows.
func TestWhatIsListedCanBeCalled(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{})
	const most = 40
	for n := range most {
		b.write(t, fmt.Sprintf("tools/t%02d.js", n), "/*---\nkind: script\ndescription: d\n---*/\nexport default () => 1\n")
	}
	all, err := scripttools.Load(t.Context(), b.runner, scripttools.Dir{Path: filepath.Join(b.dir, "tools")})
	if err != nil {
		t.Fatal(err)
	}
	session := b.connect(t, nil)
	updated := make(chan struct{})
	go func() {
		defer close(updated)
		for n := range most {
			last := fmt.Sprintf("t%02d", n)
			b.server.Update(all.Without(func(spec *scripttools.ScriptToolSpec) bool { return spec.Name > last }))
		}
	}()
	for listed := 0; listed < most; {
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if listed = len(list.Tools); listed == 0 {
			continue
		}
		name := list.Tools[listed-1].Name
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err != nil {
			t.Fatalf("%s was listed: %v", name, err)
		}
	}
	<-updated
}
