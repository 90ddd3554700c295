package serve

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// encoded is a tool's result that is encoded in one step. The library encodes each part
// by itself and then all together, and writes < and its like as six characters.
type encoded struct{ *mcp.CallToolResult }

// MarshalJSON implements [json.Marshaler].
func (e encoded) MarshalJSON() ([]byte, error) {
	text, ok := e.Content[0].(*mcp.TextContent)
	if !ok {
		return e.CallToolResult.MarshalJSON()
	}
	rest := *e.CallToolResult
	rest.StructuredContent = nil
	rest.Content = append([]mcp.Content{&mcp.TextContent{}}, rest.Content[1:]...)
	small, err := json.Marshal(&rest)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(small, &members); err != nil {
		return nil, err
	}
	var contents []json.RawMessage
	if err := json.Unmarshal(members["content"], &contents); err != nil {
		return nil, err
	}
	delete(members, "content")
	value, _ := e.StructuredContent.(json.RawMessage)

	var b bytes.Buffer
	b.Grow(len(small) + len(value) + len(text.Text)*9/8)
	b.WriteString(`{"content":[{"type":"text","text":`)
	if err := quoteTo(&b, text.Text); err != nil {
		return nil, err
	}
	b.WriteByte('}')
	for _, other := range contents[1:] {
		b.WriteByte(',')
		b.Write(other)
	}
	b.WriteByte(']')
	if value != nil {
		b.WriteString(`,"structuredContent":`)
		b.Write(value)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		b.WriteString(`,"` + name + `":`)
		b.Write(members[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encodePlain encodes a result in one step, for versions of the protocol in which
// results have no other parts than these.
func encodePlain(result *mcp.CallToolResult) ([]byte, error) {
	value, isText := result.StructuredContent.(json.RawMessage)
	if len(result.Content) == 0 || !isText && result.StructuredContent != nil || result.InputRequests != nil {
		return result.MarshalJSON()
	}
	meta, err := json.Marshal(result.Meta)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if text, ok := result.Content[0].(*mcp.TextContent); ok {
		b.Grow(200 + len(meta) + len(value) + len(text.Text)*9/8)
	}
	for i, content := range result.Content {
		b.WriteString([]string{`{"content":[`, `,`}[min(i, 1)])
		if err := encodeContent(&b, content); err != nil {
			return nil, err
		}
	}
	b.WriteByte(']')
	if value != nil {
		b.WriteString(`,"structuredContent":`)
		if err := json.Compact(&b, value); err != nil { // a line break would end the message
			return nil, err
		}
	}
	if result.IsError {
		b.WriteString(`,"isError":true`)
	}
	if result.Meta != nil {
		b.WriteString(`,"_meta":`)
		b.Write(meta)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func encodeContent(b *bytes.Buffer, content mcp.Content) error {
	if text, ok := content.(*mcp.TextContent); ok && text.Meta == nil && text.Annotations == nil {
		b.WriteString(`{"type":"text","text":`)
		if err := quoteTo(b, text.Text); err != nil {
			return err
		}
		b.WriteByte('}')
		return nil
	}
	one, err := json.Marshal(content)
	b.Write(one)
	return err
}

// quotePiece is how much text is quoted at once.
const quotePiece = 32 << 10

// quoteTo writes a text as a JSON string, in pieces, so that a large one is not in
// memory twice.
func quoteTo(b *bytes.Buffer, text string) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	begin := b.Len()
	if text == "" {
		b.WriteString(`""`)
	}
	for text != "" {
		n := min(quotePiece, len(text))
		for n < len(text) && n > quotePiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		if b.Len() > begin { // the last piece ends with a quote and a newline
			b.Truncate(b.Len() - 2)
		}
		before := b.Len()
		if err := encoder.Encode(text[:n]); err != nil {
			return err
		}
		if before > begin { // and this piece begins with one
			whole := b.Bytes()
			copy(whole[before:], whole[before+1:])
			b.Truncate(b.Len() - 1)
		}
		text = text[n:]
	}
	if whole := b.Bytes(); whole[len(whole)-1] == '\n' {
		b.Truncate(b.Len() - 1)
	}
	return nil
}

// encodeAtOnce has a large result encoded in one step.
func encodeAtOnce(result *mcp.CallToolResult) mcp.Result {
	if len(result.Content) == 0 || result.InputRequests != nil {
		return result
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || len(text.Text) < quotePiece || text.Meta != nil || text.Annotations != nil {
		return result
	}
	return encoded{result}
}
