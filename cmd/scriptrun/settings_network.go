package main

import (
	"fmt"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// networkSetting is sandbox.network: a word, or false and true for the first
// and the last of them.
type networkSetting sandbox.Network

// networks are what it may say, the strictest first. Empty is the default.
var networks = []sandbox.Network{sandbox.NetworkNone, sandbox.NetworkLoopback, sandbox.NetworkFull}

// UnmarshalTOML implements toml.Unmarshaler.
func (n *networkSetting) UnmarshalTOML(value any) error {
	rank := networkRank(value)
	if rank < 0 {
		return fmt.Errorf(`network is %v; expected "none", "loopback" or "full"`, value)
	}
	*n = networkSetting(networks[rank])
	return nil
}

// networkRank is how much of a network a value stands for; below zero for one
// that it cannot have.
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
		return slices.Index(networks, sandbox.Network(v))
	}
	return -1
}

// looserNetwork reports whether a value gives commands more of a network than
// the operator does.
func looserNetwork(value any, operator *settingsFile) bool {
	var have any
	if operator.Sandbox.Network != nil {
		have = string(*operator.Sandbox.Network)
	}
	asked := networkRank(value)
	return asked < 0 || asked > networkRank(have)
}
