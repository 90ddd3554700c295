package shell

import (
	"errors"
	"fmt"
	"path/filepath"
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

// Sandbox is what the operating system keeps a command from. The zero value is
// the profile for the workspace, without a network, as far as the machine can
// enforce it; [Tool.Confinement] says how far that is.
//
// In every profile but off a command reads the system's own folders and not
// the homes of users, what programs keep in /var and /run, or other files of
// the host; it cannot signal or look into processes outside, use sockets
// other than pairs of its own, gain privileges, or make system calls that
// administer the machine.
type Sandbox struct {
	// Profile is one of the profiles; empty means [ProfileWorkspace].
	Profile Profile
	// Network lets commands open internet sockets; off by default. Sockets of
	// this machine, by path or abstract, stay closed.
	Network bool
	// Read and Write name further files and folders that may be read, or read
	// and written, absolute. One that does not exist is passed over.
	Read, Write []string
	// Require refuses to start a command when anything of the above cannot be
	// enforced. Otherwise it starts, and [Tool.Confinement] names the gap.
	Require bool

	workspace string // the directory that the profile is about; set by Tool
}

// check refuses a sandbox that nobody can have meant.
func (s Sandbox) check() error {
	switch s.Profile {
	case "", ProfileReadOnly, ProfileWorkspace:
	case ProfileOff:
		if s.Require {
			return errors.New(`sandbox: profile "off" has nothing to require; drop one of the two`)
		}
	default:
		return fmt.Errorf("sandbox: there is no profile %q; expected %s, %s or %s", s.Profile, ProfileReadOnly, ProfileWorkspace, ProfileOff)
	}
	for _, path := range append(append([]string(nil), s.Read...), s.Write...) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("sandbox: %q is not an absolute path", path)
		}
	}
	return nil
}

// off reports whether nothing is to be enforced.
func (s Sandbox) off() bool { return s.Profile == ProfileOff }

// key tells sandboxes apart that confine differently.
func (s Sandbox) key() string {
	flags := []byte{'-', '-'}
	if s.Network {
		flags[0] = 'n'
	}
	if s.Require {
		flags[1] = 'r'
	}
	return strings.Join([]string{
		string(s.Profile), s.workspace, string(flags), strings.Join(s.Read, "\x00"), strings.Join(s.Write, "\x00"),
	}, "\x01")
}

// SandboxError is a command that was not started because the sandbox that it
// requires cannot be had.
type SandboxError struct {
	// Gaps are the measures that are missing.
	Gaps []hostapi.Measure
}

// Error implements error.
func (e *SandboxError) Error() string {
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
