package serve

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestEncodedAtOnceIsTheSame: a large result decodes to the same value as the library's
// encoding, and no character takes six.
func TestEncodedAtOnceIsTheSame(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain": strings.Repeat("a", 100_000), "markup": strings.Repeat("<&>", 40_000),
		"quotes": strings.Repeat("\"\\\n\u2028", 30_000), "wide": "x" + strings.Repeat("語😀é", 20_000),
		"broken": strings.Repeat("\xff\xf0\x9f", 30_000), "a piece": strings.Repeat("b", quotePiece), "two": strings.Repeat("b", 2*quotePiece),
	} {
		value, err := json.Marshal(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		result := &mcp.CallToolResult{
			Meta: mcp.Meta{"k": `"content":[]`}, IsError: true, StructuredContent: json.RawMessage(value),
			Content: []mcp.Content{&mcp.TextContent{Text: text}, &mcp.ResourceLink{URI: "u:<1>", Name: "n"}},
		}
		large, ok := encodeAtOnce(result).(encoded)
		if !ok {
			t.Fatalf("%s: a text of %d bytes is encoded by the library", name, len(text))
		}
		ours, err := large.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := result.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal(ours, &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %.500s", name, diff)
		}
		if before, _, _ := bytes.Cut(ours, []byte(`,"structuredContent"`)); name == "markup" && len(before) > len(text)+1000 {
			t.Errorf("%d bytes for a text of %d", len(before), len(text))
		}
	}
}
