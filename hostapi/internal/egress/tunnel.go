package egress

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// tunnel answers a CONNECT.
func (p *Proxy) tunnel(pass *Pass, w http.ResponseWriter, r *http.Request) {
	host, port, err := tunnelTarget(r)
	if err != nil {
		notUnderstood(w, err)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer func() { _ = conn.Close() }() // everything was sent
	_ = conn.SetDeadline(time.Time{})   // a connection that is closed says so later
	f := pass.ask(r, host, port, tunnelPort)
	if !p.list.allows(host, port, tunnelPort) {
		pass.refuse(f, notListed, keyNetwork)
		answer(conn, http.StatusForbidden, refusedText(f))
		return
	}
	out, err := p.connect(pass, f)
	if err != nil {
		code, text := notReached(pass, f, err)
		answer(conn, code, text)
		return
	}
	defer func() { _ = out.Close() }()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	early, err := beginning(buffered.Reader)
	if err != nil {
		return
	}
	first, why := firstFlight(&prefixed{Conn: conn, first: early}, host)
	if why != "" {
		pass.refuse(f, why, "")
		return
	}
	if n, err := out.Write(first); err != nil {
		f.sent.Add(int64(n))
		return
	}
	f.sent.Add(int64(len(first)))
	join(conn, out, f)
}

// connect reaches a host that is listed. The connection ends with the pass.
func (p *Proxy) connect(pass *Pass, f *flow) (net.Conn, error) {
	conn, err := p.dialer.DialContext(pass.life, "tcp", f.target())
	if err != nil {
		return nil, err
	}
	if !pass.hold(conn) {
		_ = conn.Close()
		return nil, context.Canceled
	}
	return &held{Conn: conn, pass: pass}, nil
}

// held is a connection that its pass closes when it is left.
type held struct {
	net.Conn
	pass *Pass
}

// Close implements [net.Conn].
func (h *held) Close() error {
	h.pass.release(h.Conn)
	return h.Conn.Close()
}

// CloseWrite tells the other end that nothing more comes.
func (h *held) CloseWrite() error { return closeWrite(h.Conn) }

// beginning is what the server has already read of what follows a request.
func beginning(r *bufio.Reader) ([]byte, error) {
	early := make([]byte, r.Buffered())
	_, err := io.ReadFull(r, early)
	return early, err
}

// prefixed is a connection whose first part was read before.
type prefixed struct {
	net.Conn
	first []byte
}

// Read implements [net.Conn].
func (c *prefixed) Read(p []byte) (int, error) {
	if len(c.first) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// answer ends a CONNECT that failed. Many programs print the status line only, so the
// text is in it for a refusal. It has no text of the command's.
func answer(conn net.Conn, code int, text string) {
	_ = conn.SetWriteDeadline(time.Now().Add(headerTime)) // a connection that is closed says so next
	line := text
	if code != http.StatusForbidden {
		line = http.StatusText(code)
	}
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n",
		code, line, len(text)+1, text) // the other end may be gone
}

// join passes on what both ends send, until both have ended or nothing has moved for too
// long.
func join(in, out net.Conn, f *flow) {
	var both sync.WaitGroup
	pump := func(to, from net.Conn, count func(int64) int64) {
		buffer := make([]byte, 32<<10)
		for {
			until := time.Now().Add(silentTime)
			_ = from.SetReadDeadline(until) // a connection that is closed says so next
			n, err := from.Read(buffer)
			if n > 0 {
				_ = to.SetWriteDeadline(until)
				_ = to.SetReadDeadline(until) // traffic in one direction counts for both
				sent, err := to.Write(buffer[:n])
				count(int64(sent))
				if err != nil {
					break
				}
			}
			if err == io.EOF { //nolint:errorlint // a connection's own
				_ = closeWrite(to) // the other way may go on
				return
			}
			if err != nil {
				break
			}
		}
		_ = to.Close() // a failed end ends both
		_ = from.Close()
	}
	both.Go(func() { pump(out, in, f.sent.Add) })
	both.Go(func() { pump(in, out, f.received.Add) })
	both.Wait()
}

func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}
