package mcptools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
)

// unwrap makes a plain value of an answer.
func unwrap(answer *mcp.CallToolResult) hostapi.Result {
	text := textOf(answer.Content)
	result := hostapi.Result{Output: text, Data: dataOf(answer, text)}
	if answer.IsError {
		result.Outcome, result.ExitCode, result.Throws = hostapi.OutcomeFailed, 1, true
		if result.Output == "" {
			result.Output = "the server reported a failure without a message"
		}
	}
	return result
}

// textOf is the content as text, a part on each line.
func textOf(content []mcp.Content) string {
	var parts []string
	for _, part := range content {
		switch part := part.(type) {
		case *mcp.TextContent:
			parts = append(parts, part.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[image, %s, %d bytes]", part.MIMEType, len(part.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[audio, %s, %d bytes]", part.MIMEType, len(part.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[resource %s]", part.URI))
		case *mcp.EmbeddedResource:
			if part.Resource != nil && part.Resource.Text != "" {
				parts = append(parts, part.Resource.Text)
			} else if part.Resource != nil {
				parts = append(parts, fmt.Sprintf("[resource %s, %s, %d bytes]", part.Resource.URI, part.Resource.MIMEType, len(part.Resource.Blob)))
			}
		}
	}
	return strings.Join(parts, "\n")
}

// dataOf is the structured content. Without it, it is the text: parsed if it is a JSON
// object or array.
func dataOf(answer *mcp.CallToolResult, text string) json.RawMessage {
	if answer.StructuredContent != nil {
		if data, err := json.Marshal(answer.StructuredContent); err == nil {
			return data
		}
	}
	trimmed := strings.TrimSpace(text)
	if (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) && json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	data, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return data
}
