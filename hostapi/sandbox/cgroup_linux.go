package sandbox

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// controlGroup is the control groups of a box: one with all controllers, or with
// version 1 one in each controller's hierarchy. They bound all commands of the box
// together, including memory that no process owns: shared memory and the files of /tmp
// and /dev/shm.
type controlGroup struct {
	dirs []string
	// events counts the processes killed for want of memory; nil if memory is not
	// bounded.
	events    *os.File
	processes bool // their number is bounded
}

// groupPrefix begins the name of each group. The host's process id is next, so that
// groups of killed hosts can be told from groups in use.
const groupPrefix = "scriptrun-"

// controls are the files of a group that set and report a bound, by version and
// controller.
var controls = [3]map[string]struct{ limit, events string }{
	1: {"memory": {"memory.limit_in_bytes", "memory.oom_control"}, "pids": {limit: "pids.max"}},
	2: {"memory": {"memory.max", "memory.events"}, "pids": {limit: "pids.max"}},
}

// openControlGroup makes the groups of a box, as far as the system lets this process;
// nil if it lets it make none. processes says whether to bound their number.
func openControlGroup(l Limits, processes bool) *controlGroup {
	hierarchies, err := findHierarchies("/proc/self/cgroup", "/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	name := groupPrefix + strconv.Itoa(os.Getpid()) + "-" + rand.Text()[:8]
	limits := map[string]int64{"memory": l.MemoryBytes}
	if processes {
		limits["pids"] = int64(l.Processes) + spareIDs
	}
	g := &controlGroup{}
	for _, h := range hierarchies {
		for _, parent := range h.parents() {
			sweepGroups(parent)
			if g.make(filepath.Join(parent, name), h, limits) {
				break
			}
		}
	}
	if len(g.dirs) == 0 {
		return nil
	}
	return g
}

// make makes one group, and reports whether it bounds anything.
func (g *controlGroup) make(dir string, h hierarchy, limits map[string]int64) bool {
	if os.Mkdir(dir, 0o755) != nil {
		return false
	}
	bounded := false
	for _, controller := range h.controllers {
		files := controls[h.version][controller]
		if limits[controller] == 0 || os.WriteFile(filepath.Join(dir, files.limit), strconv.AppendInt(nil, limits[controller], 10), 0) != nil {
			continue
		}
		bounded = true
		if files.events == "" {
			g.processes = true
		} else if events, err := os.Open(filepath.Join(dir, files.events)); err == nil {
			g.events = events
		}
	}
	if !bounded {
		_ = os.Remove(dir)
		return false
	}
	g.dirs = append(g.dirs, dir)
	return true
}

// admit puts a process, and all that it will start, into the groups.
func (g *controlGroup) admit(pid int) error {
	if g == nil {
		return nil
	}
	for _, dir := range g.dirs {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), strconv.AppendInt(nil, int64(pid), 10), 0); err != nil {
			return err
		}
	}
	return nil
}

// bounds says what is bounded for all commands together.
func (g *controlGroup) bounds() (memory, processes bool) {
	if g == nil {
		return false, false
	}
	return g.events != nil, g.processes
}

// ended counts the processes that the kernel killed for want of memory.
func (g *controlGroup) ended() int {
	if g == nil || g.events == nil {
		return 0
	}
	var text [1 << 10]byte
	n, _ := g.events.ReadAt(text[:], 0) // it returns io.EOF at the end
	for line := range strings.Lines(string(text[:n])) {
		if key, value, _ := strings.Cut(line, " "); key == "oom_kill" {
			n, _ := strconv.Atoi(strings.TrimSpace(value)) // the kernel writes a number
			return n
		}
	}
	return 0
}

// close removes the groups. Their processes are gone, but the kernel may take a moment
// to see it.
func (g *controlGroup) close() {
	if g == nil {
		return
	}
	if g.events != nil {
		_ = g.events.Close()
	}
	for _, dir := range g.dirs {
		for wait := time.Millisecond; wait < time.Second; wait *= 2 {
			if err := os.Remove(dir); !errors.Is(err, unix.EBUSY) {
				break
			}
			time.Sleep(wait)
		}
	}
}

// sweepGroups removes groups that killed hosts left. A group with a process in it
// cannot be removed.
func sweepGroups(parent string) {
	left, err := filepath.Glob(filepath.Join(parent, groupPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		host, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), groupPrefix), "-")
		if pid, err := strconv.Atoi(host); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.Remove(dir)
		}
	}
}

// hierarchy is a tree of groups with controllers that bound something.
type hierarchy struct {
	version     int
	controllers []string
	top, own    string // where it is mounted, and the group of this process
}

// parents are the groups in which one can be made, the likelier first. In version 2 a
// group with processes passes no controllers on, so the new one is made beside the
// group of this process, or below it if an ordinary user's session owns that.
func (h hierarchy) parents() []string {
	if h.version == 2 && h.own != h.top {
		return []string{filepath.Dir(h.own), h.own}
	}
	return []string{h.own}
}

// findHierarchies reads which groups this process is in (cgroups(7)), and where they
// are mounted (proc_pid_mountinfo(5)).
func findHierarchies(groups, mounts string) (found []hierarchy, err error) {
	text, err := os.ReadFile(groups)
	if err != nil {
		return nil, err
	}
	mounted, err := os.ReadFile(mounts)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: %q is no group", groups, line)
		}
		h := hierarchy{version: 1}
		for controller := range strings.SplitSeq(fields[1], ",") {
			if _, ok := controls[1][controller]; ok {
				h.controllers = append(h.controllers, controller)
			}
		}
		if fields[0] == "0" {
			h.version, h.controllers = 2, []string{"memory", "pids"}
		}
		if len(h.controllers) == 0 || !h.locate(mounted, fields[2]) {
			continue
		}
		if info, err := os.Stat(h.own); err == nil && info.IsDir() {
			found = append(found, h)
		}
	}
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	return found, nil
}

// locate finds the mount of a hierarchy, and the named group in it.
func (h *hierarchy) locate(mounts []byte, name string) bool {
	lines := bufio.NewScanner(bytes.NewReader(mounts))
	for lines.Scan() {
		mount, system, ok := strings.Cut(lines.Text(), " - ")
		fields, about := strings.Fields(mount), strings.Fields(system)
		if !ok || len(fields) < 5 || len(about) < 3 || !h.isMount(about[0], about[2]) {
			continue
		}
		below, err := filepath.Rel(fields[3], name) // the mount may show a part of the hierarchy
		if err != nil || below == ".." || strings.HasPrefix(below, "../") {
			continue
		}
		h.top = fields[4]
		h.own = filepath.Join(h.top, below)
		return true
	}
	return false
}

func (h *hierarchy) isMount(system, options string) bool {
	if h.version == 2 {
		return system == "cgroup2"
	}
	return system == "cgroup" && strings.Contains(","+options+",", ","+h.controllers[0]+",")
}
