package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
	"github.com/scriptrun/scriptrun/hostapi/schema"
)

const (
	// maxDepth is how deeply a message may be nested; the library accepts no more.
	maxDepth = 1000
	// maxBeside and maxBesideParts bound a call without its tool's arguments, and a
	// client's answer to a question, in bytes and in parts as [jsonbound.Marks] counts
	// them.
	maxBeside      = 1 << 20
	maxBesideParts = 10_000
	// maxPlain and maxPlainParts bound all other messages. A session holds its first
	// message as long as it lasts.
	maxPlain      = 64 << 10
	maxPlainParts = 4000
	// maxReason bounds the text of a refusal, in bytes.
	maxReason = 500
)

// members are the parts of a message in its text; nil if there is none, and the last of
// several.
type members struct {
	version, id, method, params, result, err json.RawMessage

	arguments span // in the text; those of the first params
	parts     int  // all of them
}

// span is a part of a text.
type span struct{ begin, end int }

// scan reads the text of one message before anything decodes it. It stops at the first
// excess, and finds the message's members.
func scan(raw []byte) (found members, refused *refusal) {
	if !utf8.Valid(raw) {
		return found, &refusal{readableID(raw), jsonrpc.CodeParseError, "it is not UTF-8"}
	}
	if reason := found.count(raw); reason != "" {
		return found, &refusal{readableID(raw), jsonrpc.CodeInvalidRequest, reason}
	}
	if reason := invalid(raw); reason != "" {
		return found, &refusal{readableID(raw), jsonrpc.CodeParseError, reason}
	}
	if len(raw) == 0 || raw[0] != '{' {
		return found, &refusal{nil, jsonrpc.CodeInvalidRequest, "it is not a JSON-RPC 2.0 message: a message is an object"}
	}
	return found, nil
}

// count does the work of scan on a text that may not be JSON.
func (f *members) count(raw []byte) (reason string) {
	message, params := object{depth: 1}, object{depth: 2}
	arguments := 0 // parts, and then those before them
	for m := jsonbound.Scan(raw); m.Next(); {
		inParams := string(message.key) == `"params"` && message.value > 0
		if inParams {
			began, ended := params.step(&m)
			switch {
			case string(params.key) != `"arguments"`:
			case began && f.arguments.begin == 0:
				f.arguments.begin, arguments = m.End, -m.Parts
			case ended && f.arguments.end == 0:
				f.arguments.end = m.Begin
				arguments += m.Parts
			}
			if ended {
				params = object{depth: 2}
			}
		}
		if _, ended := message.step(&m); ended {
			f.put(message.key, bytes.TrimSpace(raw[message.value:m.Begin]))
			message, params = object{depth: 1}, object{depth: 2}
		}
		within := f.arguments.begin > 0 && f.arguments.end == 0
		switch {
		case m.Depth > maxDepth:
			return fmt.Sprintf("it is nested deeper than %d", maxDepth)
		case within && m.Parts+arguments > schema.MaxParts:
			return fmt.Sprintf("the arguments have more than %d parts, of which an object counts for %d", schema.MaxParts, jsonbound.ObjectParts)
		case within:
		case m.Parts-max(arguments, 0) > maxBesideParts:
			return fmt.Sprintf("it has more than %d parts beside the arguments of a tool, of which an object counts for %d", maxBesideParts, jsonbound.ObjectParts)
		}
		f.parts = m.Parts
	}
	return ""
}

func (f *members) put(key, value []byte) {
	if bytes.IndexByte(key, '\\') >= 0 {
		var name string
		if json.Unmarshal(key, &name) != nil {
			return // it is not JSON, and will be refused for that
		}
		key = []byte(`"` + name + `"`)
	}
	switch string(key) {
	case `"jsonrpc"`:
		f.version = value
	case `"id"`:
		f.id = value
	case `"method"`:
		f.method = value
	case `"params"`:
		f.params = value
	case `"result"`:
		f.result = value
	case `"error"`:
		f.err = value
	}
}

// object follows the members of an object in a text.
type object struct {
	depth int    // of its members
	key   []byte // with its quotes
	value int    // where the value begins; 0 before that
}

// step takes the next mark, and reports whether a value begins or ends there.
func (o *object) step(m *jsonbound.Marks) (begins, ends bool) {
	switch {
	case o.value > 0:
		return false, m.Depth < o.depth || m.Depth == o.depth && m.Kind == ','
	case m.Depth != o.depth:
	case m.Kind == '"':
		o.key = m.Text()
	case m.Kind == ':':
		o.value = m.End
		return true, false
	}
	return false, false
}

// checkSize refuses a message that is too large for its method.
func (f *members) checkSize(size int, method string, reply bool) (reason string) {
	switch beside := size - (f.arguments.end - f.arguments.begin); {
	case !reply && method != methodCall && (size > maxPlain || f.parts > maxPlainParts):
		return fmt.Sprintf("a message of this method has at most %d bytes and %d parts, of which an object counts for %d", maxPlain, maxPlainParts, jsonbound.ObjectParts)
	case reply && f.parts > maxBesideParts:
		return fmt.Sprintf("an answer has at most %d parts, of which an object counts for %d", maxBesideParts, jsonbound.ObjectParts)
	case beside > maxBeside, reply && size > maxBeside:
		return fmt.Sprintf("it has more than %d bytes beside the arguments of a tool", maxBeside)
	}
	return ""
}

// checkCall refuses a large call that the library could not read: the library's error
// would quote all of it.
func (f *members) checkCall(raw []byte) (reason string) {
	if len(raw) <= maxPlain {
		return ""
	}
	if f.arguments.end > 0 {
		raw = slices.Concat(raw[:f.arguments.begin], []byte("null"), raw[f.arguments.end:])
	}
	var call struct {
		Params mcp.CallToolParamsRaw `json:"params"`
	}
	if err := json.Unmarshal(raw, &call); err != nil {
		return clip.Head("the parameters are not those of a call: "+err.Error(), maxReason)
	}
	return ""
}

// elements splits a list into its texts, at most most of them. The reason says that
// there are more, or that they have too many parts.
func elements(list []byte, most int) (each []json.RawMessage, reason string) {
	begin := 1
	for m := jsonbound.Scan(list); m.Next(); {
		if m.Parts > schema.MaxParts {
			return each, fmt.Sprintf("a batch has at most %d parts, of which an object counts for %d", schema.MaxParts, jsonbound.ObjectParts)
		}
		last := m.Depth < 1
		if !last && (m.Depth > 1 || m.Kind != ',') {
			continue
		}
		one := bytes.TrimSpace(list[begin:m.Begin])
		if last && len(one) == 0 && len(each) == 0 {
			break
		}
		if len(each) == most {
			return each, fmt.Sprintf("a batch has at most %d messages", maxUnanswered)
		}
		each = append(each, one)
		begin = m.End
		if last {
			break
		}
	}
	return each, ""
}

// invalid says why a text is not JSON; empty if it is.
func invalid(raw []byte) (reason string) {
	if json.Valid(raw) {
		return ""
	}
	err := json.Unmarshal(raw, new(json.RawMessage)) // which checks all of it first
	return fmt.Sprintf("it cannot be read as JSON: %v", err)
}

// readableID finds the id in a text that is no message, such as one that is cut off or
// nested too deeply.
func readableID(raw []byte) json.RawMessage {
	message := object{depth: 1}
	for m := jsonbound.Scan(raw); m.Next(); {
		if message.value > 0 && string(message.key) == `"id"` {
			id := m.Text()
			if m.Depth != 1 || !isID(id) || len(id) > maxID || !json.Valid(id) || !utf8.Valid(id) {
				return nil
			}
			return id
		}
		if _, ended := message.step(&m); ended {
			message = object{depth: 1}
		}
	}
	return nil
}
