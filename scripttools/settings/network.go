package settings

import (
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// networks are the values of sandbox.network, the strictest first: a word or a list of
// hosts. No value and false mean the first, true the last.
var networks = []sandbox.Network{sandbox.NetworkNone, sandbox.NetworkLoopback, sandbox.NetworkProxied, sandbox.NetworkFull}

// hostsOf is a value's list of hosts, if it is one.
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

// networkRank is a value's index in networks; below zero if the value is not valid. All
// lists of hosts have the same rank.
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
		if v != string(sandbox.NetworkProxied) { // it is written as a list
			return slices.Index(networks, sandbox.Network(v))
		}
	}
	if _, ok := hostsOf(value); ok {
		return slices.Index(networks, sandbox.NetworkProxied)
	}
	return -1
}

// network is the meaning of a value that has a rank.
func network(value any) (name sandbox.Network, hosts []string) {
	hosts, _ = hostsOf(value)
	return networks[networkRank(value)], hosts
}

// looserNetwork reports whether a value gives commands more network than the
// operator's.
func looserNetwork(value any, operator *file) bool {
	asked, given := networkRank(value), networkRank(operator.Sandbox.Network)
	hosts, ok := hostsOf(value)
	if !ok || asked != given {
		return asked < 0 || asked > given
	}
	have, _ := hostsOf(operator.Sandbox.Network)
	return !shell.HostsCover(have, hosts)
}
