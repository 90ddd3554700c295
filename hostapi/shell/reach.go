package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
	"github.com/scriptrun/scriptrun/hostapi/internal/egress"
	"github.com/scriptrun/scriptrun/hostapi/internal/presets"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// reach is which hosts the commands of a box can reach: those on a list, through a
// proxy. Without a list the proxy refuses every host by name. A nil reach is a network
// without a proxy.
type reach struct {
	proxy *egress.Proxy
	lists bool              // there is a list
	env   map[string]string // makes tools use the hosts of their presets
	says  string            // the list, for people
}

// HostsCover reports whether the list have holds every host of asked. Both are as in
// [Sandbox.Hosts]. A malformed list covers nothing, and no list covers it.
func HostsCover(have, asked []string) bool {
	all, err := egress.ParseList(have)
	if err != nil {
		return false
	}
	wanted, err := egress.ParseList(asked)
	return err == nil && all.Covers(wanted)
}

// checkHosts refuses a malformed list, or one that the network does not use.
func (s Sandbox) checkHosts() error {
	if s.Network != sandbox.NetworkProxied && len(s.Hosts) > 0 {
		return fmt.Errorf("sandbox: hosts are listed, and the network is %q; expected %q", s.Network, sandbox.NetworkProxied)
	}
	list, err := egress.ParseList(s.Hosts)
	if err == nil {
		_, err = dialguard.ParsePrivate(s.Private)
	}
	for _, name := range list.Presets() {
		err = errors.Join(err, presets.Check(name))
	}
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

// reachKey distinguishes boxes whose commands reach different hosts.
func (s Sandbox) reachKey() string {
	if s.Network != sandbox.NetworkProxied {
		return ""
	}
	text, _ := json.Marshal([2][]string{s.Hosts, s.Private}) // strings always encode
	return string(text)
}

// asker finds the hosts of a preset; key identifies the machine.
type asker func(machine presets.Machine, name, key string) (presets.Preset, error)

// openReach asks tools for the hosts of their presets. That may fail, so it comes before
// the box is opened.
func openReach(s Sandbox, policy sandbox.Policy, ask asker) (*reach, egress.Options, error) {
	if s.Network != sandbox.NetworkProxied {
		return &reach{}, egress.Options{}, nil
	}
	list, err := egress.ParseList(s.Hosts)
	if err != nil {
		return nil, egress.Options{}, err
	}
	private, err := dialguard.ParsePrivate(s.Private)
	if err != nil {
		return nil, egress.Options{}, err
	}
	avoid := append([]string{policy.Workspace, policy.Own, s.Homes}, policy.Write...)
	machine := presets.Machine{Path: policy.Path, Env: append(os.Environ(), "HOME="+policy.Home), Avoid: sandbox.NewPlaces(avoid...)}
	r := &reach{lists: true, env: map[string]string{"GOTOOLCHAIN": "local"}} // the preset of go may change it
	said := slices.DeleteFunc(slices.Clone(s.Hosts), func(host string) bool { return strings.HasPrefix(host, "preset:") })
	for _, name := range list.Presets() {
		found, err := ask(machine, name, machineKey(policy.Path, policy.Home, avoid))
		if err != nil {
			return nil, egress.Options{}, err
		}
		more, err := egress.ParseList(found.Hosts)
		if err != nil {
			return nil, egress.Options{}, fmt.Errorf("preset:%s: %w", name, err)
		}
		list = list.And(more)
		for variable, value := range found.Env {
			r.env[variable] = value
		}
		said = append(said, fmt.Sprintf("preset:%s (%s)", name, strings.Join(found.Hosts, ", ")))
	}
	r.says = strings.Join(said, ", ")
	return r, egress.Options{List: list, Private: private}, nil
}

// openBox opens a sandbox, and the proxy for its commands.
func openBox(s Sandbox, policy sandbox.Policy, with egress.Options, ask asker) (*sandbox.Box, *reach, error) {
	r, options, err := openReach(s, policy, ask)
	if err != nil {
		return nil, nil, err
	}
	box, err := sandbox.Open(policy)
	if err != nil || box.Listener() == nil {
		return box, nil, err
	}
	options.Resolver, options.Names = with.Resolver, box.Names()
	r.proxy = egress.New(options, box.Listener())
	return box, r, nil
}

// enter gives a command a pass for the proxy, and the variables by which programs find
// it. Variables that are already set stay.
func (r *reach) enter(cmd *exec.Cmd, where ExecContext) *egress.Pass {
	if r == nil {
		return nil
	}
	pass := r.proxy.Enter()
	for _, env := range []map[string]string{pass.Env(), r.env} {
		for name, value := range env {
			if _, set := where.Lookup(name); !set {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
		}
	}
	return pass
}

// account ends a pass and says what it was used for; nil without a list and without use.
func (r *reach) account(pass *egress.Pass) *egress.Account {
	if pass == nil {
		return nil
	}
	account := pass.Leave()
	if !r.lists && len(account.Connections) == 0 && len(account.Looked) == 0 {
		return nil
	}
	return &account
}

// measure says which hosts commands can reach.
func (r *reach) measure() []hostapi.Measure {
	if r == nil || !r.lists {
		return nil
	}
	by := "a proxy to " + r.says
	if r.says == "" {
		by = "a proxy to no host"
	}
	if n := r.proxy.Strangers(); n > 0 {
		by += fmt.Sprintf("; requests without the secret of their command: %d, refused", n)
	}
	return []hostapi.Measure{{Name: "hosts", By: by}}
}
