package sandbox

import (
	"errors"
	"os"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/internal/removal"
	"golang.org/x/sys/unix"
)

// OpenWithoutPID is [Open] on a machine without namespaces of process ids.
func OpenWithoutPID(policy Policy) (*Box, error) {
	less := attempts(policy)[0]
	less.PID = false
	return openIn(policy, less)
}

// OpenWithoutSpaces is [Open] on a machine without namespaces.
func OpenWithoutSpaces(policy Policy) (*Box, error) { return openIn(policy, spaces{}) }

func openIn(policy Policy, which spaces) (*Box, error) {
	return openWith(policy, func(policy Policy, temp string) (holder, []hostapi.Measure, error) {
		return openHolderIn(policy, temp, []spaces{which})
	})
}

// Granted are the paths that a box would open, besides those that it may write.
func Granted(policy Policy) (read []string, err error) {
	none := errors.New("no box")
	_, err = openWith(policy, func(policy Policy, _ string) (holder, []hostapi.Measure, error) {
		read = policy.Read
		return nil, nil, none
	})
	if errors.Is(err, none) {
		err = nil
	}
	return read, err
}

// EmptyFolder cleans up after commands.
var EmptyFolder = removal.Empty

// SweepControlGroups removes the groups of killed hosts.
var SweepControlGroups = sweepGroups

// ControlGroupParents are the groups in which those of boxes are made.
func ControlGroupParents() []string {
	return ParentsOfControlGroups("/proc/self/cgroup", "/proc/self/mountinfo")
}

// ParentsOfControlGroups are those in these files.
func ParentsOfControlGroups(groups, mounts string) (parents []string) {
	found, _ := findHierarchies(groups, mounts) // none is no error here
	for _, h := range found {
		parents = append(parents, h.parents()...)
	}
	return parents
}

// Watching is a watch of folders: quiet until something changes in one.
func Watching(folders ...string) (quiet func() bool, stop func(), err error) {
	w, err := newWatch(folders)
	if err != nil {
		return nil, nil, err
	}
	return w.quiet, w.close, nil
}

// CannotHide is the error if secrets that appear cannot be hidden.
func CannotHide(policy Policy, why error) error {
	c, err := newCovers(newHidings(policy, binds(policy)), false)
	if err != nil {
		return err
	}
	defer unix.Close(c.fd)
	c.hide = func(secret) error { return why }
	return c.cover(func(path string) string { return path }, false)
}

// CannotWatch is the error if the kernel watches no more folders.
func CannotWatch(policy Policy) error {
	c, err := newCovers(newHidings(policy, binds(policy)), false)
	if err != nil {
		return err
	}
	defer unix.Close(c.fd)
	c.add = func(string) (int, error) { return 0, unix.ENOSPC }
	return c.cover(func(path string) string { return path }, false)
}

// EndedBecause are commands whose holder says why it ends.
func EndedBecause(why error, names ...string) map[string]*Process {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		panic(err)
	}
	r := &remote{channel: newChannel(os.NewFile(uintptr(fds[0]), "holder")), gone: make(chan struct{}), pending: map[int64]*command{}}
	processes := map[string]*Process{}
	for i, name := range names {
		c := newCommand(r)
		r.pending[int64(i)] = c
		processes[name] = &Process{tree: c, holder: r}
	}
	theirs := newChannel(os.NewFile(uintptr(fds[1]), "holder's end"))
	if err := theirs.send(answer{Failed: why.Error()}); err != nil {
		panic(err)
	}
	theirs.release()
	r.listen()
	return processes
}

// Frames are one frame of each kind.
func Frames() (frames [][]byte) {
	status := uint32(9)
	for _, frame := range []any{
		order{ID: 1, Start: &startOrder{Path: "/bin/sh", Dir: "/", Args: []string{"sh", ""}, Env: []string{"A=b"}, Streams: [3]bool{true, false, true}, Pty: &Size{Cols: 80, Rows: 24}}},
		order{ID: 2, Reap: true}, answer{ID: 3, Started: &started{}}, answer{ID: 4, Exited: true, Ended: &status}, answer{ID: 5, Started: &started{Errno: 2}},
	} {
		body, _ := encode(frame) // these can be
		frames = append(frames, body)
	}
	return frames
}

// ReadFrame reads a frame as either end does.
func ReadFrame(frame []byte) {
	_ = decode(frame, &order{})
	_ = decode(frame, &answer{})
}

// Beneath is what decides whether a path is inside another.
var Beneath = beneath
