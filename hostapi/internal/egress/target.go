package egress

import (
	"errors"
	"net"
	"net/http"
	"strconv"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

var errTarget = errors.New("this is a proxy: it takes CONNECT host:port, and http:// addresses without credentials")

// tunnelTarget is the host that a CONNECT asks for.
func tunnelTarget(r *http.Request) (host string, port int, err error) {
	if r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
		return "", 0, errors.New("a CONNECT has no body")
	}
	name, number, err := net.SplitHostPort(r.RequestURI)
	if err != nil {
		return "", 0, errTarget
	}
	return named(name, number)
}

// plainTarget is the host in the URL of a plain request. The Host field is ignored, and
// not passed on.
func plainTarget(r *http.Request) (host string, port int, err error) {
	switch {
	case r.URL.Scheme == "https":
		return "", 0, errors.New("https goes through CONNECT")
	case r.URL.Scheme != "http", r.URL.User != nil, r.URL.Opaque != "":
		return "", 0, errTarget
	}
	number := r.URL.Port()
	if number == "" {
		number = strconv.Itoa(plainPort)
	}
	return named(r.URL.Hostname(), number)
}

func named(name, number string) (host string, port int, err error) {
	if host, err = dialguard.HostName(name); err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || n == 0 {
		return "", 0, errors.New("a port is a number from 1 to 65535")
	}
	return host, int(n), nil
}
