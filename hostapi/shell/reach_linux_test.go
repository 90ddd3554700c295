package shell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"golang.org/x/net/dns/dnsmessage"
)

func addressOf[T any](value *T) uintptr { return uintptr(unsafe.Pointer(value)) }

// known are the names that there are, all of this machine but two.
var known = map[string][4]byte{
	"api.test.": {127, 0, 0, 1}, "a.below.test.": {127, 0, 0, 1}, "inner.test.": {127, 0, 0, 1}, "other.test.": {127, 0, 0, 1}, "link.test.": {169, 254, 169, 254}, "mods.test.": {127, 0, 0, 1},
}

// answerNames serves them by UDP and TCP on one port.
func answerNames(t *testing.T) (port string) {
	t.Helper()
	var packets net.PacketConn
	var streams net.Listener
	for { // a port may be free for the one and taken for the other
		var err error
		if streams, err = net.Listen("tcp", "127.0.0.1:0"); err != nil { //nolint:noctx // it is closed with the test
			t.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(streams.Addr().String())
		if packets, err = net.ListenPacket("udp", "127.0.0.1:"+port); err == nil { //nolint:noctx // as above
			break
		}
		_ = streams.Close()
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = packets.Close() })
	t.Cleanup(func() { _ = streams.Close() })
	answer := func(question []byte) []byte {
		var m dnsmessage.Message
		if m.Unpack(question) != nil || len(m.Questions) != 1 {
			return nil
		}
		q := m.Questions[0]
		m.Response, m.Authoritative, m.Additionals = true, true, nil
		if ip, ok := known[q.Name.String()]; !ok {
			m.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: ip}}}
		}
		out, _ := m.Pack()
		return out
	}
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = packets.WriteTo(answer(buffer[:n]), from)
		}
	}()
	go func() {
		for {
			conn, err := streams.Accept()
			if err != nil {
				return
			}
			size := make([]byte, 2)
			if _, err := io.ReadFull(conn, size); err == nil {
				question := make([]byte, int(size[0])<<8|int(size[1]))
				if _, err := io.ReadFull(conn, question); err == nil {
					out := answer(question)
					_, _ = conn.Write(append([]byte{byte(len(out) >> 8), byte(len(out))}, out...))
				}
			}
			_ = conn.Close()
		}
	}()
	return port
}

func lookingUp(port string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", "127.0.0.1:"+port)
	}}
}

// hello is what the servers answer; one path leads away, one to something else.
func hello(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/away":
		_, port, _ := net.SplitHostPort(r.Host)
		http.Redirect(w, r, "http://other.test:"+port+"/", http.StatusFound)
	case "/upgrade":
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(soon))
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n")
		request := make([]byte, 512)
		n, _ := conn.Read(request)
		if bytes.Contains(request[:n], []byte("other.test")) {
			_, _ = io.WriteString(conn, "hello other")
		}
	default:
		fmt.Fprintf(w, "hello %s", r.Host)
	}
}

// machine is everything on this machine that somebody inside may try to reach.
func machine(t *testing.T, workspace string) targets {
	t.Helper()
	to := targets{DNS: answerNames(t), Namespace: fmt.Sprintf("/proc/%d/ns/net", os.Getpid())}
	serve := func() (port string) {
		server := httptest.NewUnstartedServer(http.HandlerFunc(hello))
		listener, err := net.Listen("tcp4", "0.0.0.0:0") //nolint:noctx,gosec // it is to be found everywhere
		if err != nil {
			t.Fatal(err)
		}
		_ = server.Listener.Close()
		server.Listener = listener
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that go away are a part of it
		server.Start()
		t.Cleanup(server.Close)
		_, port, _ = net.SplitHostPort(listener.Addr().String())
		return port
	}
	to.Plain, to.Other = serve(), serve()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	u, err := url.Parse(secure.URL)
	if err != nil {
		t.Fatal(err)
	}
	to.Secure = u.Port()
	packets, err := net.ListenPacket("udp4", "0.0.0.0:0") //nolint:noctx,gosec // as above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = packets.Close() })
	go func() {
		buffer := make([]byte, 100)
		for {
			_, from, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = packets.WriteTo([]byte("hello"), from)
		}
	}()
	_, to.UDP, _ = net.SplitHostPort(packets.LocalAddr().String())
	to.Address = "127.0.0.2" // where the machine has no other
	if addresses, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addresses {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() && !prefix.Addr().IsLoopback() {
				to.Address = prefix.Addr().String()
			}
		}
	}
	to.Abstract, to.Path, to.Datagrams = "@"+workspace, filepath.Join(workspace, "s"), filepath.Join(workspace, "d")
	for _, at := range []string{to.Abstract, to.Path} {
		listener, err := net.Listen("unix", at) //nolint:noctx // it is closed with the test
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 100))
				_, _ = io.WriteString(conn, "hello")
				_ = conn.Close()
			}
		}()
	}
	datagrams, err := net.ListenPacket("unixgram", to.Datagrams) //nolint:noctx // as above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = datagrams.Close() })
	if err := os.Chmod(to.Path, 0o777); err != nil { //nolint:gosec // it is to be found
		t.Fatal(err)
	}
	return to
}

// listedTool is one whose commands may talk to these hosts.
func listedTool(t *testing.T, to targets, hosts ...string) *shell.Tool {
	t.Helper()
	tool := newTool(t)
	tool.Sandbox.Network, tool.Sandbox.Hosts = sandbox.NetworkProxied, hosts
	tool.Sandbox.Private = []string{"api.test", "a.below.test", "mods.test"}
	tool.LookUpWith(lookingUp(to.DNS))
	return tool
}

// TestListedHostsAreAllThereIs: with a list of hosts, no other way leads
// anywhere, in whatever profile, in the foreground and in the background; and
// outside the same ways are open.
func TestListedHostsAreAllThereIs(t *testing.T) { //nolint:paralleltest // it counts what is open
	if !keeps(t, "network") {
		return
	}
	workspace := shortDir(t)
	to := machine(t, workspace)
	foreign := listedTool(t, to, "api.test:"+to.Other)
	_, where := run(t, foreign, "echo $HTTP_PROXY")
	handle, result, err := foreign.Start(t.Context(), hostapi.Call{Args: encoded(t, map[string]any{"command": "exec sleep 1000"})})
	if err != nil || handle == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	t.Cleanup(func() { _ = handle.Close() })
	_, to.Foreign, _ = strings.Cut(strings.TrimSpace(where.Stdout), "@")
	if !strings.HasPrefix(to.Foreign, "127.64.0.1:") {
		t.Fatalf("the other proxy is at %q", to.Foreign)
	}
	to.Foreign = strings.Replace(to.Foreign, "127.64.0.1:", "127.64.0.2:", 1) // of what runs now
	text, err := json.Marshal(to)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]any{"argv": []string{self}, "env": map[string]string{targetsVariable: string(text)}}
	open := 0
	for _, w := range waysOut {
		if w.open {
			open++
		}
	}
	off := newTool(t)
	off.Dir, off.Sandbox.Profile, off.Sandbox.Network = workspace, shell.ProfileOff, sandbox.NetworkFull
	if got := output(t, off, args, false); strings.Count(got.Stdout, "through: ") != open {
		t.Errorf("outside %d ways are open: %+v", open, got)
	}
	for _, profile := range []shell.Profile{shell.ProfileWorkspace, shell.ProfileReadOnly} {
		for _, background := range []bool{false, true} {
			tool := listedTool(t, to, "api.test:"+to.Plain, "api.test:"+to.Secure, "*.below.test:"+to.Secure, "inner.test:"+to.Secure, "inner.test:"+to.Plain, "link.test")
			tool.Dir, tool.Sandbox.Profile, tool.Sandbox.Read = workspace, profile, []string{filepath.Dir(self)}
			if got := output(t, tool, args, background); got.Stdout != fmt.Sprintf("tried %d\n", len(waysOut)) {
				t.Errorf("%s, background %t: %s%s", profile, background, got.Stdout, got.Stderr)
			}
		}
	}
	if len(waysOut) < 60 {
		t.Errorf("only %d ways are tried", len(waysOut))
	}
	// The proxy is not to be found on the host either.
	if conn, err := net.DialTimeout("tcp", to.Foreign, time.Second); err == nil { //nolint:noctx // it has a deadline
		_ = conn.Close()
		t.Error("the proxy is reached from the host")
	}
}

// TestNothingIsReachedWithoutAList: where the host only says no, none of these ways leads
// anywhere, nor does any that a list opens.
func TestNothingIsReachedWithoutAList(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	workspace := shortDir(t)
	to := machine(t, workspace)
	to.Foreign = "127.64.0.2:1"
	text, err := json.Marshal(to)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []sandbox.Network{sandbox.NetworkNone, sandbox.NetworkLoopback} {
		tool := newTool(t)
		tool.Dir, tool.Sandbox.Network, tool.Sandbox.Read = workspace, network, []string{filepath.Dir(self)}
		got := output(t, tool, map[string]any{"argv": []string{self}, "env": map[string]string{targetsVariable: string(text)}}, false)
		if strings.Contains(got.Stdout, "through: ") || !strings.HasSuffix(got.Stdout, fmt.Sprintf("tried %d\n", len(waysOut))) {
			t.Errorf("%s: %s%s", network, got.Stdout, got.Stderr)
		}
		for _, w := range waysThatWork {
			closed := strings.Contains(w.name, "listed") || w.name == "its own loopback" && network == sandbox.NetworkNone
			if strings.Contains(got.Stdout, "closed: "+w.name+": ") != closed {
				t.Errorf("%s: %s: closed is to be %t: %s", network, w.name, closed, got.Stdout)
			}
		}
	}
}

// TestListedHostsForAnOrdinaryUser: the same, for a user without rights.
func TestListedHostsForAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	for _, test := range []string{"TestListedHostsAreAllThereIs", "TestListedHostsThatCannotBe", "TestRefusedHostsAreNamed", "TestNothingIsReachedWithoutAList", "TestARefusalSaysThatItWasOne"} {
		asOrdinaryUser(t, test)
	}
}
