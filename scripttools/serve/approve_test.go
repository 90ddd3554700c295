package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

const asked = `/*---
kind: script
name: asked
description: Writes what a person is asked about.
allowed_tools: [write]
limits: {timeoutMs: 60000}
---*/
export default async (ctx, inputs) => {
  if (inputs.question) return ctx.approve(inputs.question, inputs.details).catch((e) => e.code)
  const wrote = await Promise.all(["one", "two"].map((name) => ctx.write("asked/" + name, "x\u202e").then(() => name, (e) => e.code)))
  return wrote.join()
}
`

const callAsked = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"asked","arguments":%s}}`

// canElicit is a client that can ask a person.
func canElicit(t *testing.T, b *bench) *wire {
	t.Helper()
	client := b.raw(t, "")
	client.say(strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	client.hear(`"protocolVersion":"2025-06-18`)
	client.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return client
}

// question answers the question to a person in one way.
func (w *wire) question(action, answer string, wants ...string) {
	w.t.Helper()
	var question struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(w.hear(append(wants, "elicitation/create")...)), &question); err != nil {
		w.t.Fatal(err)
	}
	content := ""
	if action == "accept" {
		content = fmt.Sprintf(`,"content":{"answer":%q}`, answer)
	}
	w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":%q%s}}`, question.ID, action, content))
}

// TestPersonBehindAClientIsAsked: the person is asked about each call that a policy asks about,
// one at a time, in the order of the script.
func TestPersonBehindAClientIsAsked(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, asked)
	client := canElicit(t, b)
	for _, c := range []struct {
		answers [][2]string // action and answer
		says    string
	}{
		{[][2]string{{"accept", "no"}, {"accept", "yes"}}, "denied,two"},
		{[][2]string{{"decline", ""}, {"cancel", ""}}, "denied,denied"},
		{[][2]string{{"accept", "perhaps"}, {"accept", "yes"}}, "denied,two"},
		{[][2]string{{"accept", "yes, for all of this run"}}, "one,two"},
	} {
		client.say(fmt.Sprintf(callAsked, "{}"))
		for i, answer := range c.answers {
			name := []string{"one", "two"}[i]
			client.question(answer[0], answer[1], "May the tool asked call write, at ", "write(asked/**) (config.toml:1:1)", "asked/"+name)
		}
		if line := client.hear(`"id":"c"`, c.says); strings.Contains(line, "\u202e") {
			t.Error(line)
		}
		_, err := os.Stat(filepath.Join(b.dir, "asked/one"))
		if made := err == nil; made != strings.Contains(c.says, "one") {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

// TestScriptsQuestionGoesToTheClient: a script's own question reaches the client, with its
// details.
func TestScriptsQuestionGoesToTheClient(t *testing.T) {
	t.Parallel()
	client := canElicit(t, offer(t, serve.Options{}, asked))
	for answer, says := range map[string]string{"yes": "true", "no": "denied"} {
		client.say(fmt.Sprintf(callAsked, `{"question":"deploy?","details":{"to":"prod"}}`))
		client.question("accept", answer, "The tool asked asks, at ", "deploy?", "prod")
		client.hear(`"id":"c"`, says)
	}
}

// TestClientThatCannotAskIsTold: the error says what to do.
func TestClientThatCannotAskIsTold(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, strings.Replace(asked, ".then(() => name, (e) => e.code)", "", 1)).raw(t, "2025-06-18")
	client.say(fmt.Sprintf(callAsked, "{}"))
	client.hear(`"id":"c"`, `"isError":true`, "nobody to ask", "config.toml:1:1")
}
