package egress

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
	"golang.org/x/sys/unix"
)

const askOnce = "GET http://a.example.com/ HTTP/1.1\r\nHost: x\r\n"

// dial opens a connection at the address of a pass, which ends with the test.
func dial(t *testing.T, pass *Pass) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", pass.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	return conn
}

// occupy asks once through a connection, which stays, and returns the code.
func occupy(t *testing.T, pass *Pass) (conn net.Conn, code int) {
	t.Helper()
	conn = dial(t, pass)
	_, _ = io.WriteString(conn, bearing(pass, askOnce+"\r\n"))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return conn, response.StatusCode
}

// TestOnePassDoesNotTakeAllRoom: what one has at once is bounded, others go on
// meanwhile, and what it closes it may have again.
func TestOnePassDoesNotTakeAllRoom(t *testing.T) {
	t.Parallel()
	p := serving(t, Options{})
	greedy, modest := p.Enter(), p.Enter()
	var held []net.Conn
	for i := range mostOfPass {
		conn, code := occupy(t, greedy)
		if held = append(held, conn); code != http.StatusForbidden {
			t.Fatalf("connection %d: %d", i, code)
		}
	}
	for _, first := range []string{askOnce, "CONNECT b.example.com:443 HTTP/1.1\r\nHost: x\r\n"} {
		if got := exchange(t, greedy, first+"\r\n", time.Minute); !strings.HasPrefix(got, "HTTP/1.1 503 ") || !strings.Contains(got, "128 connections") {
			t.Errorf("one more: %q", got)
		}
	}
	if got := exchange(t, modest, askOnce+"Connection: close\r\n\r\n", time.Minute); !strings.Contains(got, "403") {
		t.Errorf("another's: %q", got)
	}
	_ = held[0].Close()
	for code := 0; code != http.StatusForbidden; { // when the proxy has seen it
		_, code = occupy(t, greedy)
	}
	account := greedy.Leave()
	found := false
	for _, r := range account.Refused {
		found = found || r.Target == "b.example.com:443" && r.Key == "" && strings.Contains(r.Why, "128 connections")
	}
	if !found {
		t.Errorf("%+v", account.Refused)
	}
	if other := modest.Leave(); len(other.Connections) != 1 {
		t.Errorf("another's account: %+v", other)
	}
	if p.room.taken > 0 || p.room.silent > 0 || len(p.room.waiting) > 0 {
		t.Errorf("after all have left, %d are taken and %d wait", p.room.taken, p.room.silent)
	}
}

// TestAllPassesTogetherAreBounded: the bound of all holds, and says which it is.
func TestAllPassesTogetherAreBounded(t *testing.T) {
	t.Parallel()
	p := serving(t, Options{})
	var passes []*Pass
	for range mostConns / mostOfPass {
		pass := p.Enter()
		passes = append(passes, pass)
		for range mostOfPass {
			if _, code := occupy(t, pass); code != http.StatusForbidden {
				t.Fatal(code)
			}
		}
	}
	late := p.Enter()
	if got := exchange(t, late, askOnce+"\r\n", time.Minute); !strings.HasPrefix(got, "HTTP/1.1 503 ") || !strings.Contains(got, "all commands") {
		t.Errorf("%q", got)
	}
	passes[0].Leave()
	if got := exchange(t, late, askOnce+"Connection: close\r\n\r\n", time.Minute); !strings.Contains(got, "403") {
		t.Errorf("after one has left: %q", got)
	}
}

// TestSilentConnectionsKeepNobodyWaiting: connections on which nothing bore a
// secret, at the address of another's pass too, make room for those that come later.
func TestSilentConnectionsKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	p := serving(t, Options{})
	modest := p.Enter()
	first := dial(t, modest)
	for i := range mostWaiting + mostOfPass {
		conn := dial(t, modest)
		if i%2 == 0 {
			_, _ = io.WriteString(conn, "GET http")
		}
	}
	if got := exchange(t, modest, askOnce+"Connection: close\r\n\r\n", time.Minute); !strings.Contains(got, "403") {
		t.Errorf("%q", got)
	}
	if n, err := first.Read(make([]byte, 1)); n > 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the oldest is still there, or holds its port: %v", err)
	}
}

// TestConnectionsOfNobodyHoldNoPorts: one without the secret is answered, and ends at
// both ends then.
func TestConnectionsOfNobodyHoldNoPorts(t *testing.T) {
	t.Parallel()
	conn := dial(t, serving(t, Options{}).Enter())
	_, _ = io.WriteString(conn, askOnce+"Connection: close\r\n\r\n")
	if answer, _ := io.ReadAll(conn); !strings.HasPrefix(string(answer), "HTTP/1.1 407 ") {
		t.Errorf("%q", answer)
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	const closed = 7 // TCP_CLOSE; 8 is CLOSE_WAIT, which holds the port
	for state, late := uint8(0), time.Now().Add(30*time.Second); state != closed; {
		if err := raw.Control(func(fd uintptr) {
			if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
				state = info.State
			}
		}); err != nil || time.Now().After(late) {
			t.Fatalf("the connection is in state %d, %v", state, err)
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
}

// TestSilentConnectionsElsewhereEndNone: those of one address are the first to go, and
// nobody else's, however early it came.
func TestSilentConnectionsElsewhereEndNone(t *testing.T) {
	t.Parallel()
	p := serving(t, Options{})
	modest, flooded, quiet := p.Enter(), p.Enter(), p.Enter()
	early, first := dial(t, modest), dial(t, flooded)
	for range mostOfPass {
		_ = dial(t, quiet)
	}
	for range 2 * mostWaiting {
		_ = dial(t, flooded)
	}
	if n, err := first.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the oldest there is still there: %v", err)
	}
	_, _ = io.WriteString(early, bearing(modest, askOnce+"Connection: close\r\n\r\n"))
	if got, err := io.ReadAll(early); !strings.Contains(string(got), "403") {
		t.Errorf("another's: %q, %v", got, err)
	}
	if got := exchange(t, flooded, askOnce+"Connection: close\r\n\r\n", time.Minute); !strings.Contains(got, "403") {
		t.Errorf("a later one there: %q", got)
	}
}

// TestPlainRequestsThatDoNotMoveEnd: whoever sends no more, answers no more or
// reads no more.
func TestPlainRequestsThatDoNotMoveEnd(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/silent":
			<-over
		case "/flood":
			for err := error(nil); err == nil; {
				_, err = w.Write(make([]byte, 64<<10))
			}
		}
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	private, err := dialguard.ParsePrivate([]string{"127.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	target := "127.0.0.1:" + portOf(t, server)
	for name, text := range map[string]string{
		"sends no more":   "POST http://" + target + "/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\nx",
		"answers no more": "GET http://" + target + "/silent HTTP/1.1\r\nHost: x\r\n\r\n",
		"reads no more":   "GET http://" + target + "/flood HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		p := serving(t, Options{List: list(t, target), Private: private, silent: 50 * time.Millisecond})
		pass := p.Enter()
		conn := dial(t, pass)
		_, _ = io.WriteString(conn, bearing(pass, text))
		if name == "reads no more" {
			pass.busyNow(t)
		} else if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		pass.busy.Wait()
		if account := pass.Leave(); len(account.Connections) != 1 || !strings.Contains(account.Connections[0].Failed, "nothing of it moved") {
			t.Errorf("%s: %+v", name, account)
		}
	}
}

// busyNow returns when a request of a pass is under way.
func (p *Pass) busyNow(t *testing.T) {
	t.Helper()
	for giveUp := time.Now().Add(time.Minute); time.Now().Before(giveUp); {
		p.mu.Lock()
		n := len(p.flows)
		p.mu.Unlock()
		if n > 0 {
			return
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
	t.Fatal("none came")
}
