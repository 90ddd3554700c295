package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/internal/removal"
	"golang.org/x/sys/unix"
)

// room is what the holder has for its commands: the view, the limits, and places that
// start them.
type room struct {
	policy Policy
	spaces spaces
	temp   string // the box's folder for temporary files, as the holder sees it
	mark   mark
	// memoryGroup and processGroup say what a control group bounds for all commands.
	memoryGroup, processGroup bool

	unbounded error // why the namespace of process ids is not smaller

	mostIDs  uint64 // processes and threads of commands and holder together
	measures []hostapi.Measure
	rules    rules
	filter   []unix.SockFilter
	// owned are the folders of which each place has one of its own, r.temp first;
	// granted are the names in them that lead to granted paths.
	owned, granted []string
	second         map[string]string // names that are links in a view, and where they lead
	// outside reaches temp and the own folder on the host; nil for a holder that sees
	// them.
	outside *outsider
	strange bool    // /etc is shown as owned by strangers
	covers  *covers // nil if no secret can appear
	// unwatched is why nobody watches for new secrets; nil if somebody does.
	unwatched error

	within []int // the host's sockets in this network, until they are sent
	names  bool  // one of them is for name queries
	null   int   // the null device, which every view has
	births int   // /proc/loadavg, which ends with the id of the last process that started
	serial int
	idle   []*place
}

// lessError asks for a holder with fewer namespaces.
type lessError struct{ err error }

func (e *lessError) Error() string { return e.err.Error() }

// furnish prepares the room. strange is the user namespace of [strangers], or empty.
func furnish(s setup, strange []int) (_ *room, err error) {
	r := &room{policy: s.policy(), spaces: s.Spaces, temp: string(s.Temp), mark: newMark(), memoryGroup: s.MemoryGroup, processGroup: s.ProcessGroup}
	r.owned = []string{r.temp}
	if !s.Spaces.PID { // the holder becomes the parent of orphans
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, fmt.Errorf("become a subreaper: %w", err)
		}
	}
	processes := hostapi.Measure{Name: "processes", By: "a space of process ids"}
	if !s.Spaces.PID {
		processes.By = "a mark that they inherit, group, session and descent"
	}
	if r.policy.off() {
		processes.Gap = "a process that changes its limits, its session and its parent is not ended"
		processes.Fix = "do without the profile \"off\""
	}
	death := hostapi.Measure{Name: "host's death", By: "the process that starts commands ends with the host, and ends them"}
	if r.policy.off() {
		r.measures = []hostapi.Measure{{
			Name: "sandbox", Gap: "commands can do what the host's user can", Fix: `the profile "off" was asked for; drop it`,
		}, processes, death}
		return r, r.openFiles()
	}
	r.unbounded = r.boundSpace()
	if err := r.boundWatches(); err != nil {
		r.has("watches", "", "a command can take all watches of folders that the host's user may have ("+err.Error()+")", "let /proc/sys/user be written in user namespaces")
	}
	if err := r.enterNetwork(); err != nil { // before the view, which holds the resolver's file
		return nil, err
	}
	if s.Spaces.View {
		var exposed *exposedError
		if err := r.enterView(s, strange); errors.As(err, &exposed) {
			return nil, err // without a view it is exposed too
		} else if err != nil {
			return nil, &lessError{err}
		}
		r.has("modes", "a view of its own, read-only outside", "", "")
		if r.unwatched != nil {
			r.has("secrets", "", "a command sees keys that are replaced while it runs ("+r.unwatched.Error()+")", "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches")
		}
	}
	if err := r.settleOwn(); err != nil {
		return nil, err
	}
	r.limitProtected()
	r.limitMachine()
	if s.Spaces.PID {
		if err := ignoreSignals(); err != nil {
			return nil, &lessError{err}
		}
		r.has("processes seen", "a /proc of its own", "", "")
	}
	r.limitFiles()
	r.limitCalls()
	if err := roomForHolder(r.policy.Limits.OrDefault()); err != nil {
		return nil, err
	}
	if err := limitProcesses(r.policy.Limits.OrDefault()); err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	var ids unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &ids); err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	r.mostIDs = ids.Max
	r.limitIDs()
	r.measures = append(r.measures, processes, death)
	return r, r.openFiles()
}

// openFiles opens the null device, for streams that a command lacks, and /proc/loadavg.
func (r *room) openFiles() (err error) {
	if r.births, err = unix.Open("/proc/loadavg", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		r.births = -1 // then the processes of each command are counted
	}
	if r.null, err = unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	for _, stream := range []int{0, 1} { // they were the host's
		if err := unix.Dup3(r.null, stream, unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("stream %d: %w", stream, err)
		}
	}
	return nil
}

func (r *room) has(name, by, gap, fix string) {
	r.measures = append(r.measures, hostapi.Measure{Name: name, By: by, Gap: gap, Fix: fix})
}

// start starts a command from an idle place. The caller lets only one start at a time,
// because the mark is the process's own. ours is the host's side of the command's
// pseudo-terminal.
func (r *room) start(o startOrder, fds []int) (pid int, from *place, ours []int, err error) {
	r.mark = r.mark.of()
	if err := r.mark.set(); err != nil {
		return 0, nil, nil, fmt.Errorf("mark the command: %w", err)
	}
	if n := len(r.idle); n > 0 {
		from, r.idle = r.idle[n-1], r.idle[:n-1]
	} else if from, err = r.newPlace(); err != nil {
		return 0, nil, nil, err
	}
	if o.Pty != nil {
		pty, theirs, err := r.pty(from, *o.Pty)
		if err != nil {
			r.idle = append(r.idle, from)
			return 0, nil, nil, err
		}
		defer unix.Close(theirs)
		ours, fds = []int{pty}, []int{theirs}
	}
	streams := make([]uintptr, 3)
	for i, given := range o.Streams {
		streams[i] = uintptr(r.null)
		if given && len(fds) > 0 {
			streams[i], fds = uintptr(fds[0]), fds[1:]
		}
		if o.Pty != nil && len(fds) > 0 {
			streams[i] = uintptr(fds[0])
		}
	}
	env := o.Env
	if from.temp != "" {
		env = append(without(env, "TMPDIR"), "TMPDIR="+from.temp)
	}
	attr := &syscall.ProcAttr{Dir: o.Dir, Env: env, Files: streams, Sys: &syscall.SysProcAttr{Setpgid: true}}
	if o.Pty != nil {
		attr.Sys = leading()
	}
	if !r.spaces.PID { // there it ends with the holder anyway
		attr.Sys.Pdeathsig = unix.SIGKILL
	}
	if !r.policy.off() {
		if err := r.allowIDs(false); err != nil {
			closeAll(ours)
			return 0, nil, nil, fmt.Errorf("limits: %w", err)
		}
		defer func() { _ = r.allowIDs(true) }() // for the holder again
	}
	from.do(func() { pid, err = syscall.ForkExec(o.Path, o.Args, attr) })
	if err != nil {
		r.idle = append(r.idle, from)
		closeAll(ours)
		return 0, nil, nil, err
	}
	return pid, from, ours, nil
}

func without(env []string, name string) []string {
	kept := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if !strings.HasPrefix(entry, name+"=") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// remove removes the folder for temporary files, even if it can no longer be seen.
func (r *room) remove() {
	if r.outside == nil {
		removal.Folder(r.temp)
		removeTemps(r.temp)
		return
	}
	removal.Empty(r.temp, nil)
	r.outside.remove()
}
