package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// servedMemory is the memory that a server may take for messages that its clients send or do
// not read, besides its own; one such message has some 20 MB.
const servedMemory = 800 << 20

// TestClientsDoNotFillTheHost: whatever clients send, and however little they
// read, the server holds a bounded part of it, and answers others afterwards.
func TestClientsDoNotFillTheHost(t *testing.T) {
	t.Parallel()
	binary := buildCommand(t)
	const size = 20 << 20
	objects := "[" + strings.Repeat("{},", (size-400)/3) + "{}]"
	zeros := "[0" + strings.Repeat(",0", size/2-10) + "]"
	initialize := strings.Replace(helloLine, `"capabilities":{}`, `"capabilities":{"experimental":{"a":`+objects+"}}", 1)
	whole := func(body string) string {
		return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	half := strings.Replace(whole(strings.Repeat("x", size-2)), "\r\n\r\n", "\r\nX: y\r\n\r\n", 1)
	const callLarge = `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"large","arguments":{}}}`
	for name, row := range map[string]struct {
		text  string
		times int
	}{
		"lists of numbers":         {whole(zeros), 6},
		"lists of objects":         {whole(objects), 6},
		"capabilities":             {whole(initialize), 8},
		"_meta":                    {whole(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":` + objects + "}}}"), 6},
		"bodies that do not end":   {half[:len(half)-1], 50},
		"sessions nobody knows":    {strings.Replace(half, "X: y", "Mcp-Session-Id: nobody", 1), 30},
		"large answers":            {whole(callLarge), 8},
		"many calls of many parts": {whole(strings.Replace(callLarge, `{}`, `{"a":[`+strings.Repeat("{},", 100_000)+`{}]}`, 1)), 32},
		"arguments of many parts":  {whole(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":` + objects + "}}}"), 6},
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // one server at a time has its memory measured
			server := exec.CommandContext(t.Context(), binary, "serve", "--http", "127.0.0.1:0", "--rate", "1000", "--config", "whole.toml")
			server.Dir = t.TempDir()
			server.Env = append(os.Environ(), "HOME="+server.Dir)
			if err := os.Mkdir(filepath.Join(server.Dir, "tools"), 0o755); err != nil {
				t.Fatal(err)
			}
			tool := "/*---\nkind: script\nname: large\ndescription: d\ninput_schema: {type: object, properties: {a: {type: array, items: {type: object}}}}\nlimits: {maxOutputBytes: 16777216, timeoutMs: 60000}\n---*/\nexport default (ctx, { a }) => a ? a.length : ({ a: '<'.repeat(15e6) })\n"
			if err := os.WriteFile(filepath.Join(server.Dir, "tools", "large.js"), []byte(tool), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(server.Dir, "whole.toml"), []byte("[serve]\nmaxResultBytes = 16777216\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			stderr, err := server.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = server.Process.Kill()
				_ = server.Wait()
			}()
			said := bufio.NewReader(stderr)
			address := ""
			for address == "" {
				line, err := said.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				_, rest, _ := strings.Cut(line, "listening on http://")
				address, _, _ = strings.Cut(rest, "/mcp")
			}
			go func() { _, _ = io.Copy(io.Discard, said) }()
			var clients sync.WaitGroup
			text := row.text
			session := ""
			if strings.Contains(text, `"id":ID`) {
				_, session, _ = strings.Cut(ask(t, address, whole(helloLine)), "Mcp-Session-Id: ")
				session, _, _ = strings.Cut(session, "\r\n")
			}
			for n := range row.times {
				clients.Go(func() {
					if session == "" {
						ask(t, address, text)
						return
					}
					hearLarge(t, address, session, strings.Replace(bodyOf(text), "ID", fmt.Sprint(n+1), 1))
				})
			}
			clients.Wait()
			if answer := ask(t, address, whole(helloLine)); !strings.Contains(answer, "200 OK") {
				t.Errorf("then it answers %.300s", answer)
			}
			peak := peakMemory(server.Process.Pid)
			t.Logf("%d MB for %d times %d MB", peak>>20, row.times, len(row.text)>>20)
			if peak == 0 || peak > servedMemory {
				t.Errorf("the server took %d MB for %d times %d MB", peak>>20, row.times, len(row.text)>>20)
			}
		})
	}
}

// ask writes a text to an address, and returns the beginning of what comes.
func ask(t *testing.T, address, text string) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = io.WriteString(conn, text) // it may be refused before its end
	head := make([]byte, 1000)
	n, _ := io.ReadAtLeast(conn, head, 15)
	return string(head[:n])
}

// hearLarge calls for an answer, and reads all of it.
func hearLarge(t *testing.T, address, session, call string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/mcp", strings.NewReader(call))
	if err != nil {
		t.Error(err)
		return
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	head := make([]byte, 1000)
	size, err := io.ReadFull(response.Body, head)
	if len(call) > 1000 { // it has a short answer
		if !strings.Contains(string(head[:size]), `"text":"100001"`) {
			t.Errorf("%.500s came, %v", head[:size], err)
		}
		return
	}
	rest, err := io.Copy(io.Discard, response.Body)
	if n := int64(size) + rest; n < 30_000_000 || n > 31_000_000 {
		t.Errorf("%d bytes came, %v", n, err)
	}
}

// bodyOf is the body of a request.
func bodyOf(request string) string {
	_, body, _ := strings.Cut(request, "\r\n\r\n")
	return body
}
