package egress

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// asking is a proxy that is asked for names, and who asks it.
func asking(t *testing.T, o Options) (*Proxy, *net.Resolver) {
	t.Helper()
	names, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Names = names
	return serving(t, o), &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", names.LocalAddr().String())
	}}
}

// TestNamesAreNotedAndNobodyIsToldAnAddress: whoever asks learns at once that there is
// no such name, and the account says who was asked for.
func TestNamesAreNotedAndNobodyIsToldAnAddress(t *testing.T) {
	t.Parallel()
	p, resolver := asking(t, Options{List: list(t, "listed.example.com", "other.example.com:8080")})
	alone := p.Enter()
	for _, name := range []string{"Db.Example.com", "db.example.com.", "listed.example.com", "other.example.com", "localhost.localdomain.local", "host", "127.0.0.1.example.localhost"} {
		_, err := resolver.LookupHost(t.Context(), name)
		var dns *net.DNSError
		if !errors.As(err, &dns) || !dns.IsNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := []Lookup{{Name: "db.example.com", Alone: true}, {Name: "listed.example.com", Listed: true, Alone: true}, {Name: "other.example.com", Listed: true, Alone: true}}
	if account := alone.Leave(); !slices.Equal(account.Looked, want) || len(account.Connections) > 0 || len(account.Refused) > 0 {
		t.Errorf("%+v", account)
	}
	one, another := p.Enter(), p.Enter()
	if _, err := resolver.LookupHost(t.Context(), "db.example.com"); err == nil {
		t.Error("it has an address")
	}
	for _, pass := range []*Pass{one, another} {
		if account := pass.Leave(); !slices.Equal(account.Looked, []Lookup{{Name: "db.example.com"}}) {
			t.Errorf("of two: %+v", account)
		}
	}
}

// TestWhatIsNoQuestionHasNoAnswer: the proxy goes on, whatever it is sent.
func TestWhatIsNoQuestionHasNoAnswer(t *testing.T) {
	t.Parallel()
	p, resolver := asking(t, Options{})
	pass := p.Enter()
	question := dnsmessage.Message{Header: dnsmessage.Header{ID: 7}, Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("a.example.com."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}
	whole, err := question.Pack()
	if err != nil {
		t.Fatal(err)
	}
	question.Response = true
	answer, err := question.Pack()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{nil, {0}, whole[:len(whole)-1], whole[:12], answer, slices.Repeat([]byte{0xc0}, 4096)} {
		if got := p.answerName(text); got != nil {
			t.Errorf("%q: %q", text, got)
		}
	}
	conn, err := resolver.Dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	for _, text := range [][]byte{{0}, answer, whole} {
		if _, err := conn.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	var got dnsmessage.Message
	buffer := make([]byte, mostQuestion)
	n, err := conn.Read(buffer)
	if err == nil {
		err = got.Unpack(buffer[:n])
	}
	if err != nil || got.ID != 7 || got.RCode != dnsmessage.RCodeNameError || len(got.Answers) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if account := pass.Leave(); len(account.Looked) != 1 {
		t.Errorf("%+v", account)
	}
}
