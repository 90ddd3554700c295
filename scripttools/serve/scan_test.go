package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestMessagesAreMeasuredBeforeTheyAreDecoded: every message that would take much memory is
// refused with its request's id, on both transports, and the session goes on.
func TestMessagesAreMeasuredBeforeTheyAreDecoded(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	client := b.raw(t, "2025-03-26")
	web := b.listen(t, serve.HTTPOptions{Rate: -1})
	session := begin(t, web, "2025-03-26")
	const message = `{"jsonrpc":"2.0","id":"it","method":"%s","params":%s}`
	objects := "[" + strings.Repeat("{},", 200_000) + "{}]"
	keys := `{"k":0` + strings.Repeat(`,"k":0`, 300_000) + "}"
	long := `"` + strings.Repeat("x", 2<<20) + `"`
	quotes := `"` + strings.Repeat(`\"`, 100_000) + `"`
	for name, c := range map[string]struct{ text, want string }{
		"a list of numbers":                {"[0" + strings.Repeat(",0", 3<<20) + "]", "at most 64 messages"},
		"a list of objects":                {objects, "at most"},
		"one message too many":             {"[{}" + strings.Repeat(",{}", 64) + "]", "at most 64 messages"},
		"capabilities":                     {fmt.Sprintf(message, "initialize", `{"protocolVersion":"2025-03-26","clientInfo":{"name":"t","version":"1"},"capabilities":{"experimental":{"a":`+objects+"}}}"), "it"},
		"a name of a client":               {fmt.Sprintf(message, "initialize", `{"protocolVersion":"2025-03-26","clientInfo":{"name":`+long+`,"version":"1"},"capabilities":{}}`), "at most 65536 bytes"},
		"_meta of a call":                  {fmt.Sprintf(message, "tools/call", `{"name":"add","arguments":{"a":1,"b":2},"_meta":{"a":`+objects+"}}"), "more than 10000 parts beside"},
		"_meta before the name":            {fmt.Sprintf(message, "tools/call", `{"_meta":`+keys+`,"name":"add","arguments":{"a":1,"b":2}}`), "more than 10000 parts beside"},
		"_meta of a list":                  {fmt.Sprintf(message, "tools/list", `{"_meta":{"a":`+objects+"}}"), "more than 10000 parts beside"},
		"a long word in _meta":             {fmt.Sprintf(message, "tools/call", `{"name":"add","arguments":{"a":1,"b":2},"_meta":{"a":`+long+"}}"), "more than 1048576 bytes beside"},
		"what a person answered":           {fmt.Sprintf(message, "tools/call", `{"name":"add","inputResponses":{"inputs":`+keys+`}}`), "more than 10000 parts beside"},
		"arguments of objects":             {fmt.Sprintf(message, "tools/call", `{"name":"add","arguments":{"a":`+objects+"}}"), "the arguments have more than 1000000 parts"},
		"arguments a second time":          {fmt.Sprintf(message, "tools/call", `{"name":"add","arguments":{},"arguments":`+keys+"}"), "more than 10000 parts beside"},
		"arguments behind other arguments": {`{"jsonrpc":"2.0","params":{"arguments":{}},"id":"it","method":"tools/call","params":{"name":"add","arguments":` + keys + "}}", "more than 10000 parts beside"},
		"arguments by another way":         {fmt.Sprintf(message, "tools/call", `{"name":"add","\u0061rguments":`+keys+"}"), "more than 10000 parts beside"},
		"arguments of what takes none":     {fmt.Sprintf(message, "prompts/get", `{"name":"add","arguments":`+keys+"}"), "at most 65536 bytes"},
		"parts of what takes few":          {fmt.Sprintf(message, "ping", `{"a":[`+strings.Repeat("[],", 3000)+"0]}"), "4000 parts"},
		"a key beside the message":         {`{"jsonrpc":"2.0","id":"it","method":"ping","a":` + objects + "}", "more than 10000 parts beside"},
		"keys beside the message":          {`{"jsonrpc":"2.0","id":"it","method":"ping"` + strings.Repeat(`,"a":0`, 10_000) + "}", "more than 10000 parts beside"},
		"spaces":                           {`{"jsonrpc":"2.0","id":"it","method":"ping"` + strings.Repeat(" ", 100_000) + "}", "at most 65536 bytes"},
		"a method":                         {fmt.Sprintf(message, strings.Repeat(`\"`, 100_000), "{}"), "at most 65536 bytes"},
		"a subscription":                   {fmt.Sprintf(message, "subscriptions/listen", `{"resources":[`+strings.Repeat(`"",`, 9000)+`""]}`), "4000 parts"},
		"a large call that is none":        {fmt.Sprintf(message, "tools/call", `{"name":5,"arguments":{"a":`+quotes+"}}"), "are not those of a call"},
		"a large call in a list":           {fmt.Sprintf(message, "tools/call", `[`+quotes+"]"), "are not those of a call"},
	} {
		client.say(c.text)
		line := client.hear(c.want)
		if strings.Contains(line, `"id":null`) != (c.text[0] == '[') || !strings.Contains(line, `"error"`) || len(line) > 1000 {
			t.Fatalf("%s: %.200s", name, line)
		}
		status, _, text := post(t, web, c.text, session)
		if status != http.StatusBadRequest || !strings.Contains(text, c.want) || c.text[0] != '[' && !strings.Contains(text, `"id":"it"`) || len(text) > 1000 {
			t.Errorf("%s: %d %.200s", name, status, text)
		}
	}
	list := `"` + strings.Repeat("x", 4<<20) + `"`
	for _, arguments := range []string{list, objects[:300_001] + "{}]", quotes} { // what is large, and is a call
		text := fmt.Sprintf(message, "tools/call", `{"name":"add","arguments":{"a":`+arguments+"}}")
		client.say(text)
		client.hear(`"id":"it"`, "invalid_input")
		if status, _, text := post(t, web, text, session); status != http.StatusOK || !strings.Contains(text, "invalid_input") {
			t.Errorf("%d %.200s", status, text)
		}
	}
	client.say(fmt.Sprintf(callAdd, "1"))
	client.hear(`"sum":3`)
}

// TestLargeBatchIsRefusedToEach: each request of a batch that is slightly too long is answered;
// of one that is far too long, only so many are.
func TestLargeBatchIsRefusedToEach(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, add).raw(t, "2025-03-26")
	for length, refused := range map[int]int{65: 65, 999: 999, 5000: 1000} {
		client.say("[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, length-1) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
		for range refused {
			client.hear(`"id":1,`, "at most 64")
		}
		if refused < length {
			client.hear(`"id":null`, "at most 64")
		}
		client.say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
		client.hear(`"id":"last","result"`)
	}
}

// TestLongProgressToken: a token that every notification would repeat must be short.
func TestLongProgressToken(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, talk).raw(t, "2025-06-18")
	const call = `{"jsonrpc":"2.0","id":"it","method":"tools/call","params":{"name":"talk","_meta":{"progressToken":"%s"}}}`
	client.say(fmt.Sprintf(call, strings.Repeat("t", 1025)))
	client.hear(`"id":"it"`, "-32602", "at most 1024 bytes")
	token := strings.Repeat("t", 1024)
	client.say(fmt.Sprintf(call, token))
	for range 3 {
		client.hear("notifications/progress", token)
	}
	client.hear(`"id":"it"`, "done")
}
