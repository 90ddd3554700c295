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

// Sandbox is what the operating system keeps a command from. The zero value is
// the profile for the workspace, without a network, as far as the machine can
// enforce it; [Tool.Confinement] says how far that is.
//
// In every profile but off a command reads the system's own folders and not
// the homes of users, what programs keep in /var and /run, or other files of
// the host; it cannot signal or look into processes outside, reach others through
// sockets, gain privileges, or make system calls that administer the machine. Whom it
// asks for in a network of its own the host refuses by name.
type Sandbox struct {
	// Profile is one of the profiles; empty means [ProfileWorkspace].
	Profile Profile
	// Network is one of those of package sandbox; empty means none.
	Network sandbox.Network
	// Hosts are whom commands can talk to where Network is
	// [sandbox.NetworkProxied], in the form that egress.ParseList reads; for the
	// presets among them tools of this machine are asked, outside the sandbox.
	Hosts []string
	// Private are those of them whose addresses need not be public: names and
	// addresses, either with :port, and networks such as 10.1.0.0/16.
	Private []string
	// Read and Write name further files and folders that may be read, or read
	// and written, absolute. One that does not exist is passed over.
	Read, Write []string
	// Require refuses to start a command when anything of the above cannot be
	// enforced. Otherwise it starts, and [Tool.Confinement] names the gap.
	Require bool
	// Limits bound what a command may have of the machine.
	Limits sandbox.Limits
	// Homes is a folder in which each workspace has a home folder for its
	// commands, made when it is needed and kept, as package homes describes it.
	// Where it is empty, where Profile is [ProfileReadOnly], and where commands
	// could write to the folder itself, they have a temporary one that ends with
	// the [Local]. In no profile but off is HOME the user's own.
	Homes string

	// Protected are files of the workspace that commands cannot write, though they
	// may write all around them, because they run outside by themselves; see
	// package protect. The zero value is all that it knows.
	Protected protect.Paths

	outputs    string   // a folder of the run's own outputs, to be read; empty for none
	protect    []string // further files that may not be written
	pins       []string // folders that may be written in, and not moved
	further    []string // of Write, those that lie outside the workspace
	gitFolders []string // repositories' own folders outside the workspace that may be written
	stated     *stated  // what Read and Write were in the settings; nil where they are as they were
	own        string   // what commands have as their home
	workspace  string   // the directory that the profile is about; set by Tool
}

// check refuses a sandbox that nobody can have meant.
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
		Profile: s.Profile, Workspace: s.workspace, Read: s.reads(), Write: s.Write, Own: s.own, Protect: s.protect, Pin: s.pins, Network: s.Network, Refuser: !s.off(), Require: s.Require,
		Path: granted.path, Home: granted.home, Toolchains: granted.toolchains, Limits: s.Limits,
	}
}

// policyOf is the policy of a command, and what tells its box from others: also
// what the folders are now that it may write in.
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

// grants are what a sandbox is opened for, beside the system's folders: the
// folders of PATH, and the toolchains that are found by PATH and HOME. They are
// the operator's: the host's own variables, the embedder's list, and trusted
// environments. What a call sets changes what its command finds, never what it
// may read.
type grants struct {
	path, home string
	toolchains []string
}

// operatorGrants takes them from the layers that are the operator's.
func operatorGrants(layers ...layer) grants {
	env, _ := merge(layers, true)
	return grants{path: env["PATH"], home: env["HOME"]}
}

// granted are those of a command. A context that no tool resolved is the embedder's own.
func (c ExecContext) granted() grants {
	if c.grants != nil {
		return *c.grants
	}
	return operatorGrants(hostLayer(), layer{env: c.env})
}
