package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

const large = `/*---
kind: script
name: large
description: Returns as much as it is asked for, when it is told.
limits: {timeoutMs: 120000, maxOutputBytes: 16777216}
input_schema: {type: object, properties: {n: {type: integer, default: 10}, ms: {type: integer, default: 0}}}
---*/
export default async (ctx, { n, ms }) => { if (ms) await new Promise((done) => setTimeout(done, ms)); return "x".repeat(n) }
`

// TestBatchHoldsItsPlaces: requests of a batch count as unanswered until the whole batch is
// written.
func TestBatchHoldsItsPlaces(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, large).raw(t, "2025-03-26")
	list := `[{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"large","arguments":{"ms":1500}}}`
	for n := range 63 {
		list += fmt.Sprintf(`,{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n)
	}
	client.say(list + "]")
	client.say(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
	client.hear("[{", `"id":"slow"`, `"id":62,`)
	client.hear(`"id":"after"`)
}

// TestBatchOfLargeAnswers: an answer that does not fit beside the others of its batch becomes
// an error that says so, each request is answered, and the room is given back.
func TestBatchOfLargeAnswers(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, large).raw(t, "2025-03-26")
	for _, large := range []int{5, 1} { // of 15 MB each
		list := `[{"jsonrpc":"2.0","id":0,"method":"ping"}`
		for n := 1; n <= large; n++ {
			list += fmt.Sprintf(`,{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large","arguments":{"n":15000000}}}`, n)
		}
		client.say(list + "]")
		var answers []struct {
			ID     int
			Error  *struct{ Message string }
			Result json.RawMessage
		}
		line := ""
		select {
		case line = <-client.lines:
		case <-time.After(5 * patience): // the race detector takes long for so much
		}
		if err := json.Unmarshal([]byte(line), &answers); err != nil || len(answers) != large+1 {
			t.Fatal(len(answers), err)
		}
		refused, bytes := 0, 0
		for _, answer := range answers {
			bytes += len(answer.Result)
			if answer.Error != nil && strings.Contains(answer.Error.Message, "ask one by one") {
				refused++
			}
		}
		if bytes > 65<<20 || (refused > 0) != (large > 4) {
			t.Errorf("of %d large answers %d were refused, and %d bytes sent", large, refused, bytes)
		}
	}
}

// TestInitializeComesByItself: over HTTP a session cannot begin in a batch, because its other
// calls would belong to an unknown session.
func TestInitializeComesByItself(t *testing.T) {
	t.Parallel()
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{Rate: -1})
	status, header, text := post(t, web, "["+hello+`,{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`, map[string]string{"Mcp-Protocol-Version": "2025-03-26"})
	if status != http.StatusBadRequest || header.Get("Mcp-Session-Id") != "" || !strings.Contains(text, "initialize comes by itself") {
		t.Error(status, text)
	}
}
