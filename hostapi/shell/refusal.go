package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Refusal is something that the sandbox refused to a command.
type Refusal struct {
	// What was refused, such as "the network (example.com:443)".
	What string
	// Allow is the setting that allows it, as it is written; empty where none does.
	Allow string
	// Probably is set where only the command's own output says so.
	Probably bool

	cloud     string // what to say of a name that leads to a cloud's credentials
	unreached bool   // it was allowed and failed; What is the whole line

	adds addition // what [Sandbox.settled] writes Allow from; its zero value leaves Allow unchanged
}

// String says it in one line.
func (r Refusal) String() string {
	if r.unreached {
		return r.What
	}
	text := "the sandbox refused " + r.What
	if r.Probably {
		text = "the sandbox probably refused " + r.What
	}
	if r.Allow != "" {
		text += "; allow it with " + r.Allow
	}
	return text
}

// worded is an error as part of a sentence, quoted where it could pass for more: it may
// hold names that a command chose.
func worded(err error) string {
	text := err.Error()
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// newSecrets reports files that came at the names of secrets.
func newSecrets(names []string) Refusal {
	return Refusal{What: fmt.Sprintf("to trust %s, which came or was made to lead elsewhere while the command ran: programs take keys and settings from there; look at it before you go on", someOf(names))}
}

// mostRefusals is how many refusals of one command are reported.
const mostRefusals = 8

// refusals are what the sandbox refused to a command: what is known, then what the
// command's output says. Even a command that succeeds may have been refused something:
// git goes on when it cannot write its configuration.
func refusals(command Command, status ExitStatus, out Output) []Refusal {
	known := advised(command, out)
	var words []Refusal
	switch {
	case command.Sandbox.off(), status.Cancelled, status.TimedOut:
	case status.ExitCode == 0 && status.Signal == "":
		words = refusedAllTheSame(command, status, out)
	default:
		if status.network != nil {
			known = slices.Concat(known, lookedUp(status.network), notReached(status.network))
		}
		words = probablyRefused(command, status, out, known)
	}
	for _, word := range words {
		if !tells(known, word) {
			known = append(known, word)
		}
	}
	known = command.Sandbox.settled(withoutClouds(known))
	if n := len(known) - mostRefusals; n > 0 {
		known = append(known[:mostRefusals], Refusal{What: fmt.Sprintf("%d more things", n)})
	}
	return known
}

// tells reports whether one of these is about the same thing as another one.
func tells(known []Refusal, other Refusal) bool {
	return slices.ContainsFunc(known, func(r Refusal) bool {
		return r.What == other.What || r.Allow != "" && r.Allow == other.Allow || strings.HasPrefix(r.What, theNetwork) && strings.HasPrefix(other.What, theNetwork)
	})
}

// theNetwork begins every refusal of a host.
const theNetwork = "the network"

// notStartable is the result of a command that did not start, with the refusal of the
// sandbox if that was why.
func notStartable(command Command, err error) hostapi.Result {
	result := notStarted(err)
	var start *StartError
	if command.Sandbox.off() || !errors.As(err, &start) || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return result
	}
	path, _, err := command.program()
	if err != nil || !filepath.IsAbs(path) {
		return result
	}
	r := newWitness(command, nil)
	if read, _ := r.policy.Reaches(path); read {
		return result
	}
	refused := r.readable(Refusal{What: "starting " + named(path)}, path)
	if r.policy.Hides(path) {
		refused = hidden(path)
	}
	result.Notes = []string{command.Sandbox.settled([]Refusal{refused})[0].String()}
	result.Output += "\n" + result.Notes[0]
	return result
}
