package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// message is one message of JSON-RPC, decoded once: its parameters, result and
// error are left to whoever takes it.
type message struct {
	id     json.RawMessage // as the client wrote it; nil for a notification
	method string          // of a request or a notification
	params json.RawMessage
	result json.RawMessage // of a response
	err    *jsonrpc.Error
	reply  bool // it is a response
}

// refusal is the answer to what is not a message that can be taken.
type refusal struct {
	id     json.RawMessage // nil where it could not be read
	code   int64
	reason string
}

// line is the refusal on the wire, without a newline.
func (r *refusal) line() []byte {
	return errorLine(r.id, &jsonrpc.Error{Code: r.code, Message: r.reason})
}

// errorLine is an answer that says what is wrong.
func errorLine(id json.RawMessage, wrong *jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(wrong)
	if err != nil { // its data are not JSON
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

const (
	// maxID bounds an id, in bytes.
	maxID = 1 << 10
	// maxDepth is how deep a message is nested at most; the library takes no more.
	maxDepth = 1000
)

// readMessage reads one message, which must be an object.
func readMessage(raw []byte) (*message, *refusal) {
	if !utf8.Valid(raw) {
		return nil, &refusal{readableID(raw), jsonrpc.CodeParseError, "it is not UTF-8"}
	}
	if deeper(raw, maxDepth) {
		return nil, &refusal{readableID(raw), jsonrpc.CodeInvalidRequest, fmt.Sprintf("it is nested deeper than %d", maxDepth)}
	}
	var keys map[string]json.RawMessage // a struct would take keys in any case
	if err := json.Unmarshal(raw, &keys); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &refusal{readableID(raw), jsonrpc.CodeParseError, "it cannot be read as JSON: " + syntax.Error()}
		}
		return nil, &refusal{nil, jsonrpc.CodeInvalidRequest, "it is not a JSON-RPC 2.0 message: a message is an object"}
	}
	id, given := keys["id"]
	refuse := func(format string, args ...any) (*message, *refusal) {
		known := id
		if !isID(id) {
			known = nil
		}
		return nil, &refusal{known, jsonrpc.CodeInvalidRequest, "it is not a JSON-RPC 2.0 message: " + fmt.Sprintf(format, args...)}
	}
	switch {
	case string(keys["jsonrpc"]) != `"2.0"`:
		return refuse(`"jsonrpc" is not "2.0"`)
	case given && !isID(id):
		return refuse("an id is a string or a number")
	case len(id) > maxID:
		id = nil
		return refuse("an id has at most %d bytes", maxID)
	}
	m := &message{id: id, params: keys["params"], result: keys["result"]}
	if method, ok := keys["method"]; ok {
		if method[0] != '"' || json.Unmarshal(method, &m.method) != nil {
			return refuse("a method is a string")
		}
		return m, nil
	}
	m.reply = true
	if text, ok := keys["error"]; ok && string(text) != "null" {
		if json.Unmarshal(text, &m.err) != nil {
			return refuse("an error has a code and a message")
		}
	}
	if id == nil || m.result == nil && m.err == nil {
		return refuse("it has neither a method nor an id with a result or an error")
	}
	return m, nil
}

// deeper reports whether lists and objects are nested deeper than most.
func deeper(raw []byte, most int) bool {
	depth, text := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			i++
		case text:
		case c == '[', c == '{':
			if depth++; depth > most {
				return true
			}
		case c == ']', c == '}':
			depth--
		}
	}
	return false
}

// isID reports whether a value may be an id.
func isID(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9')
}

// readableID is the id of what is otherwise no message, such as one that is cut
// off, or nested too deeply.
func readableID(raw []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		if key == "id" {
			var id json.RawMessage
			if d.Decode(&id) != nil || !isID(id) || len(id) > maxID || !utf8.Valid(id) {
				return nil
			}
			return id
		}
		if !skipValue(d) {
			return nil
		}
	}
	return nil
}

// skipValue goes past one value, however deep.
func skipValue(d *json.Decoder) bool {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true
		}
	}
}

// maxExact is the largest integer that the library keeps.
const maxExact = 1 << 53

// libraryID is an id as the library has it. exact is false for one that it
// would change, such as 1.5, or a string with half a surrogate pair: its letters
// then stand for it, behind a character that no exact id begins with.
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
	id, _ = jsonrpc.MakeID(value) // strings and numbers have one
	return id, exact
}
