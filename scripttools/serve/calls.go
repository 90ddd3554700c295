package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
)

// calls runs the tool calls of one client over stdio. The library would decode each
// twice more and encode its result twice, which takes as long as the run itself. Calls
// with more than a tool and its arguments, such as those of later versions of the
// protocol, are left to the library.
type calls struct {
	server  *Server
	session *mcp.ServerSession // set before anything is read
	client  *lines
	ctx     context.Context
	// going is held for reading by each call, and locked by wait.
	going sync.RWMutex
}

func newCalls(ctx context.Context, s *Server, client *lines) *calls {
	return &calls{server: s, client: client, ctx: context.WithoutCancel(ctx)}
}

// statelessVersion is the first version in which each request says for itself how it is
// to be answered.
const statelessVersion = "2026-07-28"

// take runs a call, or reports false. Only the goroutine that reads may call it.
func (c *calls) take(request *jsonrpc.Request) (taken bool, err error) {
	if request.Method != methodCall {
		return false, nil
	}
	if began := c.session.InitializeParams(); began == nil || began.ProtocolVersion >= statelessVersion {
		return false, nil
	}
	params, plain := callParams(request.Params)
	if _, routed := c.server.routed.Load(params.Name); !plain || !routed {
		return false, nil
	}
	ctx, cancel := context.WithCancel(c.ctx)
	if !c.client.ledger.cancelBy(request.ID, cancel) {
		cancel()
		return false, nil
	}
	extra, _ := request.Extra.(*mcp.RequestExtra)
	c.going.RLock()
	do := func() {
		defer c.going.RUnlock()
		defer cancel()
		c.make(ctx, request, &mcp.CallToolRequest{Session: c.session, Params: params, Extra: extra})
	}
	if c.client.alone() {
		return true, c.client.meanwhile(do)
	}
	go do()
	return true, nil
}

// wait waits until all calls are over. No new one begins meanwhile.
func (c *calls) wait() {
	c.going.Lock()
	c.going.Unlock() //nolint:staticcheck // nothing is done in between
}

// make runs a call and writes its answer.
func (c *calls) make(ctx context.Context, request *jsonrpc.Request, call *mcp.CallToolRequest) {
	result, err := c.server.call(ctx, call)
	response := &jsonrpc.Response{ID: request.ID, Error: err}
	if err == nil {
		response.Result, response.Error = encodePlain(result)
	}
	_ = c.client.Write(context.WithoutCancel(ctx), response) // send notes a failed write
}

// callParams decodes the parameters of a call. It is plain if there is nothing but a
// name, arguments and a _meta that does not concern the library.
func callParams(text json.RawMessage) (params *mcp.CallToolParamsRaw, plain bool) {
	params = &mcp.CallToolParamsRaw{}
	member := object{depth: 1}
	for m := jsonbound.Scan(text); m.Next(); {
		if _, ended := member.step(&m); !ended {
			continue
		}
		value := bytes.TrimSpace(text[member.value:m.Begin])
		switch key := string(member.key); {
		case key == `"name"` && params.Name == "" && isPlainText(value):
			params.Name = string(value[1 : len(value)-1])
		case key == `"arguments"` && params.Arguments == nil && string(value) != "null":
			params.Arguments = value
		case key == `"_meta"` && params.Meta == nil && json.Unmarshal(value, &params.Meta) == nil && !ofProtocol(params.Meta):
		default:
			return params, false
		}
		member = object{depth: 1}
	}
	return params, params.Name != ""
}

// isPlainText reports whether a value is a string without escapes.
func isPlainText(value []byte) bool {
	return len(value) >= 2 && value[0] == '"' && bytes.IndexByte(value, '\\') < 0
}

// ofProtocol reports whether a key concerns the library.
func ofProtocol(meta mcp.Meta) bool {
	for key := range meta {
		if strings.HasPrefix(key, "io.modelcontextprotocol/") {
			return true
		}
	}
	return false
}
