package shell

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// cgroups is a control group of our own, with one beneath it for each command.
// No process leaves it by what it does to its parent, group, session or
// environment, and the kernel ends all of it at once.
type cgroups struct{ dir string }

// newCgroups makes the group within the host's own. Its error says why that
// cannot be done here.
func newCgroups() (*cgroups, error) {
	parent, err := ownCgroup()
	if err != nil {
		return nil, err
	}
	g := &cgroups{dir: filepath.Join(parent, fmt.Sprintf("scriptrun-%d-%s", os.Getpid(), rand.Text()[:8]))}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, err
	}
	kind, err := os.ReadFile(filepath.Join(g.dir, "cgroup.type"))
	if err == nil && strings.TrimSpace(string(kind)) != "domain" {
		err = fmt.Errorf("%s is of type %s", g.dir, bytes.TrimSpace(kind))
	}
	if err == nil {
		// A process is moved by whoever may write to both groups' common ancestor.
		err = unix.Access(filepath.Join(parent, "cgroup.procs"), unix.W_OK)
	}
	if err == nil {
		err = unix.Access(filepath.Join(g.dir, "cgroup.kill"), unix.W_OK) // Linux 5.14
	}
	if err == nil {
		err = g.try()
	}
	if err != nil {
		_ = os.Remove(g.dir)
		return nil, err
	}
	return g, nil
}

// try starts a command in a group. There are kernels that refuse, and hosts
// whose own group has a past for which the kernel kills what they start in
// another.
func (g *cgroups) try() error {
	c, err := g.add("try")
	if err != nil {
		return err
	}
	defer c.close()
	cmd := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", ":"}, Env: []string{}, SysProcAttr: processAttributes()}
	c.startIn(cmd)
	return cmd.Run()
}

// ownCgroup is the folder of the host's own group of version 2.
func ownCgroup() (string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	own := ""
	for line := range strings.Lines(string(groups)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			own = path
		}
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if own == "" || len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		root, point := fields[3], fields[4]
		if rel, err := filepath.Rel(root, own); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(point, rel), nil
		}
	}
	return "", errors.New("no control groups of version 2 are mounted")
}

// add makes the group of one command.
func (g *cgroups) add(name string) (*cgroup, error) {
	c := &cgroup{dir: filepath.Join(g.dir, name), events: -1}
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		return nil, err
	}
	var err error
	if c.fd, err = unix.Open(c.dir, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		_ = os.Remove(c.dir)
		return nil, &os.PathError{Op: "open", Path: c.dir, Err: err}
	}
	if c.events, err = unix.Openat(c.fd, "cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		c.close()
		return nil, &os.PathError{Op: "open", Path: c.dir + "/cgroup.events", Err: err}
	}
	return c, nil
}

// close removes the group, which must hold no command.
func (g *cgroups) close() error { return os.Remove(g.dir) }

// cgroup is the control group of one command: the [tree] that it cannot leave.
type cgroup struct {
	dir    string
	fd     int
	events int    // cgroup.events, open
	leader int    // set once the command has started
	kills  string // oom_kill of memory.events so far
	// spent is set once the group was killed. Newer kernels also kill what is
	// started in such a group afterwards.
	spent bool
}

// childless implements [tree].
func (c *cgroup) childless() bool {
	var text [256]byte
	n, err := unix.Pread(c.events, text[:], 0)
	return err == nil && bytes.Contains(text[:n], []byte("populated 0\n"))
}

// signal sends a signal to every living member and returns how many there
// were; signal 0 only counts.
func (c *cgroup) signal(signal syscall.Signal) int {
	switch signal {
	case 0:
		return len(c.members())
	case syscall.SIGKILL:
		members := c.members()
		if len(members) > 0 {
			// Not even one that forks meanwhile gets away.
			c.spent = true
			_ = c.write("cgroup.kill", "1")
		}
		return len(members)
	}
	_ = syscall.Kill(-c.leader, signal)
	members := c.members()
	for _, pid := range members {
		if group, err := syscall.Getpgid(pid); err == nil && group != c.leader {
			_ = syscall.Kill(pid, signal)
		}
	}
	return len(members)
}

// members are the living processes.
func (c *cgroup) members() (pids []int) {
	text, _ := c.read("cgroup.procs") // a group that is gone has none
	for line := range strings.Lines(text) {
		if pid, err := strconv.Atoi(strings.TrimSuffix(line, "\n")); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// oomKilled reports whether the kernel ended a member for want of memory, where
// it keeps count for the group. A group that was used before keeps counting.
func (c *cgroup) oomKilled() bool {
	text, _ := c.read("memory.events")
	for line := range strings.Lines(text) {
		if count, ok := strings.CutPrefix(line, "oom_kill "); ok {
			before := c.kills
			c.kills = strings.TrimSpace(count)
			return c.kills != cmp.Or(before, "0")
		}
	}
	return false
}

func (c *cgroup) read(name string) (string, error) {
	fd, err := unix.Openat(c.fd, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	var text []byte
	chunk := make([]byte, 4<<10)
	for {
		n, err := unix.Read(fd, chunk)
		if n <= 0 || err != nil {
			return string(text), err
		}
		text = append(text, chunk[:n]...)
	}
}

func (c *cgroup) write(name, text string) error {
	fd, err := unix.Openat(c.fd, name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(text))
	return err
}

// close removes the group, which must hold nobody any more, and the groups
// that a command with the right to may have made within it.
func (c *cgroup) close() {
	_ = unix.Close(c.fd)
	if c.events >= 0 {
		_ = unix.Close(c.events)
	}
	if os.Remove(c.dir) == nil {
		return
	}
	var inner []string
	_ = filepath.WalkDir(c.dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			inner = append(inner, path)
		}
		return nil
	})
	for i := len(inner) - 1; i >= 0; i-- {
		_ = os.Remove(inner[i])
	}
}
