package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools/clients"
)

// Seen is what a client gets from a server.
type Seen struct {
	// Protocol is the version that both speak.
	Protocol string
	// Tools are those that are listed, and ReadOnly the names of those that only read.
	Tools    []clients.Tool
	ReadOnly []string
	// Unknown is the answer to a call of a tool that there is not.
	Unknown string
}

// notThere is the name of a tool that no server has: it is too long for one.
const notThere = "there-is-no-tool-of-this-name-as-a-name-has-at-most-64-characters-"

// See connects a client to the server, over pipes as [Server.Stdio] has them, and tells what it
// gets: it begins a session, lists the tools and calls one that there is not. No script
// runs. An error is of the protocol, or ctx's.
func (s *Server) See(ctx context.Context) (seen Seen, err error) {
	in, request := io.Pipe()
	response, out := io.Pipe()
	served, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := s.Stdio(served, in, out)
		_ = out.Close() // a pipe's never fails
		ended <- err
	}()
	defer func() {
		_ = request.Close()
		err = errors.Join(err, <-ended)
		stop()
		_ = response.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: s.options.Name + " check", Version: s.options.Version}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: response, Writer: request}, nil)
	if err != nil {
		return seen, fmt.Errorf("a session does not begin: %w", err)
	}
	defer func() { err = errors.Join(err, harmlessEnd(session.Close())) }()
	if began := session.InitializeResult(); began != nil {
		seen.Protocol = began.ProtocolVersion
	}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return seen, fmt.Errorf("the tools are not listed: %w", err)
		}
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			return seen, fmt.Errorf("the schema of %s: %w", tool.Name, err)
		}
		seen.Tools = append(seen.Tools, clients.Tool{Name: tool.Name, Description: tool.Description, Schema: schema})
		if tool.Annotations != nil && tool.Annotations.ReadOnlyHint {
			seen.ReadOnly = append(seen.ReadOnly, tool.Name)
		}
	}
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: notThere})
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) {
		return seen, fmt.Errorf("a call of a tool that there is not is answered with %w; expected an error of the protocol", errors.Join(err, errNoError))
	}
	seen.Unknown = refused.Message
	return seen, nil
}

var errNoError = errors.New("no such error")
