package egress

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// encryptedHello is the extension of TLS that hides which host is meant.
const encryptedHello = 0xfe0d

var errSeen = errors.New("the hello was seen")

// firstFlight reads the first message of a tunnel, which must be a TLS hello for host; if
// not, why says so. first is what was read, to be passed on.
func firstFlight(conn net.Conn, host string) (first []byte, why string) {
	_ = conn.SetReadDeadline(time.Now().Add(headerTime)) // a connection that is closed says so next
	heard := &overheard{Conn: conn}
	var hello *tls.ClientHelloInfo
	err := tls.Server(heard, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		hello = h
		return nil, errSeen
	}}).Handshake() //nolint:noctx // the connection has a deadline
	_ = conn.SetReadDeadline(time.Time{})
	switch {
	case hello == nil && heard.all.Len() == 0:
		return nil, "nothing was sent through it"
	case hello == nil:
		return nil, fmt.Sprintf("what was sent through it is not TLS (%v); ask for http:// addresses without a tunnel", err)
	case slices.Contains(hello.Extensions, encryptedHello):
		return nil, "its TLS hello hides which host is meant (ECH)"
	}
	return heard.all.Bytes(), misnamed(hello.ServerName, host)
}

// misnamed says why a name in a hello is not that of host; empty if it is.
func misnamed(name, host string) string {
	_, err := netip.ParseAddr(host)
	switch {
	case strings.EqualFold(name, host), name == "" && err == nil: // an address has no name
		return ""
	case name == "":
		return "its TLS hello names no host"
	}
	return fmt.Sprintf("its TLS hello is for another host, %.255q", name)
}

// overheard keeps what is read from a connection, and writes nothing to it.
type overheard struct {
	net.Conn
	all bytes.Buffer
}

// Read implements [net.Conn].
func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.Conn.Read(p)
	o.all.Write(p[:n])
	return n, err
}

// Write implements [io.Writer]. Alerts are not sent.
func (o *overheard) Write(p []byte) (int, error) { return io.Discard.Write(p) }
