// Package mcptools makes host tools of the tools of other Model Context
// Protocol servers, which it starts, or reaches over HTTP.
//
//	github, err := mcptools.Connect(ctx, mcptools.Server{
//		Name: "github", Command: []string{"github-mcp-server", "stdio"}, Env: map[string]string{"GITHUB_TOKEN": token},
//	})
//	if err != nil {
//		return err
//	}
//	defer github.Close()
//	runner, err := runtime.New(runtime.Options{Tools: github.Tools()})
//
// The tool get_issue of that server is mcp__github__get_issue to scripts, and
// passes the gate like every other. Its result has the text of the answer as
// output, and as data the structured content, or else the text, parsed where it
// is a JSON object or array. An answer that the server calls an error rejects.
//
// A server that ends is started again by the next call, at once for the first
// time and then at growing intervals. A start belongs to all who wait for it,
// each as long as it may. The tools that a server lists when it is first
// connected are its tools for good; how many there may be is bounded.
//
// A server is a program of the operator's: it runs with the rights of the host,
// outside the sandbox of commands, and with no variables but those that it is
// given.
package mcptools
