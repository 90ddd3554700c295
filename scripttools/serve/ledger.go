package serve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ledger knows the unanswered requests of a client over stdio, and how the client wrote
// their ids. The zero value is ready.
type ledger struct {
	places
	posts    *callers // where calls find their requests
	requests map[jsonrpc.ID]*unanswered
	asked    map[jsonrpc.ID]struct{} // our requests that the client has not answered
	parked   int                     // requests that are only answered when the session ends
	held     int                     // bytes of answers that wait for the rest of their batch
	starting bool                    // initialize is not answered
	version  string                  // of the protocol, once initialize is answered
	closing  bool                    // requests are refused
	silent   bool                    // the client sends no more
}

// unanswered is a request that is not answered yet.
type unanswered struct {
	id     json.RawMessage
	size   int
	in     *batch // nil for one that came alone
	method string
	name   string // by which its call finds it
	post   *posted
	cancel context.CancelFunc // of a call that runs here; nil where the library has it
}

const (
	methodInitialize  = "initialize"
	methodCall        = "tools/call"
	methodCancelled   = "notifications/cancelled"
	methodListen      = "subscriptions/listen" // which lasts until it is cancelled
	codeServerClosing = -32004                 // as the library has it
)

// enter turns a message into one for the library once there is a place for it; nil if
// the library needs none.
func (l *ledger) enter(m *message, size int, in *batch, giveUp <-chan struct{}) (jsonrpc.Message, *refusal) {
	switch {
	case m.reply:
		return l.reply(m), nil
	case m.id == nil && m.method == methodCancelled:
		return l.cancelled(m), nil
	case m.id == nil:
		l.afterInitialize(giveUp)
		return &jsonrpc.Request{Method: m.method, Params: m.params}, nil
	}
	id, _ := libraryID(m.id)
	r := &unanswered{id: m.id, size: size, in: in, method: m.method}
	if refused := l.open(id, r, giveUp); refused != nil {
		return nil, refused
	}
	if m.method == methodInitialize {
		m.params = agreed(m.params)
	}
	extra := &mcp.RequestExtra{Header: http.Header{requestHeader: {r.name}}}
	return &jsonrpc.Request{ID: id, Method: m.method, Params: m.params, Extra: extra}, nil
}

// afterInitialize waits until initialize is answered: meanwhile the library queues what
// it is passed without a bound.
func (l *ledger) afterInitialize(giveUp <-chan struct{}) {
	for {
		l.mu.Lock()
		if !l.starting {
			l.mu.Unlock()
			return
		}
		change := l.change()
		l.mu.Unlock()
		select {
		case <-change:
		case <-giveUp:
			return
		}
	}
}

// open waits for a place for a request and takes it.
func (l *ledger) open(id jsonrpc.ID, r *unanswered, giveUp <-chan struct{}) *refusal {
	for {
		l.mu.Lock()
		_, double := l.requests[id]
		switch {
		case l.closing:
			l.mu.Unlock()
			return &refusal{r.id, codeServerClosing, "the server is ending"}
		case double:
			l.mu.Unlock()
			return &refusal{r.id, jsonrpc.CodeInvalidRequest, "a request with this id is not answered yet; give each one of its own"}
		case !l.starting && l.free(r.size):
			l.taken++
			l.bytes += r.size
			if l.requests == nil {
				l.requests = map[jsonrpc.ID]*unanswered{}
			}
			l.requests[id] = r
			r.name = rand.Text()
			r.post = l.posts.begin(r.name, &posted{release: func() {}})
			l.starting = r.method == methodInitialize
			if r.method == methodListen {
				l.parked++
			}
			l.mu.Unlock()
			return nil
		case !l.starting && len(l.asked) > 0: // the answer that we wait for may come behind this request
			l.mu.Unlock()
			return &refusal{r.id, codeServerClosing, "too many requests are unanswered while the server itself waits for an answer; try again when some are answered"}
		}
		change := l.change()
		l.mu.Unlock()
		select {
		case <-change:
		case <-giveUp:
			return &refusal{r.id, codeServerClosing, "the server is ending"}
		}
	}
}

// reply is a client's answer to one of our requests; nil if we wait for none with its
// id.
func (l *ledger) reply(m *message) jsonrpc.Message {
	id, _ := libraryID(m.id)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.asked[id]; !ok {
		return nil
	}
	delete(l.asked, id)
	l.tell()
	r := &jsonrpc.Response{ID: id, Result: m.result}
	if m.err != nil { // a nil pointer would be an error that is not nil
		r.Error = m.err
	}
	return r
}

// cancelled cancels a call that runs here. For others it returns the cancellation with
// the id that the library knows; nil if there is no such request.
func (l *ledger) cancelled(m *message) jsonrpc.Message {
	var params map[string]json.RawMessage
	if json.Unmarshal(m.params, &params) != nil || !isID(params["requestId"]) {
		return nil
	}
	id, _ := libraryID(params["requestId"])
	l.mu.Lock()
	r, ok := l.requests[id]
	var cancel context.CancelFunc
	if ok {
		cancel = r.cancel
	}
	l.mu.Unlock()
	if !ok {
		return nil // already answered
	}
	if cancel != nil {
		cancel()
		return nil
	}
	text, err := json.Marshal(map[string]any{"requestId": id.Raw()})
	if err != nil {
		return nil
	}
	return &jsonrpc.Request{Method: m.method, Params: text}
}

// cancelBy sets what cancels a request that runs here, and reports whether the request
// is still unanswered.
func (l *ledger) cancelBy(id jsonrpc.ID, cancel context.CancelFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.requests[id]
	if ok {
		r.cancel = cancel
	}
	return ok
}

// single reports whether at most one request is to be answered before the session ends.
func (l *ledger) single() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken-l.parked <= 1
}

// ask notes a request of ours. It reports false if the client sends no more answers.
func (l *ledger) ask(id jsonrpc.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.silent {
		return false
	}
	if l.asked == nil {
		l.asked = map[jsonrpc.ID]struct{}{}
	}
	l.asked[id] = struct{}{}
	l.tell()
	return true
}

// unask forgets a request that a notification of ours cancels: the client will not
// answer it.
func (l *ledger) unask(m *jsonrpc.Request) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if m.Method != methodCancelled || json.Unmarshal(m.Params, &params) != nil || !isID(params.RequestID) {
		return
	}
	id, _ := libraryID(params.RequestID)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.asked, id)
	l.tell()
}

// silence notes that the client sends no more, and answers our open requests with an
// error.
func (l *ledger) silence() (answers []*jsonrpc.Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = true
	for id := range l.asked {
		answers = append(answers, &jsonrpc.Response{ID: id, Error: errSilent})
	}
	l.asked = nil
	l.tell()
	return answers
}

var errSilent = errors.New("the client has closed its end and sends no more answers")

// answer is the line of a response, in pieces; nil while its batch lacks other answers.
// The caller calls settled once the line is written.
func (l *ledger) answer(response *jsonrpc.Response) (line [][]byte, settled func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.requests[response.ID]
	if !ok {
		return nil, nil // already answered
	}
	delete(l.requests, response.ID) // the client may use the id again at once
	switch r.method {
	case methodInitialize:
		l.initialized(response)
	case methodListen:
		l.parked--
	}
	if r.in != nil {
		r.in.places++
		r.in.bytes += r.size
		line := l.bounded(r, response)
		l.posts.finish(r.name, r.post) // it is counted with its batch
		return l.addTo(r.in, line)
	}
	return answerLine(r.id, response), func() {
		l.posts.finish(r.name, r.post)
		l.leave(r.size)
	}
}

// answerLine is a response on the wire, in pieces; a large result is one of them.
func answerLine(id json.RawMessage, response *jsonrpc.Response) [][]byte {
	if response.Error != nil {
		return [][]byte{errorLine(id, wireError(response.Error))}
	}
	if len(response.Result) <= largeResult {
		return [][]byte{joined(`{"jsonrpc":"2.0","id":`, id, `,"result":`, response.Result)}
	}
	return [][]byte{[]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), response.Result, {'}'}}
}

// largeResult is the size above which a result is written as it is and not copied into
// its line.
const largeResult = 32 << 10

// bounded is the line of an answer in a batch, or of an error if the session holds too
// much for it. mu is held.
func (l *ledger) bounded(r *unanswered, response *jsonrpc.Response) []byte {
	if l.held+len(response.Result) > maxHeld {
		reason := fmt.Sprintf("the answers of this batch are larger than %d bytes; ask one by one", maxHeld)
		return (&refusal{r.id, jsonrpc.CodeInternalError, reason}).line()
	}
	line := slices.Concat(answerLine(r.id, response)...)
	l.held += len(line)
	r.in.held += len(line)
	return line
}

// add puts a refusal in the place of an answer in a batch.
func (l *ledger) add(in *batch, line []byte) (all [][]byte, settled func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.addTo(in, line)
}

// addTo adds an answer to its batch. The places and bytes of all are given back once
// the batch is written. mu is held.
func (l *ledger) addTo(in *batch, line []byte) (all [][]byte, settled func()) {
	in.answers = append(in.answers, line)
	if in.left--; in.left > 0 {
		return nil, nil
	}
	return in.line(), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.taken -= in.places
		l.bytes -= in.bytes
		l.held -= in.held
		l.tell()
	}
}

// initialized notes the version on which both sides have agreed. mu is held.
func (l *ledger) initialized(response *jsonrpc.Response) {
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if response.Error == nil && json.Unmarshal(response.Result, &result) == nil {
		l.version = result.ProtocolVersion
	}
	l.starting = false
	l.tell()
}

func (l *ledger) negotiated() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// refuse makes the ledger refuse requests from now on.
func (l *ledger) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closing = true
	l.tell()
}

// abandon forgets the requests whose answers nobody will read.
func (l *ledger) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.requests {
		l.posts.finish(r.name, r.post)
	}
	l.requests = nil
}

// settled reports whether nothing is unanswered; otherwise changed is closed when that
// may be different.
func (l *ledger) settled() (yes bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken <= l.parked {
		return true, nil
	}
	return false, l.change()
}

// wireError turns err into the protocol's error.
func wireError(err error) *jsonrpc.Error {
	var coded *jsonrpc.Error
	if !errors.As(err, &coded) {
		return &jsonrpc.Error{Message: err.Error()}
	}
	return &jsonrpc.Error{Code: coded.Code, Message: err.Error(), Data: coded.Data}
}
