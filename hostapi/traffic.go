package hostapi

import (
	"strconv"
	"strings"
)

// Connection is a connection that a tool made, or refused, for what it started.
type Connection struct {
	// Host is the name or address that was asked for.
	Host string `json:"host"`
	Port int    `json:"port"`
	// Sent and Received are bytes, seen from this machine.
	Sent     int64 `json:"sent"`
	Received int64 `json:"received"`
	// Refused is why it was not allowed; empty if it was.
	Refused string `json:"refused,omitempty"`
	// Failed is why it failed although it was allowed; empty if it did not.
	Failed string `json:"failed,omitempty"`
}

// Target is host:port, with brackets around an IPv6 address.
func (c Connection) Target() string {
	host := c.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(c.Port)
}

// Traffic is the network use of a call.
type Traffic struct {
	// Connections are the first connections, in the order they were asked for.
	Connections []Connection
	// LeftOut is how many more there were.
	LeftOut int
}
