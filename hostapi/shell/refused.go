package shell

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/internal/egress"
)

// advised are the refusals that are known. Where go says that it asked for a host, the
// advice is its preset: the proxy cannot tell it from other programs.
func advised(command Command, out Output) []Refusal {
	known := append(slices.Clone(out.Refusals), inGitsWay(command, out)...)
	for i, r := range known {
		target, ok := strings.CutPrefix(r.What, theNetwork+" (")
		host, _, _ := strings.Cut(target, ":")
		if !ok || r.adds.key != keyNetwork || slices.Contains(command.Sandbox.Hosts, "preset:go") {
			continue
		}
		for line := range strings.Lines(lastText(out.Stderr)) {
			if strings.HasPrefix(strings.TrimSpace(line), "go: ") && strings.Contains(line, host) {
				known[i].adds.entries = []string{"preset:go"}
			}
		}
	}
	return known
}

// withoutProxy is why a program that used no proxy did not reach a listed host.
const withoutProxy = "it was asked for without the proxy that HTTP_PROXY names, and nothing else leads there; give it a name that the program asks the proxy for, or, where it knows none, allow network = \"full\""

// What helps a program that uses no proxy, such as ssh and clients of databases.
const (
	knowsNoProxy = `for a program that knows no proxy, as ssh, only network = "full"`
	askedNoProxy = "the program asked no proxy, and without one no listed host is reached"
)

const networkIs = "[sandbox] network = "

// lookedUp are the hosts whose address a command looked up without asking the proxy for
// them: it knew no proxy.
func lookedUp(account *egress.Account) (refusals []Refusal) {
	var names []string
	alone := true
	for _, l := range account.Looked {
		switch {
		case slices.ContainsFunc(account.Connections, func(c hostapi.Connection) bool { return c.Host == l.Name }):
		case l.Listed:
			refusals = append(refusals, Refusal{What: fmt.Sprintf("%s (%s): %s", theNetwork, l.Name, withoutProxy), Probably: !l.Alone})
		default:
			names, alone = append(names, l.Name), alone && l.Alone
		}
	}
	if len(names) > 0 {
		refusals = append(refusals, Refusal{What: fmt.Sprintf("%s (%s)", theNetwork, strings.Join(names, ", ")), Probably: !alone}.
			adding(keyNetwork, names...).saying(" if it can ask the proxy that HTTP_PROXY names, which it did not; "+knowsNoProxy))
	}
	return refusals
}

// notReached are listed hosts that the proxy did not reach. Many programs report only its
// status code, not the reason.
func notReached(account *egress.Account) (failed []Refusal) {
	for _, c := range account.Connections {
		r := Refusal{What: fmt.Sprintf("%s is allowed, and was not reached: %s", c.Target(), worded(errors.New(c.Failed))), unreached: true}
		if c.Failed != "" && len(failed) < mostProbable && !tells(failed, r) {
			failed = append(failed, r)
		}
	}
	return failed
}

// networkRefusals are the hosts that the proxy refused: one refusal for each setting
// that would allow some of them.
func networkRefusals(account *egress.Account) (refusals []Refusal) {
	for _, key := range []string{keyNetwork, "private"} {
		var targets, entries []string
		cloud := ""
		for _, r := range account.Refused {
			if r.Key == key {
				entry := r.Entry
				if key == keyNetwork { // what only "private" lacks was asked of the proxy by this name
					entry = ofThisMachine(entry)
				}
				if r.Preset != "" {
					entry = "preset:" + r.Preset
				}
				targets, cloud = append(targets, r.Target), cmp.Or(cloud, leadsToCloud(r.Why))
				if !slices.Contains(entries, entry) {
					entries = append(entries, entry)
				}
			}
		}
		if len(targets) > 0 {
			refusals = append(refusals, Refusal{What: fmt.Sprintf("%s (%s)", theNetwork, strings.Join(slices.Compact(targets), ", ")), cloud: cloud}.adding(key, entries...))
		}
	}
	for _, r := range account.Refused {
		if r.Key == "" {
			refusals = append(refusals, Refusal{What: fmt.Sprintf("%s (%s): %s", theNetwork, r.Target, r.Why)})
		}
	}
	return refusals
}
