package mcptools_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oneTool is a list of one.
const oneTool = `{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}`

// asked is a request of the client, to a server that is written by hand.
type asked struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name   string
		Cursor string
	}
}

// answer writes a result.
func (a asked) answer(result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", a.ID, result)
}

// speak is the rest of such a server: it answers what each is asked to begin with,
// but for methods that are its own.
func speak(do func(asked), own ...string) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var a asked
		if json.Unmarshal(line, &a) != nil {
			os.Exit(4)
		}
		switch {
		case slices.Contains(own, a.Method):
			do(a)
		case a.Method == "server/discover":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", a.ID)
		case a.Method == "initialize":
			if gate := os.Getenv("GATE"); gate != "" {
				waitFor(gate)
			}
			more := ""
			if n, err := strconv.Atoi(os.Getenv("PARTS")); err == nil {
				more = `,"experimental":{"a":[{}` + strings.Repeat(",{}", n) + `]}`
			}
			a.answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}` + more + `},"serverInfo":{"name":"odd","version":"1"}}`)
		default:
			do(a)
		}
	}
}

// waitFor is over when nothing is at a path, or somebody has made path.open.
func waitFor(path string) {
	for {
		_, err := os.Stat(path)
		_, opened := os.Stat(path + ".open")
		if err != nil || opened == nil {
			return
		}
		time.Sleep(5 * time.Millisecond) // a process of its own has nothing else to wait for
	}
}
