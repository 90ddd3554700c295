package shell

import (
	"encoding/json"
	"os"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
)

// Profile says how much of the machine a command sees; see [sandbox.Profile].
type Profile = sandbox.Profile

// The profiles. The zero Profile means [ProfileWorkspace].
const (
	ProfileReadOnly  = sandbox.ProfileReadOnly
	ProfileWorkspace = sandbox.ProfileWorkspace
	ProfileOff       = sandbox.ProfileOff
)

// Sandbox is what the operating system keeps a command from. The zero value is the
// workspace profile without a network, as far as the machine can enforce it;
// [Tool.Confinement] says how far.
//
// In every profile but off a command can read the system's own folders, but not the
// homes of users, the data of programs in /var and /run, or other files of the host. It
// cannot signal or inspect processes outside, reach them through sockets, gain
// privileges, or make system calls that administer the machine. Without a network the
// host refuses by name every host that it asks for.
type Sandbox struct {
	// Profile is one of the profiles; empty means [ProfileWorkspace].
	Profile Profile
	// Network is one of those of package sandbox; empty means none.
	Network sandbox.Network
	// Hosts are the hosts that commands can reach if Network is
	// [sandbox.NetworkProxied], in the form that egress.ParseList reads. For presets
	// among them, tools of this machine are asked, outside the sandbox.
	Hosts []string
	// Private are those of Hosts that may have private addresses: names and addresses,
	// with or without :port, and networks such as 10.1.0.0/16.
	Private []string
	// Read and Write are further files and folders that commands may read, or read and
	// write, absolute. Missing ones are skipped.
	Read, Write []string
	// Require refuses to start a command if any of this cannot be enforced. Otherwise it
	// starts, and [Tool.Confinement] names the gap.
	Require bool
	// Limits bound the resources of a command.
	Limits sandbox.Limits
	// Homes is a folder for the home folders of commands, one for each workspace; see
	// package homes. They are made on demand and kept. If Homes is empty, if Profile is
	// [ProfileReadOnly], or if commands could write to Homes itself, the home folder is
	// temporary and removed with the [Local]. HOME is the user's own only in the profile
	// off.
	Homes string

	// Protected are files of the workspace that commands cannot write, because programs
	// outside run what they name; see package protect. The zero value is all that the
	// package knows. What the host's environment names of homes is added, as package files does.
	Protected protect.Paths

	outputs    string   // a folder of the run's own outputs, to be read; empty for none
	protect    []string // further files that may not be written
	pins       []string // folders that may be written in, and not moved
	further    []string // of Write, those that lie outside the workspace
	gitFolders []string // repositories' own folders outside the workspace that may be written
	stated     *stated  // Read and Write as in the settings; nil if they are unchanged
	own        string   // the home folder of commands
	workspace  string   // the directory that the profile is about; set by Tool

	workspaceIs sandbox.FolderID // see [sandbox.Policy]
}

// check refuses a malformed sandbox.
func (s Sandbox) check() error {
	if err := s.policy(grants{}).Check(); err != nil {
		return err
	}
	return s.checkHosts()
}

// off reports whether nothing is to be enforced.
func (s Sandbox) off() bool { return s.Profile == ProfileOff }

// reads are what may be read beyond the workspace.
func (s Sandbox) reads() []string {
	if s.outputs == "" {
		return s.Read
	}
	return append(slices.Clone(s.Read), s.outputs)
}

func (s Sandbox) policy(granted grants) sandbox.Policy {
	return sandbox.Policy{
		Profile: s.Profile, Workspace: s.workspace, WorkspaceIs: s.workspaceIs, Read: s.reads(), Write: s.Write, Own: s.own, Protect: s.protect, Pin: s.pins, Network: s.Network, Refuser: !s.off(), Require: s.Require,
		Path: granted.path, Home: granted.home, Toolchains: granted.toolchains, Limits: s.Limits,
	}
}

// policyOf is the policy of a command, and the key of its box. The key includes the
// identity of the folders that it may write to: one may have been replaced.
func policyOf(command Command, visit *protect.Visit) (policy sandbox.Policy, key string) {
	granted := command.Context.granted()
	s := command.Sandbox.in(command.Context)
	if visit != nil {
		s.protect, s.pins = slices.Concat(s.protect, visit.Held), visit.Pins
	}
	if !s.off() {
		held, pins := s.heldSettings()
		s.protect, s.pins = slices.Concat(s.protect, held), slices.Concat(s.pins, pins)
	}
	policy = s.policy(granted)
	text, _ := json.Marshal(policy) // strings and numbers always encode
	key = string(text) + s.reachKey()
	if visit != nil {
		key += visit.Key
	}
	for _, folder := range append([]string{policy.Workspace}, policy.Write...) {
		if info, err := os.Stat(folder); err == nil {
			key += " " + identity(info)
		}
	}
	if policy.Own != "" {
		if _, info, err := homes.Find(policy.Own); err == nil {
			key += " " + identity(info)
		}
	}
	return policy, key
}

// grants are what a sandbox lets commands read beside the system's folders: the folders
// of PATH, and the toolchains found by PATH and HOME. They come from the operator: the
// host's own variables, the embedder's list, and trusted environments. A call can change
// what its command finds, never what it may read.
type grants struct {
	path, home string
	toolchains []string
}

// operatorGrants takes them from the operator's layers.
func operatorGrants(layers ...layer) grants {
	env, _ := merge(layers, true)
	return grants{path: env["PATH"], home: env["HOME"]}
}

// granted are the grants of a command. A context that no tool resolved is the embedder's.
func (c ExecContext) granted() grants {
	if c.grants != nil {
		return *c.grants
	}
	return operatorGrants(hostLayer(), layer{env: c.env})
}
