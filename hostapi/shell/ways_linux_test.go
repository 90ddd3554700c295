package shell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// targets are what somebody inside tries to reach, as JSON in the environment.
type targets struct {
	Plain, Secure, Other, UDP, DNS string // ports of this machine's loopback
	Address                        string // of this machine, on another interface
	Abstract, Path, Datagrams      string // sockets of files
	Foreign                        string // where another command's proxy is
	Namespace                      string // of the host's network
}

const targetsVariable = "SHELL_TEST_TARGETS"

// way is one to a host that is not on the list: it is nil where it leads there.
type way struct {
	name string
	open bool // it works outside, so that the test is seen to try the right thing
	try  func(to targets, proxy string) error
}

// tryWays tries all of them in a copy of this program, and prints those that
// lead somewhere.
func tryWays() {
	var to targets
	if err := json.Unmarshal([]byte(os.Getenv(targetsVariable)), &to); err != nil {
		fmt.Println("targets:", err)
		os.Exit(2)
	}
	proxy := strings.TrimPrefix(os.Getenv("HTTP_PROXY"), "http://")
	for _, w := range waysOut {
		if proxy == "" && !w.open {
			continue
		}
		if err := w.try(to, proxy); err == nil {
			fmt.Println("through:", w.name)
		}
	}
	if proxy == "" {
		os.Exit(0)
	}
	for _, w := range waysThatWork {
		if err := w.try(to, proxy); err != nil {
			fmt.Printf("closed: %s: %v\n", w.name, err)
		}
	}
	fmt.Println("tried", len(waysOut))
	os.Exit(0)
}

var documentation = [4]byte{192, 0, 2, 1}

var waysThatWork = []way{
	{"a page of a listed host", false, func(to targets, p string) error {
		return get(p, "http://api.test:"+to.Plain+"/", "api.test:"+to.Plain, "hello api.test")
	}},
	{"a tunnel to a listed host", false, func(to targets, p string) error { return secured(p, "api.test:"+to.Secure, "api.test") }},
	{"a tunnel to one below a listed one", false, func(to targets, p string) error { return secured(p, "a.below.test:"+to.Secure, "") }},
	{"a list is refused where there are no namespaces", false, func(targets, string) error {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		box, err := sandbox.Open(sandbox.Policy{Workspace: dir, Network: sandbox.NetworkProxied})
		var none *sandbox.NoNetworkError
		if errors.As(err, &none) {
			return nil
		}
		if err == nil {
			box.Close()
		}
		return fmt.Errorf("it was not refused: %w", err)
	}},
	{"its own loopback", false, func(targets, string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed
		if err != nil {
			return err
		}
		defer l.Close()
		conn, err := net.DialTimeout("tcp", l.Addr().String(), soon) //nolint:noctx // it has a deadline
		if err == nil {
			_ = conn.Close()
		}
		return err
	}},
}

var waysOut = []way{
	{"the host's loopback", true, func(to targets, _ string) error { return greet("tcp", "127.0.0.1:"+to.Plain) }},
	{"the same, as IPv6 has it", true, func(to targets, _ string) error { return greet("tcp", "[::ffff:127.0.0.1]:"+to.Plain) }},
	{"another address of the loopback", true, func(to targets, _ string) error { return greet("tcp", "127.9.9.9:"+to.Plain) }},
	{"address 0", true, func(to targets, _ string) error { return greet("tcp", "0.0.0.0:"+to.Plain) }},
	{"loopback of IPv6", false, func(to targets, _ string) error { return greet("tcp", "[::1]:"+to.Plain) }},
	{"an address of the machine", true, func(to targets, _ string) error { return greet("tcp", net.JoinHostPort(to.Address, to.Plain)) }},
	{"the port of a listed host, without the proxy", true, func(to targets, _ string) error { return greet("tcp", "127.0.0.1:"+to.Other) }},
	{"a public address", false, func(targets, string) error { return greet("tcp", "192.0.2.1:80") }},
	{"a public address of IPv6", false, func(targets, string) error { return greet("tcp", "[2001:db8::1]:80") }},
	{"link-local of IPv6", false, func(to targets, _ string) error { return greet("tcp", "[fe80::1%lo]:"+to.Plain) }},
	{"a metadata service", false, func(targets, string) error { return greet("tcp", "169.254.169.254:80") }},
	{"UDP to the host's loopback", true, func(to targets, _ string) error { return greet("udp", "127.0.0.1:"+to.UDP) }},
	{"UDP to the machine", true, func(to targets, _ string) error { return greet("udp", net.JoinHostPort(to.Address, to.UDP)) }},
	{"UDP to a public address", false, func(targets, string) error {
		return sendTo(unix.AF_INET, unix.SOCK_DGRAM, 0, &unix.SockaddrInet4{Port: 53, Addr: documentation})
	}},
	{"multicast", false, func(targets, string) error {
		return sendTo(unix.AF_INET, unix.SOCK_DGRAM, 0, &unix.SockaddrInet4{Port: 5353, Addr: [4]byte{224, 0, 0, 251}})
	}},
	{"broadcast", false, func(targets, string) error {
		return sendTo(unix.AF_INET, unix.SOCK_DGRAM, 0, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{255, 255, 255, 255}})
	}},
	{"a raw socket", false, func(targets, string) error {
		return sendTo(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP, &unix.SockaddrInet4{Addr: documentation})
	}},
	{"a ping", false, func(targets, string) error {
		return sendTo(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP, &unix.SockaddrInet4{Addr: documentation})
	}},
	{"frames of an interface", false, func(targets, string) error { _, err := openSocket(unix.AF_PACKET, unix.SOCK_RAW, 0x300); return err }},
	{"VSOCK", false, func(targets, string) error { _, err := openSocket(unix.AF_VSOCK, unix.SOCK_STREAM, 0); return err }},
	{"MPTCP", false, func(to targets, _ string) error { return streamTo(unix.SOCK_STREAM, unix.IPPROTO_MPTCP, to.Plain) }},
	{"SCTP", false, func(to targets, _ string) error { return streamTo(unix.SOCK_STREAM, unix.IPPROTO_SCTP, to.Plain) }},
	{"TCP by its number", true, func(to targets, _ string) error { return streamTo(unix.SOCK_STREAM, unix.IPPROTO_TCP, to.Plain) }},
	{"data in the first packet", false, func(to targets, _ string) error {
		fd, err := openSocket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var port int
		if _, err := fmt.Sscan(to.Plain, &port); err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("GET"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}},
	{"an abstract socket", true, func(to targets, _ string) error { return greet("unix", to.Abstract) }},
	{"a socket of a file in the workspace", true, func(to targets, _ string) error { return greet("unix", to.Path) }},
	{"datagrams to a file in the workspace", true, func(to targets, _ string) error {
		return sendTo(unix.AF_UNIX, unix.SOCK_DGRAM, 0, &unix.SockaddrUnix{Name: to.Datagrams})
	}},
	{"one of a pair of datagrams", true, func(to targets, _ string) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(pair[0])
		defer unix.Close(pair[1])
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: to.Datagrams})
	}},
	{"io_uring", false, func(targets, string) error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, addressOf(&params[0]), 0)
		if errno != 0 {
			return errno
		}
		return nil
	}},
	{"an open descriptor", false, func(targets, string) error {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if at, err := os.Readlink(filepath.Join("/proc/self/fd", entry.Name())); err == nil && strings.HasPrefix(at, "socket:") {
				return nil
			}
		}
		return errors.New("there is no socket among them")
	}},
	{"the host's namespace", false, func(to targets, _ string) error {
		for _, path := range []string{to.Namespace, "/proc/1/ns/net", "/proc/self/ns/net"} {
			fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				continue
			}
			err = unix.Setns(fd, unix.CLONE_NEWNET)
			_ = unix.Close(fd)
			if err == nil {
				return nil
			}
		}
		return unix.EPERM
	}},
	{"a namespace of one's own", false, func(targets, string) error {
		if err := unix.Unshare(unix.CLONE_NEWUSER | unix.CLONE_NEWNET); err != nil {
			return unix.Unshare(unix.CLONE_NEWNET)
		}
		return nil
	}},
	{"netlink to anybody but the routes", false, func(targets, string) error {
		for protocol := 1; protocol < 32; protocol++ {
			if fd, err := openSocket(unix.AF_NETLINK, unix.SOCK_DGRAM, protocol); err == nil {
				_ = unix.Close(fd)
				return nil
			}
		}
		return unix.EACCES
	}},
	{"an interface by netlink", false, func(targets, string) error { return netlink(unix.RTM_NEWLINK) }},
	{"a route by netlink", false, func(targets, string) error { return netlink(unix.RTM_NEWROUTE) }},
	{"an address by ioctl", false, func(targets, string) error {
		fd, err := openSocket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		request, err := unix.NewIfreq("lo")
		if err != nil {
			return err
		}
		if err := request.SetInet4Addr([]byte{192, 0, 2, 9}); err != nil {
			return err
		}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFADDR, addressOf(request))
		if errno != 0 {
			return errno
		}
		return nil
	}},
	{"the host's connections in /proc", false, func(to targets, _ string) error {
		var port int
		if _, err := fmt.Sscan(to.Plain, &port); err != nil {
			return err
		}
		text, err := os.ReadFile("/proc/net/tcp")
		if err == nil && !bytes.Contains(text, fmt.Appendf(nil, ":%04X ", port)) {
			err = errors.New("they are others")
		}
		return err
	}},
	{"names by the system", false, func(targets, string) error {
		ctx, stop := context.WithTimeout(context.Background(), soon)
		defer stop()
		_, err := net.DefaultResolver.LookupHost(ctx, "example.com")
		return err
	}},
	{"names by UDP", true, func(to targets, _ string) error { return lookUp("udp", "127.0.0.1:"+to.DNS) }},
	{"names by TCP", true, func(to targets, _ string) error { return lookUp("tcp", "127.0.0.1:"+to.DNS) }},
	{"the proxy of another command", false, func(to targets, _ string) error {
		return get(to.Foreign, "http://api.test:"+to.Other+"/", "api.test", "HTTP/1.1")
	}},
	{"the proxy, without the secret of the command", false, func(to targets, p string) error {
		return get(proxyURL(p).Host, "http://api.test:"+to.Plain+"/", "api.test", "hello")
	}},
	{"the proxy, by an address that is nobody's", false, func(to targets, p string) error {
		return get(strings.Replace(p, proxyURL(p).Hostname(), "127.99.9.9", 1), "http://api.test:"+to.Plain+"/", "api.test", "HTTP/1.1")
	}},
	{"in the place of the proxy", false, func(_ targets, p string) error {
		host, port := proxyURL(p).Hostname(), proxyURL(p).Port()
		for _, at := range []string{host, "127.0.0.1", "127.64.0.99", "0.0.0.0", "[::]"} {
			l, err := net.Listen("tcp", at+":"+port) //nolint:noctx // it is closed
			if err == nil {
				_ = l.Close()
				return nil
			}
		}
		return syscall.EADDRINUSE
	}},
	{"another host", false, func(to targets, p string) error {
		return get(p, "http://other.test:"+to.Plain+"/", "other.test", "hello")
	}},
	{"another host, by the host field", false, func(to targets, p string) error {
		return get(p, "http://api.test:"+to.Plain+"/", "other.test", "hello other")
	}},
	{"another host, by a second host field", false, func(to targets, p string) error {
		return get(p, "http://api.test:"+to.Plain+"/", "api.test\r\nHost: other.test", "hello")
	}},
	{"another port", false, func(to targets, p string) error {
		return get(p, "http://api.test:"+to.Other+"/", "api.test:"+to.Other, "hello")
	}},
	{"a redirect", false, func(to targets, p string) error {
		client := &http.Client{Timeout: soon, Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyURL(proxyURL(p))}}
		response, err := client.Get("http://api.test:" + to.Plain + "/away") //nolint:noctx // it has a deadline
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if body, _ := io.ReadAll(response.Body); !bytes.Contains(body, []byte("hello")) {
			return errors.New(response.Status)
		}
		return nil
	}},
	{"a second request behind the first", false, func(to targets, p string) error {
		return through(p, "hello other", "GET http://api.test:"+to.Plain+"/ HTTP/1.1\r\nHost: api.test\r\n\r\nGET http://other.test:"+to.Plain+"/ HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n")
	}},
	{"a request hidden in a body", false, func(to targets, p string) error {
		hidden := "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"
		return through(p, "hello other", fmt.Sprintf("POST http://api.test:%s/ HTTP/1.1\r\nHost: api.test\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n%s", to.Plain, len(hidden)+5, hidden))
	}},
	{"an upgrade to something else", false, func(to targets, p string) error {
		return through(p, "hello other", "GET http://api.test:"+to.Plain+"/upgrade HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n", "GET / HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n")
	}},
	{"a tunnel to another host", false, func(to targets, p string) error { return connect(p, "other.test:"+to.Secure) }},
	{"a tunnel to another port", false, func(to targets, p string) error { return connect(p, "api.test:"+to.Other) }},
	{"a tunnel to the host's loopback", false, func(to targets, p string) error { return connect(p, "127.0.0.1:"+to.Secure) }},
	{"a tunnel to localhost", false, func(to targets, p string) error { return connect(p, "localhost:"+to.Secure) }},
	{"a tunnel to loopback of IPv6", false, func(to targets, p string) error { return connect(p, "[::1]:"+to.Secure) }},
	{"a tunnel to a decimal address", false, func(to targets, p string) error { return connect(p, "2130706433:"+to.Secure) }},
	{"a tunnel to a metadata service", false, func(_ targets, p string) error { return connect(p, "169.254.169.254:80") }},
	{"a tunnel to a private address", false, func(_ targets, p string) error { return connect(p, "10.0.0.1:443") }},
	{"a tunnel to a listed name of a private address", false, func(to targets, p string) error { return connect(p, "inner.test:"+to.Secure) }},
	{"a page of a listed name of a private address", false, func(to targets, p string) error {
		return get(p, "http://inner.test:"+to.Plain+"/", "inner.test", "hello")
	}},
	{"a listed name of a link-local address", false, func(_ targets, p string) error { return connect(p, "link.test:443") }},
	{"a tunnel with TLS for another host", false, func(to targets, p string) error { return secured(p, "api.test:"+to.Secure, "other.test") }},
	{"a tunnel with TLS for no host", false, func(to targets, p string) error { return secured(p, "api.test:"+to.Secure, "127.0.0.1") }},
	{"a tunnel without TLS", false, func(to targets, p string) error {
		return through(p, "hello", "CONNECT api.test:"+to.Plain+" HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n")
	}},
	{"a tunnel in upper case, with a dot", false, func(to targets, p string) error { return connect(p, "OTHER.TEST.:"+to.Secure) }},
	{"SOCKS", false, func(to targets, p string) error { return through(p, "\x05\x00", "\x05\x01\x00\r\n\r\n", "") }},
	{"another scheme", false, func(to targets, p string) error {
		return get(p, "ftp://other.test:"+to.Plain+"/", "other.test", "hello")
	}},
	{"HTTP/2", false, func(_ targets, p string) error {
		return through(p, "\x00\x00", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	}},
}
