package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime"
)

// readName is the tool that reads what a result leaves out. Most agents show a model no
// resource, so that it needs a tool.
const readName = "read_output"

// The parts of a run that it reads besides files of its outputs.
const (
	partValue  = "value"  // the text of the value, whole
	partReport = "report" // the receipt
)

// MinResultBytes is the least value of [Options].MaxResultBytes above 0.
const MinResultBytes = 1 << 10

// readTool describes it to clients.
func readTool() *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name:        readName,
		Description: "Reads the rest of a result that was cut: a piece of a part of an earlier run.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		InputSchema: map[string]any{
			"type": "object", "required": []string{"run"}, "additionalProperties": false,
			"properties": map[string]any{
				"run":    map[string]any{"type": "string", "description": "the run, as the result names it"},
				"part":   map[string]any{"type": "string", "description": "value, report, or a file that the result names; value if left out"},
				"offset": map[string]any{"type": "integer", "description": "where to begin, in bytes; 0 if left out"},
				"limit":  map[string]any{"type": "integer", "description": fmt.Sprintf("how many bytes, at most %d; as many as a result has if left out", maxPiece)},
			},
		},
	}
}

// reads reports whether results are cut, and models read the rest with a tool.
func (s *Server) reads(name string) bool { return name == readName && s.options.MaxResultBytes > 0 }

// cut is a text with at most as many bytes as a result may have: its beginning, its end,
// and a line between them that says how to read the rest.
func (s *Server) cut(text, run, part string) (kept string, was bool) {
	most := s.options.MaxResultBytes
	if most <= 0 || len(text) <= most {
		return text, false
	}
	// The end is for what a text concludes with; most of it is at the beginning.
	between := func(head, tail string) string {
		return fmt.Sprintf("\n… %d of %d bytes are left out here; %s {\"run\": %q, \"part\": %q, \"offset\": %d} goes on, and all of it is the resource %s …\n",
			len(text)-len(head)-len(tail), len(text), readName, run, part, len(head), partURI(run, part))
	}
	room := max(most-len(between("", ""))-20, 0)
	head, tail := clip.Head(text, room-room/4), clip.Tail(text, room/4)
	return head + between(head, tail) + tail, true
}

func partURI(run, part string) string {
	if part == partReport {
		return reportURI(run)
	}
	return outputURI(run, part)
}

// readPart answers a call of readName.
func (s *Server) readPart(ctx context.Context, of *session, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var given struct {
		Run    string `json:"run"`
		Part   string `json:"part"`
		Offset int64  `json:"offset"`
		Limit  int64  `json:"limit"`
	}
	given.Part, given.Limit = partValue, int64(s.options.MaxResultBytes)
	if err := json.Unmarshal(request.Params.Arguments, &given); err != nil || given.Offset < 0 || given.Limit < 1 || given.Limit > maxPiece {
		return failed(fmt.Sprintf("invalid_input: the arguments are run, a string, and if needed part, a string, offset, from 0, and limit, from 1 to %d", maxPiece)), nil
	}
	report, ok := s.receipts.get(given.Run, ownerOf(of, request.Extra))
	if !ok {
		return failed(fmt.Sprintf("there is no run %q of this client any more; the latest %d are kept; call the tool again", clip.Head(given.Run, 100), maxReceipts)), nil
	}
	if err := s.mayWrite(ctx, of, request.Extra, 6*given.Limit); err != nil {
		return nil, err
	}
	piece, size, ok := s.piece(report, given.Part, given.Offset, given.Limit)
	if !ok {
		parts := append([]string{partValue, partReport}, spilled(s.options.SpillDir, report)...)
		return failed(fmt.Sprintf("run %s has no part %q; its parts are %s", report.Run, clip.Head(given.Part, 100), strings.Join(parts, ", "))), nil
	}
	to := given.Offset + int64(len(piece))
	where := fmt.Sprintf("bytes %d to %d of %d; that is the end", given.Offset, to, size)
	switch {
	case given.Offset >= size:
		where = fmt.Sprintf("offset %d is at or after the end; there are %d bytes", given.Offset, size)
	case to < size:
		where = fmt.Sprintf("bytes %d to %d of %d; offset %d goes on", given.Offset, to, size, to)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: strings.ToValidUTF8(piece, "\ufffd")}, &mcp.TextContent{Text: where},
	}}, nil
}

// piece returns at most limit bytes of a part from an offset, and the size of the part.
// It ends with a whole character.
func (s *Server) piece(report *runtime.Report, part string, offset, limit int64) (piece string, size int64, ok bool) {
	var text string
	switch part {
	case partValue:
		text = valueText(report)
	case partReport:
		whole, err := json.Marshal(report)
		if err != nil {
			return "", 0, false
		}
		text = string(whole)
	default:
		if s.options.SpillDir == "" || !outputName().MatchString(report.Run+"/"+part) {
			return "", 0, false
		}
		bytes, size, err := readPiece(filepath.Join(s.options.SpillDir, report.Run), part, offset, limit)
		return whole(string(bytes), int(limit)), size, err == nil
	}
	size = int64(len(text))
	text = text[min(offset, size):]
	return whole(text, int(limit)), size, true
}

// whole is clip.Head, but at least one character, or byte, of a text that has any.
func whole(text string, limit int) string {
	if head := clip.Head(text, limit); head != "" || text == "" {
		return head
	}
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

// valueText is the value as a model reads it: a text as it is, and compact JSON, of which
// it gets a third more than of indented JSON.
func valueText(report *runtime.Report) string {
	if len(report.Value) == 0 || report.Value[0] == '"' {
		return report.Text
	}
	return string(report.Value)
}
