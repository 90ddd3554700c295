// Package serve gives a catalog of tool files to clients of the Model Context
// Protocol: each file is a tool that a model can call.
//
//	server, err := serve.New(serve.Options{Runner: runner, Catalog: catalog})
//	if err != nil {
//		return err
//	}
//	err = server.Stdio(ctx, os.Stdin, os.Stdout)       // one client, or
//	http.Handle("/", server.Handler(serve.HTTPOptions{})) // many
//
// A tool's name, description and schemas are those of its file. Arguments are
// checked here, against the whole schema; what is wrong, and every ending of a
// run but ok, is a result with isError that says what to change, so that a
// model can act on it. Required inputs that are missing are asked for, where
// the client can ask a person. ctx.progress, calls of host tools and console
// output are notifications while a run lasts, and a request that the client
// cancels ends the run with every process that it started. So does a client that
// is gone, within five seconds.
//
// [Server.Update] puts another catalog in the place of the first, at once and
// whole; clients are told. Receipts of runs, and outputs that were cut, are
// resources, for the token or else the session that made the run.
//
// Protocol versions are those of github.com/modelcontextprotocol/go-sdk, from
// 2024-11-05 to 2026-07-28.
package serve
