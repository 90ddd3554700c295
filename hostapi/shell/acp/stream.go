package acp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"

	acpsdk "github.com/coder/acp-go-sdk"
)

// streamClient is a client at the other end of a stream.
type streamClient struct{ conn *acpsdk.Connection }

func connect(stream io.ReadWriter) *streamClient {
	refuse := func(_ context.Context, method string, _ json.RawMessage) (any, *acpsdk.RequestError) {
		return nil, acpsdk.NewMethodNotFound(method)
	}
	// The connection reads at once, and it logs; nobody asked a library for that.
	quiet := make(chan struct{})
	defer close(quiet)
	conn := acpsdk.NewConnection(refuse, stream, heldReader{stream, quiet})
	conn.SetLogger(slog.New(slog.DiscardHandler))
	return &streamClient{conn}
}

// heldReader reads nothing before a channel is closed.
type heldReader struct {
	from io.Reader
	open <-chan struct{}
}

func (r heldReader) Read(p []byte) (int, error) {
	<-r.open
	return r.from.Read(p)
}

func (s *streamClient) CreateTerminal(ctx context.Context, r acpsdk.CreateTerminalRequest) (acpsdk.CreateTerminalResponse, error) {
	return acpsdk.SendRequest[acpsdk.CreateTerminalResponse](s.conn, ctx, acpsdk.ClientMethodTerminalCreate, r)
}

func (s *streamClient) TerminalOutput(ctx context.Context, r acpsdk.TerminalOutputRequest) (acpsdk.TerminalOutputResponse, error) {
	return acpsdk.SendRequest[acpsdk.TerminalOutputResponse](s.conn, ctx, acpsdk.ClientMethodTerminalOutput, r)
}

func (s *streamClient) WaitForTerminalExit(ctx context.Context, r acpsdk.WaitForTerminalExitRequest) (acpsdk.WaitForTerminalExitResponse, error) {
	return acpsdk.SendRequest[acpsdk.WaitForTerminalExitResponse](s.conn, ctx, acpsdk.ClientMethodTerminalWaitForExit, r)
}

func (s *streamClient) KillTerminal(ctx context.Context, r acpsdk.KillTerminalRequest) (acpsdk.KillTerminalResponse, error) {
	return acpsdk.SendRequest[acpsdk.KillTerminalResponse](s.conn, ctx, acpsdk.ClientMethodTerminalKill, r)
}

func (s *streamClient) ReleaseTerminal(ctx context.Context, r acpsdk.ReleaseTerminalRequest) (acpsdk.ReleaseTerminalResponse, error) {
	return acpsdk.SendRequest[acpsdk.ReleaseTerminalResponse](s.conn, ctx, acpsdk.ClientMethodTerminalRelease, r)
}
