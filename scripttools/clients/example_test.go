package clients_test

import (
	"fmt"

	"github.com/scriptrun/scriptrun/scripttools/clients"
)

// What a file has stays as it is.
func ExampleClient_Add() {
	client, _ := clients.Find("claude")
	server := clients.Server{Name: clients.ServerName, Command: "scriptrun", Args: []string{"serve"}}
	text, change, err := client.Add([]byte("{\n  \"mcpServers\": {\n    \"mine\": {\"command\": \"x\"}\n  }\n}"), server, false)
	fmt.Println(change, err)
	fmt.Println(string(text))
	// Output:
	// added <nil>
	// {
	//   "mcpServers": {
	//     "mine": {"command": "x"},
	//     "scriptrun": {
	//       "command": "scriptrun",
	//       "args": ["serve"]
	//     }
	//   }
	// }
}

// A list of tools, and what clients do to it.
func ExampleCheck() {
	for _, found := range clients.Check([]clients.Tool{{Name: "a-b"}, {Name: "a_b"}}, clients.ServerName) {
		fmt.Println(found.Client, found.Verb, found.Says)
	}
	// Output: codex refuses one of a-b and a_b, both of which it calls mcp__scriptrun__a_b
}
