package main

import (
	"errors"
	"fmt"

	"github.com/scriptrun/scriptrun/scripttools"
)

// addBroken declares the server of a file that is broken, so that whoever needs
// it is told.
func (s *settings) addBroken(spec *scripttools.ServerSpec, flaw error) {
	d := declaredServer{serverConfig: serverConfig{Name: spec.Name}, place: spec.Path, flaw: flaw}
	s.broken = append(s.broken, d)
	s.addServer(d)
}

// leftOut says of each file of kind: mcp that is broken that it is left out,
// and why, in a line each.
func (s *settings) leftOut() (notes []string) {
	for _, d := range s.broken {
		why, more := d.flaw.Error(), ""
		var load *scripttools.LoadError
		if errors.As(d.flaw, &load) {
			first := load.Problems[0]
			why = fmt.Sprintf("%v: %s", first.Pos, first.Msg)
			if first.Hint != "" {
				why += "; " + first.Hint
			}
			if n := len(load.Problems) - 1; n > 0 {
				more = fmt.Sprintf(" (and %d more: scriptrun check %s)", n, quoted(d.place))
			}
		}
		notes = append(notes, plain(fmt.Sprintf("the MCP server %q is left out: %s%s", d.Name, why, more)))
	}
	return notes
}

// knowsAll reports whether an error is of nothing but files of kind: mcp that
// are left out already.
func (s *settings) knowsAll(err error) bool {
	var load *scripttools.LoadError
	if !errors.As(err, &load) {
		return false
	}
	broken := map[string]bool{}
	for _, d := range s.broken {
		broken[d.place] = true
	}
	for _, p := range load.Problems {
		if !broken[p.Pos.File] {
			return false
		}
	}
	return true
}
