package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/egress"
)

// networkRefusals are the hosts that a command could not talk to: one refusal for
// each setting that would allow some of them.
func networkRefusals(account *egress.Account) (refusals []Refusal) {
	if account == nil {
		return nil
	}
	for _, key := range []string{"network", "private"} {
		var targets, entries []string
		for _, r := range account.Refused {
			if r.Key == key {
				targets, entries = append(targets, r.Target), append(entries, fmt.Sprintf("%q", r.Entry))
			}
		}
		if len(targets) > 0 {
			refusals = append(refusals, Refusal{
				What:  fmt.Sprintf("the network (%s)", strings.Join(slices.Compact(targets), ", ")),
				Allow: fmt.Sprintf("[sandbox] %s = [%s]", key, strings.Join(slices.Compact(entries), ", ")),
			})
		}
	}
	for _, r := range account.Refused {
		if r.Key == "" {
			refusals = append(refusals, Refusal{What: fmt.Sprintf("the network (%s): %s", r.Target, r.Why)})
		}
	}
	return refusals
}
