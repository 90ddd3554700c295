package settings

import (
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// networkSetting is sandbox.network: a word, false and true for the first and
// the last of them, or a list of hosts.
type networkSetting struct {
	network sandbox.Network
	hosts   []string // where the network is a list of them
}

// networks are what it may say, the strictest first. Empty is the default.
var networks = []sandbox.Network{sandbox.NetworkNone, sandbox.NetworkLoopback, sandbox.NetworkProxied, sandbox.NetworkFull}

// UnmarshalTOML implements toml.Unmarshaler.
func (n *networkSetting) UnmarshalTOML(value any) error {
	rank := networkRank(value)
	if rank < 0 {
		return fmt.Errorf(`network is %v; expected "none", "loopback", "full", or a list of hosts such as ["api.example.com", "preset:go"]`, value)
	}
	n.network = networks[rank]
	n.hosts, _ = hostsOf(value)
	return nil
}

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

// looserNetwork reports whether a value gives commands more of a network than
// the operator does.
func looserNetwork(value any, operator *file) bool {
	have := networkSetting{network: sandbox.NetworkNone}
	if operator.Sandbox.Network != nil {
		have = *operator.Sandbox.Network
	}
	asked, given := networkRank(value), slices.Index(networks, have.network)
	hosts, ok := hostsOf(value)
	if !ok || asked != given {
		return asked < 0 || asked > given
	}
	return !shell.HostsCover(have.hosts, hosts)
}

// checkNetwork refuses hosts that are none. The error is a *[placedError].
func (f *file) checkNetwork(text string) error {
	confined := shell.Sandbox{Network: sandbox.NetworkProxied, Private: f.Sandbox.Private}
	if err := (&shell.Tool{Sandbox: confined}).Validate(); err != nil {
		return &placedError{path: f.path, line: lineOfKey(text, toml.Key{"sandbox", "private"}), err: err}
	}
	if f.Sandbox.Network == nil || f.Sandbox.Network.network != sandbox.NetworkProxied {
		return nil
	}
	confined.Hosts = f.Sandbox.Network.hosts
	if err := (&shell.Tool{Sandbox: confined}).Validate(); err != nil {
		return &placedError{path: f.path, line: lineOfKey(text, toml.Key{"sandbox", "network"}), err: err}
	}
	return nil
}
