package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// asking is a client over HTTP whose call waits for a person who has the question.
type asking struct {
	session string
	answer  *bufio.Reader
	vanish  context.CancelFunc
}

func askPerson(t *testing.T, web *httptest.Server, call string) *asking {
	t.Helper()
	status, headers, text := post(t, web, strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1), nil)
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	a := &asking{session: headers.Get("Mcp-Session-Id")}
	post(t, web, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, map[string]string{"Mcp-Session-Id": a.session})
	ctx, vanish := context.WithCancel(t.Context())
	a.vanish = vanish
	t.Cleanup(vanish)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/mcp", strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": a.session} {
		r.Header.Set(name, value)
	}
	response, err := web.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	a.answer = bufio.NewReader(response.Body)
	for {
		line, err := a.answer.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "elicitation/create") {
			return a
		}
	}
}

const callsAdd = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`

// TestQuestionsEndWithWhatTheyBelongTo: a person who does not answer keeps neither the
// call of a client that is gone, nor its session, nor the server.
func TestQuestionsEndWithWhatTheyBelongTo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *bench, *httptest.Server, *asking){
		"the client is gone": func(t *testing.T, _ *bench, _ *httptest.Server, a *asking) {
			t.Helper()
			a.vanish()
			all := make([]byte, 4<<20)
			for strings.Contains(string(all[:goruntime.Stack(all, true)]), "serve.askFor(") { // what others ask in between ends, too
				time.Sleep(time.Millisecond) // nothing tells
			}
		},
		"the session is deleted": func(t *testing.T, _ *bench, web *httptest.Server, a *asking) {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, web.URL+"/mcp", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Mcp-Session-Id", a.session)
			response, err := web.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			_, _ = io.ReadAll(a.answer) // it ends
		},
		"the server ends": func(_ *testing.T, b *bench, _ *httptest.Server, a *asking) {
			b.server.Close()
			_, _ = io.ReadAll(a.answer)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := offer(t, serve.Options{Ask: true}, add)
			web := b.listen(t, serve.HTTPOptions{})
			end(t, b, web, askPerson(t, web, callsAdd))
		})
	}
}

// TestSessionThatAsksMakesRoom: a session that waits for a person ends like any other for a
// client that has fewer.
func TestSessionThatAsksMakesRoom(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{Ask: true}, add)
	one, other := strings.Repeat("1", 32), strings.Repeat("2", 32)
	web := b.listen(t, serve.HTTPOptions{MaxSessions: 4, Tokens: []string{one, other}})
	web.Client().Transport = withToken{one, web.Client().Transport}
	ended := make(chan error, 3)
	for range 3 {
		a := askPerson(t, web, callsAdd)
		go func() {
			_, err := io.ReadAll(a.answer)
			ended <- err
		}()
	}
	web.Client().Transport = withToken{other, web.Client().Transport.(withToken).next}
	for range 2 {
		if status, _, text := post(t, web, hello, nil); status != http.StatusOK {
			t.Error(status, text)
		}
	}
	<-ended
}

// withToken sends a token.
type withToken struct {
	token string
	next  http.RoundTripper
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return w.next.RoundTrip(r)
}

// TestOfferedVersionIsNotTheAgreedOne: a client that offers an unknown version is served as one
// of the agreed version: it is asked during its call, and has no batches.
func TestOfferedVersionIsNotTheAgreedOne(t *testing.T) {
	t.Parallel()
	for version, before := range map[string]string{"2026-07-28": "", "2099-01-01": " \r\n", "1999-01-01": "\t"} {
		b := offer(t, serve.Options{Ask: true}, add)
		client := b.raw(t, "")
		client.say(strings.NewReplacer(`"capabilities":{}`, `"capabilities":{"elicitation":{}}`, "2025-06-18", version).Replace(hello))
		client.hear(`"protocolVersion":"2025-11-25"`)
		client.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		client.say(callsAdd)
		client.question("accept", "", "add needs b")
		client.hear(`"id":2`, `"isError":true`)
		web := b.listen(t, serve.HTTPOptions{})
		_, headers, text := post(t, web, before+strings.Replace(hello, "2025-06-18", version, 1), nil)
		if !strings.Contains(text, `"protocolVersion":"2025-11-25"`) {
			t.Error(text)
		}
		status, _, text := post(t, web, `[{"jsonrpc":"2.0","id":3,"method":"ping"}]`, map[string]string{"Mcp-Session-Id": headers.Get("Mcp-Session-Id")})
		if status != http.StatusBadRequest || !strings.Contains(text, "no batches") {
			t.Error(version, status, text)
		}
	}
}

// TestCancelledQuestionsLeaveNothing: over stdio, a call that is cancelled while a person is
// asked gives its places back, and a client that closes its end gets the answers to its other
// calls.
func TestCancelledQuestionsLeaveNothing(t *testing.T) {
	t.Parallel()
	client := canElicit(t, offer(t, serve.Options{Ask: true}, add))
	for range 70 { // more than there are places
		client.say(callsAdd)
		client.hear("elicitation/create")
		client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		client.hear() // that ours is cancelled, and the answer, in either order
		client.hear()
	}
	go func() {
		for n := range 100 {
			if _, err := fmt.Fprintf(client.in, callAdd+"\n", fmt.Sprint(100+n)); err != nil {
				t.Error(err)
			}
		}
	}()
	answered := 0
	for answered < 100 {
		if line := client.hear(); strings.Contains(line, `"sum":3`) {
			answered++
		} else if strings.Contains(line, "-32004") {
			t.Fatal(line)
		}
	}
	client.say(callsAdd)
	client.hear("elicitation/create")
	client.say(fmt.Sprintf(callAdd, "300"))
	_ = client.in.Close()
	for range 2 { // in either order
		line := client.hear(`"result"`)
		if strings.Contains(line, `"id":300`) && !strings.Contains(line, `"sum":3`) || strings.Contains(line, `"id":2,`) && !strings.Contains(line, "closed its end") {
			t.Error(line)
		}
	}
}
