package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// patience is how long a test waits for an answer.
const patience = 2 * time.Minute

// wire is a client that writes lines and reads lines.
type wire struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan string
}

// raw is a client over two pipes, of a version of the protocol; none is not
// initialized.
func (b *bench) raw(t *testing.T, version string) *wire {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	w := &wire{t: t, in: in, lines: make(chan string)}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		err := b.server.Stdio(ctx, toServer, fromServer)
		_ = fromServer.Close()
		served <- err
	}()
	go func() {
		defer close(w.lines)
		answers := bufio.NewReader(out)
		for {
			line, err := answers.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case w.lines <- line:
			case <-ctx.Done():
				_ = out.Close()
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = in.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		for range w.lines { //nolint:revive // until it is closed
		}
	})
	if version != "" {
		w.say(strings.Replace(hello, "2025-06-18", version, 1))
		w.hear(`"protocolVersion":"` + version)
		w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return w
}

func (w *wire) say(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// hear waits for one line and expects each of wants in it.
func (w *wire) hear(wants ...string) (line string) {
	w.t.Helper()
	select {
	case line = <-w.lines:
	case <-time.After(patience):
		w.t.Fatalf("nothing came; %q was expected", wants)
	}
	for _, want := range wants {
		if !strings.Contains(line, want) {
			w.t.Fatalf("%.500s does not say %s", line, want)
		}
	}
	return line
}

const callAdd = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`

// TestRequestIDsAreKeptToTheLetter: a client finds its answer by the id that it
// wrote.
func TestRequestIDsAreKeptToTheLetter(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, add).raw(t, "2025-11-25")
	for _, id := range []string{
		"0", "-1", "1.5", "1e23", "1E2", "1.0", "-0", "9007199254740993", "123456789012345678901234567890", "1e999",
		`""`, `"x"`, `"1"`, `"a<b>&c"`, `"\u0061"`, `"\u0000x"`, `"é\n\"\\\/"`, `"\ud800"`, `"\udc00\ud800 "`, `"` + strings.Repeat("i", 500) + `"`,
	} {
		client.say(fmt.Sprintf(callAdd, id))
		client.hear(`"id":`+id+`,`, `"sum":3`)
	}
	client.say(fmt.Sprintf(callAdd, `"`+strings.Repeat("i", 5000)+`"`))
	client.hear(`"id":null`, "-32600", "at most 1024 bytes")
}

// TestRequestIDsOverHTTP: an id that the library would change is refused, by the id itself.
func TestRequestIDsOverHTTP(t *testing.T) {
	t.Parallel()
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{})
	_, headers, _ := post(t, web, hello, nil)
	session := map[string]string{"Mcp-Session-Id": headers.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": "2025-06-18"}
	for _, id := range []string{"0", "-7", "9007199254740992", `""`, `"a<b"`, `"é"`, `"1"`} {
		if status, _, text := post(t, web, fmt.Sprintf(callAdd, id), session); status != 200 || !strings.Contains(text, `"id":`+id+`,`) || !strings.Contains(text, `"sum":3`) {
			t.Errorf("%s: %d %s", id, status, text)
		}
	}
	for _, id := range []string{"1.5", "1e23", "-0", "9007199254740993", "123456789012345678901234567890", `"\ud800"`} {
		if status, _, text := post(t, web, fmt.Sprintf(callAdd, id), session); status != 400 || !strings.Contains(text, `"id":`+id+`,`) || !strings.Contains(text, "-32600") {
			t.Errorf("%s: %d %s", id, status, text)
		}
	}
}

// TestBatchesAreOfOneVersion: one version of the protocol has batches, and later ones refuse
// each request of a list; calls under way go on.
func TestBatchesAreOfOneVersion(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add, slow)
	list := `[` + fmt.Sprintf(callAdd, `"a"`) + `,{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},{"jsonrpc":"2.0","id":2.5,"method":"ping"},{"jsonrpc":"2.0","id":true,"method":"ping"}]`
	old := b.raw(t, "2025-03-26")
	old.say(list)
	var answers []struct {
		ID    json.RawMessage
		Error *struct{ Code int }
	}
	line := old.hear("[")
	if err := json.Unmarshal([]byte(line), &answers); err != nil || len(answers) != 3 {
		t.Fatal(line, err)
	}
	got := map[string]bool{}
	for _, answer := range answers {
		got[string(answer.ID)] = answer.Error == nil
	}
	if want := fmt.Sprint(map[string]bool{`"a"`: true, "2.5": true, "null": false}); fmt.Sprint(got) != want {
		t.Errorf("%v, not %v", got, want)
	}
	old.say("[]")
	old.hear("-32600", `"id":null`)
	old.say("[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 64) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
	for range 65 {
		old.hear(`"id":1,`, "at most 64")
	}
	for _, version := range []string{"2025-06-18", "2025-11-25", ""} {
		client := b.raw(t, version)
		if version != "" {
			client.say(`{"jsonrpc":"2.0","id":"under way","method":"tools/call","params":{"name":"slow"}}`)
		}
		client.say(list)
		for _, id := range []string{`"a"`, "2.5"} {
			client.hear(`"id":`+id+`,`, "-32600", "batch")
		}
		if version != "" {
			client.hear(`"id":"under way"`, "done")
		}
		client.say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
		client.hear(`"id":"last","result":{}`)
	}
}

const slow = "/*---\nkind: script\nname: slow\ndescription: Takes its time.\n---*/\nexport default () => new Promise((done) => setTimeout(() => done('done'), 300))\n"

// TestDeepArgumentsAreAnsweredToTheirCaller: the answer has the id if it can be read, wherever
// it stands.
func TestDeepArgumentsAreAnsweredToTheirCaller(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	client := b.raw(t, "2025-11-25")
	web := b.listen(t, serve.HTTPOptions{})
	nested := func(depth int) string {
		return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
	}
	for _, depth := range []int{1000, 9999, 20000, 300000} {
		for form, want := range map[string]string{
			`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"add","arguments":%s}}`:   "1.5",
			`{"method":"tools/call","params":{"name":"add","arguments":%s},"jsonrpc":"2.0","id":"end"}`: `"end"`,
		} {
			client.say(fmt.Sprintf(form, nested(depth)))
			client.hear(`"id":`+want+`,`, "-32600", "nested")
			if status, _, text := post(t, web, fmt.Sprintf(form, nested(depth)), nil); status != 400 || !strings.Contains(text, `"id":`+want+`,`) {
				t.Errorf("%d: %d %s", depth, status, text)
			}
		}
	}
	client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":%s}}`, nested(990)))
	client.hear(`"id":7,`, "invalid_input")
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":8,"method":"ping"`:                                         `"id":8,`,
		`{"jsonrpc":"2.0","params":{"id":1},"id":9,"method":"ping",}`:                     `"id":9,`,
		"{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}": `"id":10,`,
		`{"jsonrpc":"1.0","id":11,"method":"ping"}`:                                       `"id":11,`,
	} {
		client.say(line)
		client.hear(want, "error")
	}
}

// TestClientThatDoesNotRead: only so many of its requests are read, and the rest once it has
// read answers.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	served := make(chan error, 1)
	b := offer(t, serve.Options{}, add)
	go func() {
		served <- b.server.Stdio(context.Background(), toServer, fromServer)
		_ = fromServer.Close()
	}()
	const all = 5000
	written := make(chan int, all)
	go func() {
		defer close(written)
		defer in.Close()
		_, _ = io.WriteString(in, hello+"\n")
		for n := range all {
			if _, err := fmt.Fprintf(in, callAdd+"\n", fmt.Sprint(n)); err != nil {
				return
			}
			written <- n
		}
	}()
	answers := bufio.NewReader(out)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "serverInfo") {
		t.Fatal(line, err)
	}
	last, quiet := 0, time.NewTimer(time.Second)
	for stuck := false; !stuck; {
		select {
		case last = <-written:
			quiet.Reset(time.Second)
		case <-quiet.C:
			stuck = true
		}
	}
	// A line more is in each of the places between the pipe and the session, and
	// 64 KiB in the buffer of what is read.
	if most := 64 + (64<<10)/len(callAdd) + 10; last > most {
		t.Errorf("%d requests were taken of a client that reads nothing; at most %d", last, most)
	}
	heard := map[string]bool{}
	for len(heard) < all {
		line, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatalf("after %d answers: %v", len(heard), err)
		}
		var answer struct{ ID json.RawMessage }
		if err := json.Unmarshal(line, &answer); err != nil || !bytes.Contains(line, []byte(`"sum":3`)) {
			t.Fatalf("%s: %v", line, err)
		}
		heard[string(answer.ID)] = true
		for more := true; more; {
			select {
			case _, more = <-written:
				if !more {
					written = nil
				}
			default:
				more = false
			}
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestCancelledBehindTheLimit: a client with as many calls as allowed can still cancel, be
// asked and answer.
func TestCancelledBehindTheLimit(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, `/*---
kind: script
name: long
description: Takes long.
limits: {timeoutMs: 60000}
---*/
export default () => new Promise(() => {setTimeout(() => {}, 59000)})
`)
	client := b.raw(t, "2025-06-18")
	for n := range 64 {
		client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"long"}}`, n))
	}
	client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":63}}`)
	client.hear(`"id":63,`)
	client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
	client.hear(`"id":0,`)
	client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`) // too late, and told nobody
	client.say(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	client.hear(`"id":"x","result"`)
	client.say(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	client.hear(`"id":5,`, "not answered yet")
}

// TestAnswersAreAwaitedAtTheLimit: a server that waits for answers of its client
// does not stop reading them.
func TestAnswersAreAwaitedAtTheLimit(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{SessionRuns: 100}, add)
	session := b.connect(t, &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"b": 40}}, nil
	}})
	ended := make(chan error, 200)
	for range 200 {
		go func() {
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": 2}})
			ended <- err
		}()
	}
	answered := 0
	for range 200 {
		if err := <-ended; err == nil {
			answered++
		} else if !strings.Contains(err.Error(), "too many requests are unanswered") {
			t.Error(err)
		}
	}
	if answered < 64 {
		t.Errorf("%d calls were answered", answered)
	}
}
