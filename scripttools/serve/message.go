package serve

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// message is one message of JSON-RPC, decoded once; its parameters and its result stay
// text.
type message struct {
	id     json.RawMessage // as the client wrote it; nil for a notification
	method string          // of a request or a notification
	params json.RawMessage
	result json.RawMessage // of a response
	err    *jsonrpc.Error
	reply  bool // it is a response
}

// refusal is the answer to a message that is not accepted.
type refusal struct {
	id     json.RawMessage // nil if it cannot be read
	code   int64
	reason string
}

// line is the refusal on the wire, without a newline.
func (r *refusal) line() []byte {
	return errorLine(r.id, &jsonrpc.Error{Code: r.code, Message: r.reason})
}

// errorLine is an error response on the wire, without a newline.
func errorLine(id json.RawMessage, wrong *jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(wrong)
	if err != nil { // its data is not JSON
		text, _ = json.Marshal(&jsonrpc.Error{Code: wrong.Code, Message: wrong.Message})
	}
	return joined(`{"jsonrpc":"2.0","id":`, id, `,"error":`, text)
}

func joined(head string, id json.RawMessage, middle string, body []byte) []byte {
	line := make([]byte, 0, len(head)+len(id)+len(middle)+len(body)+2) // a brace, and a newline to come
	line = append(line, head...)
	line = append(line, id...)
	line = append(line, middle...)
	line = append(line, body...)
	return append(line, '}')
}

// maxID bounds an id, in bytes.
const maxID = 1 << 10

// readMessage reads one message, which must be an object. The message shares the memory
// of raw.
func readMessage(raw []byte) (*message, *refusal) {
	found, refused := scan(raw)
	if refused != nil {
		return nil, refused
	}
	id := found.id
	refuse := func(format string, args ...any) (*message, *refusal) {
		known := id
		if !isID(id) {
			known = nil
		}
		return nil, &refusal{known, jsonrpc.CodeInvalidRequest, "it is not a JSON-RPC 2.0 message: " + fmt.Sprintf(format, args...)}
	}
	switch {
	case string(found.version) != `"2.0"`:
		return refuse(`"jsonrpc" is not "2.0"`)
	case id != nil && !isID(id):
		return refuse("an id is a string or a number")
	case len(id) > maxID:
		id = nil
		return refuse("an id has at most %d bytes", maxID)
	}
	m := &message{id: id, params: found.params, result: found.result, reply: found.method == nil}
	if !m.reply && (found.method[0] != '"' || json.Unmarshal(found.method, &m.method) != nil) {
		return refuse("a method is a string")
	}
	if reason := found.checkSize(len(raw), m.method, m.reply); reason != "" {
		return nil, &refusal{id, jsonrpc.CodeInvalidRequest, reason}
	}
	if !m.reply {
		if m.method == methodCall {
			if reason := found.checkCall(raw); reason != "" {
				return nil, &refusal{id, jsonrpc.CodeInvalidParams, reason}
			}
		}
		return m, nil
	}
	if found.err != nil && string(found.err) != "null" && json.Unmarshal(found.err, &m.err) != nil {
		return refuse("an error has a code and a message")
	}
	if id == nil || m.result == nil && m.err == nil {
		return refuse("it has neither a method nor an id with a result or an error")
	}
	return m, nil
}

// isID reports whether a value may be an id.
func isID(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9')
}

// maxExact is the largest integer that the library keeps exactly.
const maxExact = 1 << 53

// libraryID is an id as the library has it. exact is false for an id that the library
// would change, such as 1.5, or a string with half a surrogate pair. Its text then
// stands for it, behind a NUL, with which no exact id begins.
func libraryID(raw json.RawMessage) (id jsonrpc.ID, exact bool) {
	var value any = "\x00" + string(raw)
	if raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) == nil && !strings.ContainsRune(text, utf8.RuneError) && !strings.HasPrefix(text, "\x00") {
			value, exact = text, true
		}
	} else if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && -maxExact <= n && n <= maxExact && strconv.FormatInt(n, 10) == string(raw) {
		value, exact = float64(n), true
	}
	id, _ = jsonrpc.MakeID(value) // it accepts every string and number
	return id, exact
}
