package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"golang.org/x/sys/unix"
)

// box is a sandbox made ready, and the threads inside it.
type box struct {
	starters starters

	ruleset int // Landlock; -1 for none
	view    int // mount namespace; -1 for none
	program []unix.SockFilter
	cgroups bool // commands start in control groups of their own
	// workspace, and which folder that is: a view that shows another one, as to
	// a host with a root folder of its own, is no use.
	workspace, identity string
	measures            []hostapi.Measure
}

// newBox makes a sandbox ready. temp is a folder that may be written in every
// profile.
func newBox(s Sandbox, temp string, granted grants, cgroups bool) (*box, error) {
	b := &box{ruleset: -1, view: -1, cgroups: cgroups, workspace: s.workspace, identity: identity(s.workspace)}
	if s.off() {
		b.measures = []hostapi.Measure{{
			Name: "sandbox", Gap: "commands can do what the host's user can", Fix: `the profile "off" was asked for; drop it`,
		}}
		return b, nil
	}
	failed := make(chan error)
	onOwnThread(func() { failed <- b.prepare(s, temp, granted) })
	if err := <-failed; err != nil {
		b.close()
		return nil, err
	}
	if missing := gaps(b.measures); s.Require && len(missing) > 0 {
		b.close()
		return nil, &SandboxError{Gaps: missing}
	}
	return b, nil
}

// prepare finds out what can be had. It runs on a thread of its own.
func (b *box) prepare(s Sandbox, temp string, granted grants) error {
	writable := append([]string{temp}, s.Write...)
	if s.Profile != ProfileReadOnly {
		writable = append(writable, s.workspace)
	}
	writable = outermost(writable)
	readableToo := append([]string{s.workspace}, writable...)
	var hidden []string
	for _, home := range granted.homes() {
		for _, name := range keysInHome {
			if key := filepath.Join(home, name); slices.ContainsFunc(readableToo, func(place string) bool { return beneath(key, place) }) {
				hidden = append(hidden, key)
			}
		}
	}
	b.protect(writable, hidden, temp)
	if err := b.limitFiles(s, writable, granted); err != nil {
		return err
	}
	b.limitCalls(s)
	return nil
}

func (b *box) has(name, by, gap, fix string) {
	b.measures = append(b.measures, hostapi.Measure{Name: name, By: by, Gap: gap, Fix: fix})
}

// protect sets up the view, where it can be had.
func (b *box) protect(writable, hidden []string, temp string) {
	var view int
	empty, err := newEmptyThings(temp)
	if err == nil {
		view, err = protect(writable, hidden, empty)
	}
	if err != nil {
		b.has("modes", "", "a command can change modes, owners and times of files of the host's user, wherever they are ("+err.Error()+")",
			"run scriptrun as another user than the one whose files matter, or with CAP_SYS_ADMIN")
		return
	}
	b.view = view
	b.has("modes", "mount namespace, read-only outside", "", "")
}

func (b *box) limitFiles(s Sandbox, writable []string, granted grants) error {
	abi, err := landlockABI()
	if err != nil {
		gap := "a command can read all files of the host's user, keys in its home included"
		if b.view < 0 {
			gap = "a command can read and write all files of the host's user"
		}
		b.has("files", "", gap+" (Landlock: "+err.Error()+")", "use Linux 5.13 or newer with Landlock among its security modules (lsm=landlock,…)")
		return nil
	}
	rules, err := newRuleset(abi, s.Network)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	b.ruleset = rules.fd
	grant := func(paths []string, rights uint64) {
		for _, p := range paths {
			if err == nil {
				err = rules.allow(p, rights)
			}
		}
	}
	grant(readable(granted, append([]string{s.workspace}, writable...)), mayRead)
	grant(append([]string{s.workspace}, s.Read...), mayRead)
	grant(writable, mayRead|mayWrite)
	if s.Network { // what names are resolved with may lie beneath /run
		grant([]string{"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf"}, mayRead)
	}
	for device, rights := range devices {
		grant([]string{device}, rights|unix.LANDLOCK_ACCESS_FS_READ_FILE)
	}
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	by := fmt.Sprintf("Landlock ABI %d", abi)
	switch {
	case s.workspace == "/":
		b.has("files", by, "the workspace is all there is", "work in a folder of its own")
	case b.view < 0 && slices.ContainsFunc(granted.homes(), func(home string) bool { return beneath(home, s.workspace) }):
		b.has("files", by, "the workspace "+s.workspace+" holds the home folder, with the keys in it", "work in a folder of its own")
	case abi < 3:
		b.has("files", by, "a command can truncate, and before ABI 2 not move, files of the host's user", "use Linux 6.2 or newer")
	default:
		b.has("files", by, "", "")
	}
	if abi >= 6 {
		b.has("signals", by, "", "")
	} else {
		b.has("signals", "", "a command can signal other processes of the host's user", "use Linux 6.12 or newer")
	}
	return nil
}

func (b *box) limitCalls(s Sandbox) {
	if err := filters(); err != nil {
		b.has("network", "", "a command can open sockets of every kind (seccomp: "+err.Error()+")", "use a kernel with seccomp filters, on amd64 or arm64")
		b.has("system calls", "", "a command can make every system call that its user may", "as for the network")
		return
	}
	b.program = filter(s.Network, b.cgroups)
	if s.Network {
		b.has("network", "seccomp: internet sockets allowed, others not", "", "")
	} else {
		b.has("network", "seccomp: no sockets", "", "")
	}
	by := "seccomp, no new privileges"
	if os.Geteuid() == 0 {
		by += ", capabilities dropped"
	}
	b.has("system calls", by, "", "")
}

// newEmptyThings makes them, beneath the folder for temporary files.
func newEmptyThings(temp string) (e emptyThings, err error) {
	if e.folder, err = os.MkdirTemp(temp, "empty-"); err != nil {
		return e, err
	}
	e.file = e.folder + ".file"
	return e, os.WriteFile(e.file, nil, 0o400)
}

// enter puts the calling thread, and what it starts from then on, into the
// box. An error means that nothing may be started from it.
func (b *box) enter() error {
	if b.view >= 0 {
		if err := enterView(b.view); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
		if identity(b.workspace) != b.identity {
			return fmt.Errorf("sandbox: in the mount namespace %s is another folder", b.workspace)
		}
	}
	if b.ruleset < 0 && b.program == nil {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: no new privileges: %w", err)
	}
	if b.ruleset >= 0 {
		if err := restrict(b.ruleset); err != nil {
			return fmt.Errorf("sandbox: Landlock: %w", err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if b.program != nil {
		if err := install(b.program); err != nil {
			return fmt.Errorf("sandbox: seccomp: %w", err)
		}
	}
	return nil
}

// close ends the box; no command may be left in it.
func (b *box) close() {
	b.endStarters()
	for _, fd := range []int{b.ruleset, b.view} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// outermost drops paths that lie beneath others, and those that are not there.
func outermost(paths []string) (kept []string) {
	for i, path := range paths {
		covered := false
		for j, other := range paths {
			covered = covered || beneath(path, other) && (path != other || j < i)
		}
		if _, err := os.Lstat(path); err == nil && !covered && strings.HasPrefix(path, "/") {
			kept = append(kept, path)
		}
	}
	return kept
}
