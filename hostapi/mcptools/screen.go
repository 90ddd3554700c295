package mcptools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
	"github.com/scriptrun/scriptrun/hostapi/schema"
)

const (
	// maxParts limits the parts of a message, as [jsonbound.Marks] counts them.
	maxParts = schema.MaxParts
	maxDepth = 1000
	// maxID is the longest id of a request of the server, in bytes.
	maxID = 1 << 10
	// maxBatch is how many messages of a list are read.
	maxBatch = 1000
)

var errNoMessage = errors.New("it is not a message of JSON-RPC 2.0")

// screened is a message of a server. The library gets answers only: it would queue
// the server's requests and notifications without a limit.
type screened struct {
	answer json.RawMessage // to a request of ours
	reply  json.RawMessage // to a request of the server's
}

// screen looks at a message before it is decoded. An answer over a limit becomes an
// error for the call that waits for it. Both fields are nil for a notification. The
// error says that it is not a message.
func screen(raw []byte) (s screened, err error) {
	var head struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
	}
	excess := exceeded(raw)
	if json.Unmarshal(raw, &head) != nil || head.Version != "2.0" {
		return s, errNoMessage
	}
	var ours int64
	switch {
	case head.Method != nil && !isID(head.ID):
		return s, nil
	case head.Method != nil:
		s.reply = replyTo(head.ID, head.Method)
	case json.Unmarshal(head.ID, &ours) != nil: // it answers no request of ours
		return s, errNoMessage
	case excess != nil:
		s.answer = failed(head.ID, jsonrpc.CodeParseError, "its answer cannot be read: "+excess.Error())
	default:
		s.answer = raw
	}
	return s, nil
}

// exceeded says which limit a text exceeds, if any.
func exceeded(raw []byte) error {
	for m := jsonbound.Scan(raw); m.Next(); {
		switch {
		case m.Depth > maxDepth:
			return fmt.Errorf("it is nested more than %d levels deep", maxDepth)
		case m.Parts > maxParts:
			return fmt.Errorf("it has more than %d parts, of which an object counts for %d", maxParts, jsonbound.ObjectParts)
		}
	}
	return nil
}

// isID reports whether a request has an id to reply to.
func isID(id json.RawMessage) bool {
	return len(id) > 0 && len(id) <= maxID && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// replyTo is the reply to a request of the server. Only pings succeed.
func replyTo(id, method json.RawMessage) json.RawMessage {
	if string(method) == `"ping"` {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
	return failed(id, jsonrpc.CodeMethodNotFound, "this client answers pings and nothing else")
}

// failed is an error as an answer.
func failed(id json.RawMessage, code int, reason string) json.RawMessage {
	text, _ := json.Marshal(reason) // a text has JSON
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}

// messagesOf are the messages of a line, which is one message or a list of them. more
// is set if the list is too long.
func messagesOf(line []byte) (messages []json.RawMessage, more bool) {
	if line[0] != '[' {
		return []json.RawMessage{line}, false
	}
	begin := 1
	for m := jsonbound.Scan(line); m.Next(); {
		if m.Depth == 1 && m.Kind == ',' || m.Depth <= 0 {
			if len(messages) == maxBatch {
				return messages, true
			}
			messages = append(messages, bytes.TrimSpace(line[begin:m.Begin]))
			begin = m.End
		}
		if m.Depth <= 0 {
			break
		}
	}
	return messages, false
}

// unreadable is an error in place of an answer that the library cannot read.
func unreadable(answer json.RawMessage, err error) json.RawMessage {
	var head struct{ ID json.RawMessage }
	_ = json.Unmarshal(answer, &head) // which screen could
	return failed(head.ID, jsonrpc.CodeParseError, "its answer cannot be read: "+err.Error())
}
