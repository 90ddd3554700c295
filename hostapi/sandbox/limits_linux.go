package sandbox

import (
	"fmt"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limitProcesses bounds all that the calling process starts from now on. Memory is
// bounded by data and not by addresses: Go and Node reserve far more than they use.
func limitProcesses(l Limits) error {
	for _, limit := range []struct {
		resource int
		value    int64
	}{
		{unix.RLIMIT_DATA, l.MemoryBytes}, {unix.RLIMIT_FSIZE, l.FileBytes}, {unix.RLIMIT_NPROC, int64(l.Processes) + spareIDs},
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, int64(l.OpenFiles)},
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(limit.resource, &now); err != nil {
			return fmt.Errorf("limit %d: %w", limit.resource, err)
		}
		if limit.resource == unix.RLIMIT_NOFILE && limit.value == 0 {
			continue // the Go runtime gives commands the host's limit
		}
		most := min(uint64(limit.value), now.Max)
		// Unlike unix.Setrlimit, this one tells the Go runtime that the limit on
		// files is intended.
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", limit.resource, err)
		}
	}
	return nil
}

// loopbackUp brings up the loopback interface of the calling process's network.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(request)))
	if errno != 0 {
		return errno
	}
	return nil
}

// usualStack is the stack that the C library usually gives a thread.
const usualStack = 8 << 20

// roomForHolder refuses a memory limit below the need of the calling process, which has
// that limit too. Most of it is stacks, whose size a user can set. If that may be too
// much, roomForHolder measures it: threads of a program without C have small stacks.
func roomForHolder(l Limits) error {
	var stack unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &stack); err != nil || stack.Cur == unix.RLIM_INFINITY {
		stack.Cur = usualStack
	}
	if holderNeeds(spareThreads*stack.Cur, stack.Cur) <= uint64(l.MemoryBytes) {
		return nil
	}
	warmThreads()
	text, err := os.ReadFile("/proc/self/statm")
	sizes := strings.Fields(string(text))
	if err != nil || len(sizes) < 6 {
		return nil //nolint:nilerr // then the limit is tried
	}
	pages, _ := strconv.ParseUint(sizes[5], 10, 64) // the kernel writes numbers
	need := holderNeeds(pages*uint64(os.Getpagesize()), stack.Cur)
	if need <= uint64(l.MemoryBytes) {
		return nil
	}
	return fmt.Errorf("[sandbox.limits] memoryBytes is %d; expected at least %d, for the process that starts commands: each of its threads has a stack of %d (ulimit -s)", l.MemoryBytes, need, stack.Cur)
}

// holderNeeds is the memory that a process needs if its data with its spare threads is
// that large.
func holderNeeds(data, stack uint64) uint64 {
	if data < spareThreads*stack {
		stack = 0 // the Go runtime chooses its size
	}
	return data + 16*stack + 128<<20
}

// sharedBytes is the size of /dev/shm: a quarter of the machine's memory, and less than
// a control group's bound, because files there outlive the processes that are killed.
func sharedBytes(l Limits) uint64 {
	most := uint64(l.MemoryBytes) / 2
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		most = min(most, info.Totalram*uint64(info.Unit)/4)
	}
	return most
}

// warmThreads makes threads that the Go runtime keeps for later. A Go process that gets
// no thread ends, and commands can use up all ids.
func warmThreads() {
	var ready, end sync.WaitGroup
	ready.Add(spareThreads)
	hold := make(chan struct{})
	for range spareThreads {
		end.Go(func() {
			goruntime.LockOSThread() // a thread each, while all of them wait
			defer goruntime.UnlockOSThread()
			ready.Done()
			<-hold
		})
	}
	ready.Wait()
	close(hold)
	end.Wait()
}

// spareThreads is how many threads a holder needs while ids are short.
const spareThreads = 32

// spareIDs are the processes and threads that the holder may have beyond the limit of
// its commands, so that they cannot stop it from starting or ending another.
const spareIDs = 256

// limitIDs reports what bounds processes and threads. The limit does not apply to root;
// for root the namespace of process ids is made smaller, if the kernel has a size for
// each.
func (r *room) limitIDs() {
	by := "limits of each process"
	if r.memoryGroup {
		by += ", a control group for the memory of all"
	}
	switch {
	case os.Geteuid() != 0:
		r.has("resources", by+", and of the number of processes", "", "")
	case r.processGroup:
		r.has("resources", by+", and one for their number", "", "")
	case r.spaces.PID && pidsHaveSizes():
		if r.unbounded != nil {
			r.has("resources", by, "a command can start processes without end ("+r.unbounded.Error()+")", "run scriptrun as an ordinary user")
			return
		}
		r.has("resources", by+", and a small space of process ids", "", "")
	default:
		r.has("resources", by, "a command of root can start processes without end", "run scriptrun as an ordinary user, or on Linux 6.14 or newer")
	}
}

// boundSpace makes the namespace of process ids smaller if nothing else bounds the
// number of processes. It must run before /proc is read-only.
func (r *room) boundSpace() error {
	if os.Geteuid() != 0 || r.processGroup || !r.spaces.PID || !pidsHaveSizes() {
		return nil
	}
	size := strconv.Itoa(max(r.policy.Limits.OrDefault().Processes+spareIDs, 400)) // the kernel wants some 300
	return os.WriteFile("/proc/sys/kernel/pid_max", []byte(size), 0)
}

// allowIDs bounds the processes and threads of the calling process and of all that it
// starts from then on; spare is the bound for the holder itself.
func (r *room) allowIDs(spare bool) error {
	n := uint64(r.policy.Limits.OrDefault().Processes) + spareThreads // those of the holder count too
	most := r.mostIDs
	limit := unix.Rlimit{Cur: min(n, most), Max: most}
	if spare {
		limit.Cur = most
	}
	return unix.Setrlimit(unix.RLIMIT_NPROC, &limit)
}

// pidsHaveSizes reports whether each namespace of process ids has a size of its own.
func pidsHaveSizes() bool { return kernelAtLeast(6, 14) }

// kernelAtLeast reports whether the kernel is of this version or newer.
func kernelAtLeast(major, minor int) bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	var have [2]int
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &have[0], &have[1]); n != 2 {
		return false
	}
	return have[0] > major || have[0] == major && have[1] >= minor
}
