// Package serve offers a catalog of tool files to clients of the Model Context
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
// checked against the whole schema. If they are wrong, and for every outcome of a
// run but ok, the result has isError and says what to change, so that a
// model can act on it. With Options.Ask the server asks for required inputs that are
// missing if the client can ask a person. ctx.progress, calls of host tools and console
// output are notifications while a run lasts. A request that the client
// cancels ends the run with every process that it started. So does a client that
// disappears, within five seconds.
//
// [Server.Update] replaces the catalog in one step and tells clients. Receipts of
// runs, and outputs that were cut, are resources that only the user of the run's
// token can read, or without a token its session.
//
// Protocol versions are those of github.com/modelcontextprotocol/go-sdk, from
// 2024-11-05 to 2026-07-28.
package serve
