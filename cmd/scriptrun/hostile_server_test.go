package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// hostileServer is an MCP server that attacks when a method is called. Its arguments name the
// mode and the method.
func hostileServer() {
	mode, at := os.Args[1], os.Args[2]
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &asked) != nil {
			os.Exit(4)
		}
		answer := func(result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", asked.ID, result) }
		switch {
		case asked.Method == at && mode == "pings":
			for i := range 3000 {
				fmt.Printf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`+"\n", i)
			}
			sign()
			time.Sleep(time.Hour) // it is killed; select {} would be a deadlock, which ends a program
		case asked.Method == at && mode == "nothing":
			sign()
			time.Sleep(time.Hour) // it is killed; select {} would be a deadlock, which ends a program
		case asked.Method == at: // an answer of that many megabytes
			answer(`{"content":[],"structuredContent":{"a":[{}` + strings.Repeat(",{}", 5<<20) + `]}}`)
		case asked.Method == "server/discover":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", asked.ID)
		case asked.Method == "initialize":
			answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
		case asked.Method == "tools/list":
			answer(`{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}`)
		}
	}
}

// sign says that the worst has been done.
func sign() { _ = os.WriteFile("there", nil, 0o600) } // whoever waits for it gives up in the end
