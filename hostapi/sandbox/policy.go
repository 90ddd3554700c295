package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Profile says how much of the machine a command sees.
type Profile string

// The profiles. The zero Profile means [ProfileWorkspace].
const (
	// ProfileReadOnly lets a command read the system and the workspace, and
	// write to a private folder for temporary files.
	ProfileReadOnly Profile = "read-only"
	// ProfileWorkspace lets it write to the workspace as well.
	ProfileWorkspace Profile = "workspace"
	// ProfileOff lets it do what the host's user can.
	ProfileOff Profile = "off"
)

// Network says whom a command can talk to. The zero Network means
// [NetworkNone].
type Network string

// The networks.
const (
	// NetworkNone refuses internet sockets, but for those that [Policy.Refuser] is for.
	NetworkNone Network = "none"
	// NetworkLoopback gives the commands of one [Box] a loopback interface of
	// their own: servers and clients among them work, and nothing else is there.
	NetworkLoopback Network = "loopback"
	// NetworkProxied is NetworkLoopback with a listener of the host in it, which is
	// [Box.Listener]: what the host does for those who connect there is all that
	// commands have of other machines, and [Box.Names] whom they ask for addresses.
	// [Open] fails where it cannot be had.
	NetworkProxied Network = "proxied"
	// NetworkFull is the machine's own network, its loopback included.
	NetworkFull Network = "full"
)

// Policy is what commands are kept from. The zero Policy is [ProfileWorkspace]
// in no workspace, without a network.
type Policy struct {
	// Profile is one of the profiles; empty means [ProfileWorkspace].
	Profile Profile
	// Workspace is the folder that the profile is about, absolute.
	Workspace string
	// Read and Write name further files and folders that may be read, or read
	// and written, absolute. One that does not exist is passed over.
	Read, Write []string
	// Protect names what may not be written though it lies in what may; absolute.
	// What does not exist is passed over.
	Protect []string
	// Pin names folders that may be written in, and neither moved nor replaced;
	// absolute. What does not exist is passed over.
	Pin []string
	// Own is a folder that commands may write, and that nobody is led to from what else
	// they write: a home that package homes made, by the name that it has for them. In a
	// view of their own it has that name for nobody else: outside its name is random, and
	// another one whenever a command has ended. Of other homes they see nothing.
	Own string
	// Network is one of the networks; empty means [NetworkNone].
	Network Network
	// Refuser gives the host, where Network is [NetworkNone] or [NetworkLoopback] and a
	// network of the box's own can be had, what [NetworkProxied] gives it: whoever asks
	// there for another host can be refused by a name. Sockets are allowed then, in a
	// network in which nothing is; with [NetworkNone] nobody can listen.
	Refuser bool
	// Require makes [Open] fail where anything of the policy cannot be enforced.
	// Otherwise [Box.Measures] names the gap.
	Require bool
	// Path and Home are the operator's PATH and HOME: the folders of PATH may be
	// read, and what programs keep secrets in below HOME is hidden.
	Path, Home string
	// Toolchains are further folders and files that may be read, as those of Path
	// may: one that is reached through a place that commands may write is passed
	// over, and so is a home folder.
	Toolchains []string
	// Limits bound what commands have of the machine.
	Limits Limits
}

// Limits are what the system lets commands have. Zero fields have the defaults
// that are named with them. Where the system lets the host make a control group
// (cgroups(7)), MemoryBytes and Processes bound all commands of a [Box]
// together; [Box.Measures] says whether it does.
type Limits struct {
	// MemoryBytes bounds the data of each process, and with a control group the
	// memory of all commands, files in their temporary folders included; 0 means
	// 16 GiB.
	MemoryBytes int64
	// FileBytes bounds the size of a file that is written; 0 means 64 GiB.
	FileBytes int64
	// Processes bounds processes and threads of all commands; 0 means 8192.
	Processes int
	// OpenFiles bounds the descriptors of a process; 0 means what the host has.
	OpenFiles int
}

// OrDefault is the limits with the defaults in place of zeros. OpenFiles stays
// zero.
func (l Limits) OrDefault() Limits {
	if l.MemoryBytes == 0 {
		l.MemoryBytes = 16 << 30
	}
	if l.FileBytes == 0 {
		l.FileBytes = 64 << 30
	}
	if l.Processes == 0 {
		l.Processes = 8192
	}
	return l
}

// Check refuses a policy that nobody can have meant.
func (p Policy) Check() error {
	switch p.Profile {
	case "", ProfileReadOnly, ProfileWorkspace:
	case ProfileOff:
		if p.Require {
			return errors.New(`sandbox: profile "off" has nothing to require; drop one of the two`)
		}
		if p.Network == NetworkProxied {
			return errors.New(`sandbox: profile "off" cannot keep commands to some hosts; take another profile, or network "full"`)
		}
	default:
		return fmt.Errorf("sandbox: there is no profile %q; expected %s, %s or %s", p.Profile, ProfileReadOnly, ProfileWorkspace, ProfileOff)
	}
	switch p.Network {
	case "", NetworkNone, NetworkLoopback, NetworkProxied, NetworkFull:
	default:
		return fmt.Errorf("sandbox: there is no network %q; expected %s, %s, %s or %s", p.Network, NetworkNone, NetworkLoopback, NetworkProxied, NetworkFull)
	}
	paths := slices.Concat(p.Read, p.Write, p.Protect, p.Pin)
	if p.Own != "" {
		paths = append(paths, p.Own)
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("sandbox: %q is not an absolute path", path)
		}
	}
	return p.Limits.Check()
}

// Check refuses limits that are too low for anything to run, the process that
// starts commands included. The error is a *[LimitError].
func (l Limits) Check() error {
	for _, limit := range []struct {
		name       string
		value, min int64
	}{
		{"memoryBytes", l.MemoryBytes, 512 << 20}, {"fileBytes", l.FileBytes, 1},
		{"processes", int64(l.Processes), 16}, {"openFiles", int64(l.OpenFiles), 256},
	} {
		if limit.value != 0 && limit.value < limit.min {
			return &LimitError{Name: limit.name, Value: limit.value, Min: limit.min}
		}
	}
	return nil
}

// LimitError is a limit that is too low.
type LimitError struct {
	// Name is memoryBytes, fileBytes, processes or openFiles.
	Name string
	// Value is the limit, and Min the lowest that there may be.
	Value, Min int64
}

// Error says what was expected.
func (e *LimitError) Error() string {
	return fmt.Sprintf("sandbox: limit %s is %d; expected at least %d", e.Name, e.Value, e.Min)
}

// off reports whether nothing is to be enforced.
func (p Policy) off() bool { return p.Profile == ProfileOff }

// writable are the places that commands may write, the workspace among them
// where the profile says so.
func (p Policy) writable() []string {
	writable := append([]string(nil), p.Write...)
	if p.Profile != ProfileReadOnly {
		writable = append(writable, p.Workspace)
	}
	return outermost(writable)
}

// changeable are the places that commands may write, and the workspace in any case.
func (p Policy) changeable() []string {
	return append([]string{p.Workspace, p.Own}, p.writable()...)
}

// readable are the places that commands may read, beside the system's folders.
func (p Policy) readable() []string {
	granted := p.grants()
	places := slices.Collect(maps.Values(granted.named(p.changeable())))
	return slices.Concat(places, []string{p.Workspace}, p.Read)
}

// RequiredError is a policy that requires what this machine cannot enforce.
type RequiredError struct {
	// Gaps are the measures that are missing.
	Gaps []hostapi.Measure
}

// Error implements error.
func (e *RequiredError) Error() string {
	var text strings.Builder
	text.WriteString("the sandbox is required, and this machine cannot enforce all of it")
	for _, gap := range e.Gaps {
		fmt.Fprintf(&text, "; %s: %s", gap.Name, gap.Gap)
	}
	return text.String()
}

// gaps are the measures with something missing.
func gaps(measures []hostapi.Measure) (missing []hostapi.Measure) {
	for _, m := range measures {
		if m.Gap != "" {
			missing = append(missing, m)
		}
	}
	return missing
}
