package hostapi

import (
	"strconv"
	"strings"
)

// Connection is one to another machine that a tool made for what it started, or
// refused it.
type Connection struct {
	// Host is a name, or an address, as it was asked for.
	Host string `json:"host"`
	Port int    `json:"port"`
	// Sent and Received are bytes, as seen from here.
	Sent     int64 `json:"sent"`
	Received int64 `json:"received"`
	// Refused is why it was not allowed; empty if it was.
	Refused string `json:"refused,omitempty"`
	// Failed is why it was allowed and came to nothing; empty if it did not.
	Failed string `json:"failed,omitempty"`
}

// Target is host:port, with an address of IPv6 in brackets.
func (c Connection) Target() string {
	if strings.Contains(c.Host, ":") {
		return "[" + c.Host + "]:" + strconv.Itoa(c.Port)
	}
	return c.Host + ":" + strconv.Itoa(c.Port)
}

// Traffic is what a call had of other machines, where the tool knows.
type Traffic struct {
	// Connections are the first of them, in the order in which they were asked for.
	Connections []Connection
	// LeftOut is how many more there were.
	LeftOut int
}
