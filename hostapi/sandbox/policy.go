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

// Profile says which files a command may read and write.
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
	// NetworkNone refuses internet sockets, except those of [Policy.Refuser].
	NetworkNone Network = "none"
	// NetworkLoopback gives the commands of one [Box] a loopback interface of their
	// own: servers and clients among them work, and they reach nothing else.
	NetworkLoopback Network = "loopback"
	// NetworkProxied is NetworkLoopback with the host's [Box.Listener] in it. Commands
	// reach other machines only through what the host does for their connections, and
	// send name queries to [Box.Names]. [Open] fails if the machine has no network
	// namespaces.
	NetworkProxied Network = "proxied"
	// NetworkFull is the machine's own network, its loopback included.
	NetworkFull Network = "full"
)

// Policy says what commands may do. The zero Policy is [ProfileWorkspace] in no
// workspace, without a network.
type Policy struct {
	// Profile is one of the profiles; empty means [ProfileWorkspace].
	Profile Profile
	// Workspace is the folder that the profile is about; absolute.
	Workspace string
	// WorkspaceIs is what Workspace must lead to, since a command may have led its path elsewhere:
	// then [Open] fails. Zero is whatever it leads to when [Open] is called.
	WorkspaceIs FolderID
	// Read and Write are further files and folders that commands may read, or read and
	// write; absolute. Missing ones are skipped, and so is what lies in /proc, of which
	// commands have their own.
	Read, Write []string
	// Protect are paths in writable places that must not be written; absolute. Missing ones
	// are skipped. A link among them stays where it is, and its target is another path.
	Protect []string
	// Pin are folders that commands may write in, but neither move nor replace;
	// absolute. Missing ones are skipped.
	Pin []string
	// Own is a home that package homes made, named by its path as commands see it; they
	// may write it. With a view of their own only they know that path: on the host the
	// home has a random name, and gets another one whenever a command has ended, so
	// that no link that a command leaves elsewhere leads there. They see nothing of
	// other homes.
	Own string
	// Network is one of the networks; empty means [NetworkNone].
	Network Network
	// Refuser gives the host the [Box.Listener] with [NetworkNone] and
	// [NetworkLoopback] too, if the box can have a network of its own, so that the host
	// can refuse connections by name. Commands then have sockets in a network with
	// nothing else in it; with [NetworkNone] they cannot listen.
	Refuser bool
	// Require makes [Open] fail if the machine cannot enforce the whole policy.
	// Otherwise [Box.Measures] names the gaps.
	Require bool
	// Path and Home are the operator's PATH and HOME: commands may read the folders of
	// PATH, and secrets of programs below HOME are hidden.
	Path, Home string
	// Toolchains are further files and folders that commands may read. Like a folder of
	// Path, one is skipped if it is reached through a place that commands may write, or
	// holds a home folder.
	Toolchains []string
	// Limits bounds what commands use of the machine.
	Limits Limits
}

// FolderID tells a folder from all others, whatever its path, as long as it is there.
type FolderID struct{ Device, Inode uint64 }

// Limits bound what commands use of the machine. Zero fields mean the defaults named
// with them. If the system lets the host make a control group (cgroups(7)), MemoryBytes
// and Processes bound all commands of a [Box] together; [Box.Measures] says whether
// they do.
type Limits struct {
	// MemoryBytes bounds the data of each process, and with a control group the
	// memory of all commands, files in their temporary folders included; 0 means
	// 16 GiB.
	MemoryBytes int64
	// FileBytes bounds the size of each file that is written; 0 means 64 GiB.
	FileBytes int64
	// Processes bounds processes and threads of all commands; 0 means 8192.
	Processes int
	// OpenFiles bounds the descriptors of each process; 0 means the host's limit.
	OpenFiles int
}

// OrDefault returns the limits with the defaults for zero fields. OpenFiles stays zero.
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

// Check refuses unknown names, relative paths, combinations that contradict each other,
// limits as [Limits.Check] does, and, with a *[RootError], the root folder and its like.
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
	if err := p.whole(); err != nil {
		return err
	}
	return p.Limits.Check()
}

// Check refuses limits too low for anything to run, including the process that starts
// commands. The error is a *[LimitError].
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
	// Value is the limit, and Min the lowest that is allowed.
	Value, Min int64
}

// Error says what was expected.
func (e *LimitError) Error() string {
	return fmt.Sprintf("sandbox: limit %s is %d; expected at least %d", e.Name, e.Value, e.Min)
}

// off reports whether nothing is enforced.
func (p Policy) off() bool { return p.Profile == ProfileOff }

// writable are the places that commands may write, the workspace among them if the
// profile says so.
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

// readable are the places that commands may read, besides the system's folders.
func (p Policy) readable() []string {
	granted := p.grants()
	places := slices.Collect(maps.Values(granted.named(p.changeable())))
	return slices.Concat(places, []string{p.Workspace}, p.Read)
}

// RequiredError says that a policy requires what this machine cannot enforce.
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

// gaps are the measures that have a gap.
func gaps(measures []hostapi.Measure) (missing []hostapi.Measure) {
	for _, m := range measures {
		if m.Gap != "" {
			missing = append(missing, m)
		}
	}
	return missing
}
