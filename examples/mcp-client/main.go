// Command mcp-client starts scriptrun serve, as an agent does, lists its tools
// and calls one: mcp-client TOOLS-DIRECTORY NAME JSON-ARGUMENTS.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("usage: mcp-client TOOLS-DIRECTORY NAME JSON-ARGUMENTS")
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.CommandContext(ctx, "scriptrun", "serve", "--tools", args[0])}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		fmt.Println(tool.Name, "-", tool.Description)
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: args[1], Arguments: json.RawMessage(args[2])})
	if err != nil {
		return err
	}
	for _, part := range result.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	if result.IsError {
		return errors.New("the tool failed")
	}
	return nil
}
