// Package acp is a [shell.Backend] that starts no process itself: it asks the
// client of the Agent Client Protocol, an editor most often, to run commands in
// terminals of its own, where the person can watch them and end them.
//
//	conn := acpsdk.NewAgentSideConnection(agent, os.Stdout, os.Stdin)
//	tool := &shell.Tool{Dir: session.Cwd, Backend: acp.New(conn, session.ID)}
//
// An agent does so for a client that declared the capability "terminal", and
// leaves Backend nil for any other. [Open] is for a host that speaks to the
// client about terminals and nothing else.
//
// What is resolved here holds there too: the directory, the exact environment,
// the deadline, and how much output is asked for. What the protocol has no
// words for does not: there is no stdin (a command that has one is refused),
// the streams come as one, which is stdout, only the end of a long output is kept and its
// length is not told, every signal is the client's kill, and the sandbox is
// whatever the client has (a command that requires one is refused).
//
// Source: version 1 of the protocol, https://agentclientprotocol.com/protocol/terminals.
package acp
