package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

const (
	keep = `/*---
kind: script
name: keep
description: Returns as much as it is asked for, at once or after a minute.
limits: {timeoutMs: 120000, maxOutputBytes: 1048576}
input_schema: {type: object, properties: {n: {type: integer, default: 10}, ms: {type: integer, default: 0}}}
---*/
export default async (ctx, { n, ms }) => {
  ctx.progress({ done: 1, total: 2, message: "begun" })
  if (ms) await new Promise((done) => setTimeout(done, ms))
  return "y".repeat(n)
}
`
	callKeep = `{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"keep","arguments":{"ms":%d,"n":%d},"_meta":{"progressToken":"p"}}}`
	callName = `{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"%s","arguments":{"a":1,"b":2}}}`
)

// until reads lines until one has all of wants.
func (w *wire) until(wants ...string) string {
	w.t.Helper()
	for {
		line, missing := w.hear(), false
		for _, want := range wants {
			missing = missing || !strings.Contains(line, want)
		}
		if !missing {
			return line
		}
	}
}

// TestRunsTakeRoomForWhatTheyReturn: a run that may return much takes room only for what it
// does return, when it returns, however many others run.
func TestRunsTakeRoomForWhatTheyReturn(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{SessionAnswerBytes: 2 << 20, AnswerBytes: 2 << 20}, keep)
	one, other := b.raw(t, "2025-06-18"), b.raw(t, "2025-06-18")
	for n := range 8 { // which may return 1 MiB each
		one.say(fmt.Sprintf(callKeep, fmt.Sprint("long", n), 60_000, 1))
		one.until("begun")
	}
	one.say(fmt.Sprintf(callKeep, "next", 0, 700_000))
	one.until(`"id":"next"`, "yyyyy")
	other.say(fmt.Sprintf(callKeep, "other", 0, 700_000))
	other.until(`"id":"other"`, "yyyyy")
}

// TestRoomOfAnswersIsGivenBack: an answer gives its room back once it is written, however it
// was asked for; answers of one batch that have no room together are errors.
func TestRoomOfAnswersIsGivenBack(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{SessionAnswerBytes: 2 << 20, AnswerBytes: 4 << 20}, keep)
	const size = 700_000 // of 1 MiB
	lines := b.raw(t, "2025-03-26")
	web := b.listen(t, serve.HTTPOptions{Rate: -1})
	session := begin(t, web, "2025-03-26")
	batch := "[" + fmt.Sprintf(callKeep, "b1", 0, size) + `,{"jsonrpc":"2.0","id":"p","method":"ping"}]`
	for n := range 4 {
		lines.say(fmt.Sprintf(callKeep, fmt.Sprint("a", n), 0, size))
		lines.until(fmt.Sprintf(`"id":"a%d"`, n), "yyyyy")
		lines.say(batch)
		lines.until(`"id":"b1"`, "yyyyy")
		for _, body := range []string{fmt.Sprintf(callKeep, "c", 0, size), batch} {
			if status, _, text := post(t, web, body, session); status != http.StatusOK || len(text) < size {
				t.Fatalf("%d %.500s", status, text)
			}
		}
	}
	list := fmt.Sprintf(callKeep, "d0", 0, size)
	for n := range 3 {
		list += "," + fmt.Sprintf(callKeep, fmt.Sprint("d", n+1), 0, size)
	}
	status, _, text := post(t, web, "["+list+"]", session)
	if refused := strings.Count(text, "ask one by one"); status != http.StatusOK || refused != 3 || len(text) < size {
		t.Errorf("%d, %d were refused, %d bytes", status, refused, len(text))
	}
	lines.say("[" + list + "]") // these wait in the batch itself, which has a bound of its own
	if line := lines.until(`"id":"d3"`, `"id":"d0"`); strings.Count(line, "yyyyy") == 0 || len(line) < 4*size {
		t.Errorf("%.300s", line)
	}
}

// TestCallsOfManyPartsHaveRoomAgain: arguments hold room for their parts only until they have
// been checked, not while their runs last.
func TestCallsOfManyPartsHaveRoomAgain(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, keep).raw(t, "2025-06-18")
	many := `"arguments":{"list":[` + strings.Repeat("{},", 100_000) + `{}],`
	for n := range 8 { // of which two have room at once
		client.say(strings.Replace(fmt.Sprintf(callKeep, fmt.Sprint("long", n), 60_000, 1), `"arguments":{`, many, 1))
		client.until("begun")
	}
	client.say(strings.Replace(fmt.Sprintf(callKeep, "next", 0, 5), `"arguments":{`, many, 1))
	client.until(`"id":"next"`, "yyyyy")
}
