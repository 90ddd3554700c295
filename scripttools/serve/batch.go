package serve

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// batch is a list of messages that came on one line; its answers go out on one line
// too.
type batch struct {
	left    int // requests not answered yet
	answers [][]byte
	// The batch gives these back once its line is written: its requests' places and
	// bytes, and its answers' bytes.
	places, bytes, held int
}

const (
	// lastWithBatches is the last version of the protocol that has batches.
	lastWithBatches = "2025-03-26"
	// maxRefused limits how many requests of a batch are refused by id; one refusal
	// without an id stands for the rest.
	maxRefused = 1000
	// maxHeld limits the answers of a session that wait for the rest of their batches,
	// in bytes.
	maxHeld = 64 << 20
)

// takeBatch takes a list of messages if the session's version of the protocol has
// batches.
func (l *lines) takeBatch(line []byte) error {
	if reason := invalid(line); reason != "" {
		return l.write((&refusal{nil, jsonrpc.CodeParseError, reason}).line())
	}
	list, reason := elements(line, maxUnanswered)
	if refused := batchRefused(len(list), reason, l.ledger.negotiated()); refused != "" {
		list, _ = elements(line, maxRefused)
		return l.refuseBatch(list, refused)
	}
	in := &batch{}
	var taken []*message
	for _, raw := range list {
		m, refused := readMessage(raw)
		switch {
		case refused != nil:
			in.answers = append(in.answers, refused.line())
			continue
		case m.id != nil && !m.reply:
			in.left++
		}
		taken = append(taken, m)
	}
	if in.left == 0 && len(in.answers) > 0 {
		if err := l.write(in.line()...); err != nil {
			return err
		}
	}
	for _, m := range taken {
		if err := l.deliver(m, len(m.params), in); err != nil {
			return err
		}
	}
	return nil
}

// batchRefused says why a batch is refused; empty if it is not.
func batchRefused(messages int, tooMuch, version string) string {
	switch {
	case version == "":
		return "a batch comes after initialize; send one message a line"
	case version > lastWithBatches:
		return "version " + version + " of the protocol has no batches; send one message a line"
	case messages == 0:
		return "a batch is empty; it has at least one message"
	}
	return tooMuch
}

// refuseBatch answers each request of a refused batch, because the client waits for
// each.
func (l *lines) refuseBatch(list []json.RawMessage, reason string) error {
	var ids []json.RawMessage
	for _, raw := range list {
		switch m, refused := readMessage(raw); {
		case refused != nil && refused.id != nil:
			ids = append(ids, refused.id)
		case refused == nil && m.id != nil && !m.reply:
			ids = append(ids, m.id)
		}
	}
	if len(ids) == 0 || len(list) == maxRefused {
		ids = append(ids, nil)
	}
	for _, id := range ids {
		if err := l.write((&refusal{id, jsonrpc.CodeInvalidRequest, reason}).line()); err != nil {
			return err
		}
	}
	return nil
}

// line is the batch's answers on the wire, in pieces.
func (b *batch) line() [][]byte {
	pieces := [][]byte{{'['}}
	for i, answer := range b.answers {
		if i > 0 {
			pieces = append(pieces, []byte{','})
		}
		pieces = append(pieces, answer)
	}
	return append(pieces, []byte{']'})
}
