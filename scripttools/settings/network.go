package settings

import (
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// networks are what sandbox.network may say, the strictest first: a word, false
// and true for the first and the last of them, or a list of hosts. Nothing is
// the first, too.
var networks = []sandbox.Network{sandbox.NetworkNone, sandbox.NetworkLoopback, sandbox.NetworkProxied, sandbox.NetworkFull}

// hostsOf is a list of hosts, if a value is one.
func hostsOf(value any) (hosts []string, ok bool) {
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	hosts = []string{}
	for _, one := range list {
		host, ok := one.(string)
		if !ok {
			return nil, false
		}
		hosts = append(hosts, host)
	}
	return hosts, true
}

// networkRank is how much of a network a value stands for; below zero for one
// that it cannot have. Lists of hosts have one rank.
func networkRank(value any) int {
	switch v := value.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return len(networks) - 1
		}
		return 0
	case string:
		if v != string(sandbox.NetworkProxied) { // a list is how that is written
			return slices.Index(networks, sandbox.Network(v))
		}
	}
	if _, ok := hostsOf(value); ok {
		return slices.Index(networks, sandbox.NetworkProxied)
	}
	return -1
}

// network is what a value that has a rank stands for.
func network(value any) (name sandbox.Network, hosts []string) {
	hosts, _ = hostsOf(value)
	return networks[networkRank(value)], hosts
}

// looserNetwork reports whether a value gives commands more of a network than
// the operator does.
func looserNetwork(value any, operator *file) bool {
	asked, given := networkRank(value), networkRank(operator.Sandbox.Network)
	hosts, ok := hostsOf(value)
	if !ok || asked != given {
		return asked < 0 || asked > given
	}
	have, _ := hostsOf(operator.Sandbox.Network)
	return !shell.HostsCover(have, hosts)
}
