package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// seen is what a server was sent.
type seen struct {
	method, path, body string
	header             http.Header
}

// origin is a server that notes what it is sent, and redirects as its table says.
type origin struct {
	mu       sync.Mutex
	requests []seen
	to       map[string]string // from a path to where it redirects
	status   map[string]int
	address  string
	port     string
}

func newOrigin(t *testing.T) *origin {
	o := &origin{to: map[string]string{}, status: map[string]int{}}
	o.address, o.port = site(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		o.mu.Lock()
		o.requests = append(o.requests, seen{r.Method, r.URL.Path, string(body), r.Header.Clone()})
		to, status := o.to[r.URL.Path], o.status[r.URL.Path]
		o.mu.Unlock()
		w.Header().Set("Set-Cookie", "session=kept")
		if to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(max(status, http.StatusFound))
			return
		}
		_, _ = w.Write([]byte("fine"))
	})
	return o
}

func (o *origin) received() []seen {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]seen(nil), o.requests...)
}

var secrets = map[string]string{"Authorization": "Bearer secret", "Cookie": "c=secret", "X-Api-Key": "secret", "Www-Authenticate": "secret", "Referer": "http://x/secret"}

func hasSecret(s seen) string {
	for name, values := range s.header {
		if strings.Contains(strings.Join(values, ""), "secret") {
			return name
		}
	}
	return ""
}

// TestHeadersDroppedAtTheFirstChangeOfOriginStayDropped: from A to B and on to
// another path of B, B is a subdomain of A, and back to A.
func TestHeadersDroppedAtTheFirstChangeOfOriginStayDropped(t *testing.T) {
	t.Parallel()
	first, second := newOrigin(t), newOrigin(t)
	names := map[string]string{"a.test.": "127.0.0.1", "sub.a.test.": "127.0.0.1"}
	first.to["/start"] = "http://sub.a.test:" + second.port + "/one?token=secret"
	first.to["/own"] = "/start"
	second.to["/one"] = "/two"
	second.to["/two"] = "http://a.test:" + first.port + "/back"
	f := &Fetch{Private: []string{"a.test", "sub.a.test"}, resolver: answers(t, names)}
	result, err := ask(t, f, map[string]any{"url": "http://a.test:" + first.port + "/own?q=secret", "headers": secrets}, "fetch")
	if err != nil || result.Output != "fine" {
		t.Fatalf("%+v, %v", result, err)
	}
	at := first.received()
	if len(at) != 3 || hasSecret(at[0]) == "" || hasSecret(at[1]) == "" {
		t.Fatalf("the origin that was named lacks its headers: %+v", at)
	}
	if name := hasSecret(at[2]); name != "" {
		t.Errorf("back at the first origin there is %s again", name)
	}
	for _, request := range second.received() {
		if name := hasSecret(request); name != "" {
			t.Errorf("%s of the other origin was sent %s", request.path, name)
		}
	}
	if len(second.received()) != 2 {
		t.Errorf("the other origin was asked %d times", len(second.received()))
	}
}

// TestRefererIsNeverSent: neither to the same origin nor to another.
func TestRefererIsNeverSent(t *testing.T) {
	t.Parallel()
	first, second := newOrigin(t), newOrigin(t)
	first.to["/start"], first.to["/next"] = "/next", second.address+"/end"
	f := &Fetch{Private: []string{"127.0.0.1"}}
	if result, err := ask(t, f, map[string]any{"url": first.address + "/start?q=secret"}, "fetch"); err != nil || result.Output != "fine" {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, request := range append(first.received(), second.received()...) {
		if got := request.header.Values("Referer"); got != nil {
			t.Errorf("%s was sent %q", request.path, got)
		}
	}
}

// TestBodiesAreNotSentToAnotherOrigin: 307 and 308 keep them, and are refused
// there; other redirects drop them.
func TestBodiesAreNotSentToAnotherOrigin(t *testing.T) {
	t.Parallel()
	first, second := newOrigin(t), newOrigin(t)
	for status := http.StatusTemporaryRedirect; status <= http.StatusPermanentRedirect; status++ {
		away, stay := fmt.Sprintf("/away%d", status), fmt.Sprintf("/stay%d", status)
		first.to[away], first.status[away] = second.address+"/taken", status
		first.to[stay], first.status[stay] = "/kept", status
	}
	first.to["/303"], first.status["/303"] = second.address+"/dropped", http.StatusSeeOther
	f := &Fetch{Private: []string{"127.0.0.1"}}
	post := func(path, method, body string) hostapi.Result {
		t.Helper()
		result, err := ask(t, f, map[string]any{"url": first.address + path, "method": method, "body": body, "headers": map[string]string{"Content-Type": "text/secret"}}, "fetch")
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	for _, path := range []string{"/away307", "/away308"} {
		for method, body := range map[string]string{"POST": "the body", "DELETE": "", "GET": "the body"} {
			if result := post(path, method, body); result.ExitCode == 0 || !strings.Contains(result.Output, "which is another origin; ask there") {
				t.Errorf("%s %s: %+v", method, path, result)
			}
		}
	}
	if got := second.received(); len(got) > 0 {
		t.Fatalf("the other origin was sent %+v", got)
	}
	for _, path := range []string{"/stay307", "/stay308"} {
		if result := post(path, "POST", "the body"); result.Output != "fine" {
			t.Errorf("%s: %+v", path, result)
		}
		if got := first.received(); got[len(got)-1].body != "the body" || got[len(got)-1].method != "POST" {
			t.Errorf("%s: the same origin was sent %+v", path, got[len(got)-1])
		}
	}
	if result := post("/303", "POST", "the body"); result.Output != "fine" {
		t.Errorf("303: %+v", result)
	}
	if got := second.received(); len(got) != 1 || got[0].method != "GET" || got[0].body != "" || got[0].header.Get("Content-Type") != "" {
		t.Errorf("after a 303 the other origin was sent %+v", got)
	}
}

// TestCookiesAreNotKept: neither for the next call nor for a redirect of this one.
func TestCookiesAreNotKept(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.to["/start"] = "/next"
	f := &Fetch{Private: []string{"127.0.0.1"}}
	for range 3 {
		if result := get(t, f, o.address+"/start"); result.Output != "fine" {
			t.Fatalf("%+v", result)
		}
	}
	for _, request := range o.received() {
		if got := request.header.Values("Cookie"); got != nil {
			t.Errorf("%s was sent %q", request.path, got)
		}
	}
}

// TestRedirectsAreDecidedOneByOne: each of them by the rules, though they begin
// where a rule grants and end there.
func TestRedirectsAreDecidedOneByOne(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.to["/public/a"], o.to["/private/b"] = "/private/b", "/public/c"
	f := &Fetch{Private: []string{"127.0.0.1"}}
	result, err := ask(t, f, map[string]any{"url": o.address + "/public/a"}, "fetch("+o.address+"/public/**)")
	if err != nil || result.ExitCode == 0 || !strings.Contains(result.Output, "is not allowed for") {
		t.Errorf("%+v, %v", result, err)
	}
	if got := o.received(); len(got) != 1 {
		t.Errorf("the server was sent %+v", got)
	}
}

// TestErrorsDoNotRepeatSecrets: no credentials and no query of an address,
// whatever is wrong with it.
func TestErrorsDoNotRepeatSecrets(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	for i, location := range []string{
		"http://user:hunter2@" + "example.com/", "//user:hunter2@127.0.0.1/", "http://10.0.0.1/?key=hunter2", "http://127.0.0.1:99999/?hunter2", "http://[::1/hunter2",
		"http://exa mple/hunter2", "file:///etc/passwd?hunter2", "/next?hunter2",
	} {
		path := fmt.Sprintf("/%d", i)
		o.to[path] = location
		result, err := ask(t, &Fetch{Private: []string{"127.0.0.1:" + o.port}}, map[string]any{"url": o.address + path + "?hunter2"}, "fetch("+o.address+path+")")
		if err != nil || result.ExitCode == 0 || strings.Contains(result.Output, "hunter2") || strings.Contains(result.Output, "user") {
			t.Errorf("%s: %+v, %v", location, result, err)
		}
	}
	for _, address := range []string{
		"http://user:hunter2@example.com/", "http://user:hunter2", "user:hunter2@example.com", "http://us%er:hunter2@h/", "http://h:hunter2/", "ftp://h/?hunter2", "http://h\x7f/hunter2",
		"http://10.0.0.1/a/../b?hunter2", "http://nobody.invalid/?hunter2", "http://10.0.0.1/?hunter2", "http:hunter2", "//user:hunter2@h/", "http://user:hunter2@[::1%25eth0]/", "https://127.0.0.1:" + o.port + "/?hunter2",
		"http://127.0.0.1:1/?hunter2",
	} {
		for _, rule := range []string{"fetch", "fetch(https://other.example/**)"} {
			result, err := ask(t, &Fetch{Private: []string{"127.0.0.1"}, resolver: answers(t, nil)}, map[string]any{"url": address}, rule)
			if err == nil && result.ExitCode == 0 || strings.Contains(fmt.Sprint(result.Output, err), "hunter2") {
				t.Errorf("%s: %s, %v", address, result.Output, err)
			}
		}
	}
	result, err := ask(t, &Fetch{Private: []string{"127.0.0.1"}}, map[string]any{"url": o.address, "headers": map[string]string{"X-Key": "hunter2\n"}}, "fetch")
	if err != nil || result.ExitCode == 0 || strings.Contains(result.Output, "hunter2") {
		t.Errorf("a header: %+v, %v", result, err)
	}
}

// TestAHeaderInTwoSpellingsIsRefused: which of them is sent would be chance.
func TestAHeaderInTwoSpellingsIsRefused(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	args := map[string]any{"url": o.address, "headers": map[string]string{"X-Key": "a", "x-key": "b"}}
	if _, err := ask(t, &Fetch{Private: []string{"127.0.0.1"}}, args, "fetch"); !errors.Is(err, hostapi.ErrInvalidArgs) {
		t.Errorf("%v", err)
	}
	if got := o.received(); len(got) > 0 {
		t.Errorf("the server was sent %+v", got)
	}
}
