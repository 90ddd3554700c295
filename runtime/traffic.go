package runtime

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// refusedConnections adds the hosts that a call was refused to its line.
func refusedConnections(t *hostapi.Traffic) string {
	if t == nil {
		return ""
	}
	first, n := "", 0
	for _, c := range t.Connections {
		if c.Refused == "" {
			continue
		}
		if n++; n == 1 {
			first = plain.Line(c.Target())
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return ", refused " + first
	}
	return fmt.Sprintf(", refused %s and %d more", first, n-1)
}
