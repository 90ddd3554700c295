// Package clients knows the programs that people connect to an MCP server: where each keeps
// its configuration and in what form, which switches let tools run without a question, and
// what each makes of names, descriptions and schemas.
//
//	client, _ := clients.Find("codex")
//	server := clients.Server{Name: "scriptrun", Command: "scriptrun", Args: []string{"serve"}}
//	fmt.Print(client.Config(server))                      // what to put into client.Project
//	text, change, err := client.Add(before, server, false) // the same, into what is there
//	for _, finding := range clients.Check(tools, "scriptrun") { … }
//
// [Find] and [All] give a [Client], a row of one table; [Check] says what clients refuse or cut
// of a list of tools. Nothing here reads or writes a file, and a token is never part of
// a text: clients take it from an environment variable, or not at all.
//
// The trap: these programs change from month to month. Each row names the page it was taken
// from. All values are safe for concurrent use.
package clients
