package main

import (
	"errors"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/scripttools"
)

// leftOut says why each broken file of kind: mcp is left out, in a line each.
func (h *host) leftOut() (notes []string) {
	for _, d := range h.settings.Broken {
		why, more := d.Flaw.Error(), ""
		var load *scripttools.LoadError
		if errors.As(d.Flaw, &load) {
			first := load.Problems[0]
			why = fmt.Sprintf("%v: %s", first.Pos, first.Msg)
			if first.Hint != "" {
				why += "; " + first.Hint
			}
			if n := len(load.Problems) - 1; n > 0 {
				more = fmt.Sprintf(" (and %d more: scriptrun check %s)", n, quoted(d.File))
			}
		}
		notes = append(notes, plain.Line(fmt.Sprintf("the MCP server %q is left out: %s%s", d.Name, why, more)))
	}
	return notes
}

// knowsAll reports whether all problems of an error are of files that leftOut names.
func (h *host) knowsAll(err error) bool {
	var load *scripttools.LoadError
	if !errors.As(err, &load) {
		return false
	}
	broken := map[string]bool{}
	for _, d := range h.settings.Broken {
		broken[d.File] = true
	}
	for _, p := range load.Problems {
		if !broken[p.Pos.File] {
			return false
		}
	}
	return true
}
