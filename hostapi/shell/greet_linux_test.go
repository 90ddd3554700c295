package shell_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const soon = 5 * time.Second

// greet asks whoever listens for the word that the servers of the test say.
func greet(network, address string) error {
	conn, err := net.DialTimeout(network, address, soon) //nolint:noctx // it has a deadline
	if err != nil {
		return err
	}
	defer conn.Close()
	return greeted(conn, "GET / HTTP/1.0\r\n\r\n")
}

func greeted(conn net.Conn, ask string) error {
	_ = conn.SetDeadline(time.Now().Add(soon))
	if _, err := io.WriteString(conn, ask); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, err := io.ReadAtLeast(conn, answer, 5)
	if !bytes.Contains(answer[:n], []byte("hello")) {
		return fmt.Errorf("no greeting: %q, %w", answer[:n], errors.Join(err, io.EOF))
	}
	return nil
}

// proxyURL is the address of a proxy, with credentials.
func proxyURL(proxy string) *url.URL {
	u, err := url.Parse("http://" + proxy)
	if err != nil {
		panic(err)
	}
	return u
}

// through asks a proxy, with the credentials of its address, and looks for a word in
// what comes back.
func through(proxy, word string, parts ...string) error {
	u := proxyURL(proxy)
	field := "\r\nProxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.String())) + "\r\n"
	parts[0] = strings.Replace(parts[0], "\r\n", field, 1)
	conn, err := net.DialTimeout("tcp", u.Host, soon) //nolint:noctx // it has a deadline
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(soon))
	reader := bufio.NewReader(conn)
	var all []byte
	for i, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			return err
		}
		if i < len(parts)-1 { // wait for an answer to it
			line, err := reader.ReadString('\n')
			for err == nil && strings.TrimSpace(line) != "" {
				all = append(all, line...)
				line, err = reader.ReadString('\n')
			}
		}
	}
	rest, err := io.ReadAll(reader)
	if all = append(all, rest...); !bytes.Contains(all, []byte(word)) {
		return fmt.Errorf("%.300q, %w", all, errors.Join(err, io.EOF))
	}
	return nil
}

func connect(proxy, target string) error {
	return through(proxy, " 200 ", "CONNECT "+target+" HTTP/1.1\r\nHost: "+target+"\r\n\r\n", "")
}

func get(proxy, target, host, word string) error {
	return through(proxy, word, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
}

// secured asks for a page through a tunnel to target, with TLS for name.
func secured(proxy, target, name string) error {
	client := &http.Client{Timeout: soon, Transport: &http.Transport{
		DisableKeepAlives: true,
		Proxy:             http.ProxyURL(proxyURL(proxy)),
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, ServerName: name}, //nolint:gosec // the certificate is a test's
	}}
	response, err := client.Get("https://" + target + "/") //nolint:noctx // it has a deadline
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); !bytes.Contains(body, []byte("hello")) {
		return fmt.Errorf("%d %s", response.StatusCode, body)
	}
	return nil
}

func openSocket(family, kind, protocol int) (int, error) {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	if err == nil {
		_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2})
		_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Sec: 2})
	}
	return fd, err
}

// streamTo connects by a socket of some kind to a port of this machine.
func streamTo(kind, protocol int, port string) error {
	fd, err := openSocket(unix.AF_INET, kind, protocol)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var number int
	if _, err := fmt.Sscan(port, &number); err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 1}})
}

func sendTo(family, kind, protocol int, to unix.Sockaddr) error {
	fd, err := openSocket(family, kind, protocol)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Sendto(fd, []byte{8, 0, 0xf7, 0xff, 0, 0, 0, 0}, 0, to)
}

// lookUp asks a server for a name.
func lookUp(network, server string) error {
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: soon}).DialContext(ctx, network, server)
	}}
	ctx, stop := context.WithTimeout(context.Background(), soon)
	defer stop()
	_, err := r.LookupNetIP(ctx, "ip4", "api.test.")
	return err
}

// netlink asks the kernel to change something about the network.
func netlink(kind uint16) error {
	fd, err := openSocket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	message := make([]byte, unix.SizeofNlMsghdr+unix.SizeofIfInfomsg)
	message[0] = byte(len(message))
	message[4], message[5] = byte(kind), byte(kind>>8)
	flags := uint16(unix.NLM_F_REQUEST | unix.NLM_F_ACK | unix.NLM_F_CREATE)
	message[6], message[7] = byte(flags), byte(flags>>8)
	if err := unix.Sendto(fd, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	if n >= 20 && (answer[16]|answer[17]|answer[18]|answer[19]) != 0 {
		return errors.New("the kernel refused it")
	}
	return nil
}
