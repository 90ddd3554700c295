package serve_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// A catalog over HTTP, and a client that calls one of its tools.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := "/*---\nkind: script\nname: greet\ndescription: Greet somebody.\n---*/\nexport default (ctx, inputs) => `hello, ${inputs.name}`\n"
	if err := os.WriteFile(filepath.Join(dir, "greet.js"), []byte(file), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	if err := greet(context.Background(), dir); err != nil {
		fmt.Println(err)
	}
	// Output: hello, Ann
}

func greet(ctx context.Context, dir string) error {
	runner, err := runtime.New(runtime.Options{})
	if err != nil {
		return err
	}
	defer runner.Close()
	catalog, err := scripttools.LoadDir(ctx, runner, dir)
	if err != nil {
		return err
	}
	server, err := serve.New(serve.Options{Runner: runner, Catalog: catalog})
	if err != nil {
		return err
	}
	defer server.Close()
	listens := httptest.NewServer(server.Handler(serve.HTTPOptions{}))
	defer listens.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: listens.URL + "/mcp"}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: map[string]any{"name": "Ann"}})
	if err != nil {
		return err
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	return nil
}
