package main

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// style is how a text of ours looks on a terminal that has colours: the parameter of an
// escape sequence.
type style string

const (
	good    style = "32" // green: it is as it should be
	bad     style = "31" // red: it failed
	caution style = "33" // yellow: something to look at
	strong  style = "1"  // bold: names and headings
	faint   style = "2"  // dim: places, and what helps
)

// colour is the value of --color.
type colour string

func (c *colour) String() string {
	if c == nil { // the documents are generated without a terminal
		return ""
	}
	return string(*c)
}

// Type implements pflag's Value.
func (c *colour) Type() string { return "auto|always|never" }

// Set implements pflag's Value.
func (c *colour) Set(value string) error {
	switch value {
	case "auto", "always", "never":
		*c = colour(value)
		return nil
	}
	return fmt.Errorf("expected auto, always or never, not %q", value)
}

// painter styles texts for one stream, once the flags are read.
type painter struct {
	wanted *colour
	auto   bool // the stream is a terminal that has colours
}

// paint is a text in a style. Only ours gets here whole; any other is made plain.
func (p painter) paint(s style, text string) string {
	if s == "" || text == "" || p.wanted == nil || *p.wanted == "never" || *p.wanted != "always" && !p.auto {
		return plain.Text(text)
	}
	return "\x1b[" + string(s) + "m" + plain.Text(text) + "\x1b[0m"
}
