package mcptools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The limits of a server's list of tools: the list is kept as long as the connection,
// and is shown to models.
const (
	maxTools     = 1000
	maxPages     = 100
	maxListBytes = 4 << 20
)

// listedTool is a tool that a server lists.
type listedTool struct {
	name, description string
	schema            json.RawMessage
}

// list asks for all tools.
func list(ctx context.Context, session *mcp.ClientSession) (listed []listedTool, err error) {
	params := &mcp.ListToolsParams{}
	size := 0
	for range maxPages {
		page, err := session.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		for _, tool := range page.Tools {
			if tool == nil {
				continue
			}
			text, err := json.Marshal(tool.InputSchema)
			if err != nil {
				return nil, err
			}
			size += len(tool.Name) + len(tool.Description) + len(text)
			listed = append(listed, listedTool{tool.Name, tool.Description, text})
		}
		switch {
		case len(listed) > maxTools:
			return nil, fmt.Errorf("it has more than %d tools, the most that are taken", maxTools)
		case size > maxListBytes:
			return nil, fmt.Errorf("its tools are described in more than %d bytes, the most that are taken", maxListBytes)
		case page.NextCursor == "":
			return listed, nil
		}
		params.Cursor = page.NextCursor
	}
	return nil, fmt.Errorf("it lists its tools on more than %d pages, the most that are read", maxPages)
}
