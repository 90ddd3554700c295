package shell

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/protect"
)

// Refusal is something that the sandbox kept a command from.
type Refusal struct {
	// What was refused, such as "the network (example.com:443)".
	What string
	// Allow is the setting that allows it, as it is written; empty where none does.
	Allow string
	// Probably is set where what the command wrote tells of it, and nothing else.
	Probably bool
}

// String says it in one line.
func (r Refusal) String() string {
	text := "the sandbox refused " + r.What
	if r.Probably {
		text = "the sandbox probably refused " + r.What
	}
	if r.Allow != "" {
		text += "; allow it with " + r.Allow
	}
	return text
}

// putAway is something that a command made and that was taken away.
func putAway(a protect.Away) Refusal {
	what := fmt.Sprintf("%s, which a command made: %s; it is in %s now", a.Path, a.Reason, a.To)
	if a.To == "" {
		what = fmt.Sprintf("%s, which a command made: %s; it is still there, look at it before you go on (%v)", a.Path, a.Reason, a.Err)
	}
	return Refusal{What: what, Allow: unprotect(a.Name())}
}

// unprotect is the setting that lets commands write a protected path.
func unprotect(name string) string { return fmt.Sprintf("%s = [%q]", protect.Setting, name) }
