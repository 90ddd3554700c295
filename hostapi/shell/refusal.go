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

// Refusal is something that the sandbox kept a command from.
type Refusal struct {
	// What was refused, such as "the network (example.com:443)".
	What string
	// Allow is the setting that allows it, as it is written; empty where none does.
	Allow string
	// Probably is set where what the command wrote tells of it, and nothing else.
	Probably bool

	cloud     string // what is said of a name that leads to where a cloud keeps credentials
	unreached bool   // it was allowed, and came to nothing; What is all that is said

	adds addition // what settled writes Allow from; its zero value leaves Allow as it is
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

// worded is an error in a sentence, which may name what a command has made.
func worded(err error) string {
	text := err.Error()
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// newSecrets tells of names of secrets at which something came.
func newSecrets(names []string) Refusal {
	return Refusal{What: fmt.Sprintf("to trust %s, which came or was made to lead elsewhere while the command ran: programs take keys and settings from there; look at it before you go on", someOf(names))}
}

// mostRefusals is how many of one command are told.
const mostRefusals = 8

// refusals are what the sandbox kept a command from: what is known, and what its words
// tell beyond that. One that succeeded may have gone on without what it was refused, as
// git does where it cannot write its configuration.
func refusals(command Command, status ExitStatus, out Output) []Refusal {
	known := advised(command, out)
	var words []Refusal
	switch {
	case command.Sandbox.off(), status.Cancelled, status.TimedOut:
	case status.ExitCode == 0 && status.Signal == "":
		words = refusedAllTheSame(command, status, out)
	default:
		known = append(known, lookedUp(status.network)...)
		known = append(known, notReached(status.network)...)
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

// tells reports whether one of these is about the same as another one.
func tells(known []Refusal, other Refusal) bool {
	return slices.ContainsFunc(known, func(r Refusal) bool {
		return r.What == other.What || r.Allow != "" && r.Allow == other.Allow || strings.HasPrefix(r.What, theNetwork) && strings.HasPrefix(other.What, theNetwork)
	})
}

// theNetwork begins what is said of every host.
const theNetwork = "the network"

// notStartable is a command that did not start, with what the sandbox has to do
// with it.
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
	r := newWitness(command)
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
