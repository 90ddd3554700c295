package sandbox

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limitProcesses bounds what the calling process starts from now on. The limit
// is on data and not on addresses: Go and Node reserve far more than they use.
func limitProcesses(l Limits) error {
	for _, limit := range []struct {
		resource int
		value    int64
	}{
		{unix.RLIMIT_DATA, l.MemoryBytes}, {unix.RLIMIT_FSIZE, l.FileBytes}, {unix.RLIMIT_NPROC, int64(l.Processes)},
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, int64(l.OpenFiles)},
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(limit.resource, &now); err != nil {
			return fmt.Errorf("limit %d: %w", limit.resource, err)
		}
		if limit.resource == unix.RLIMIT_NOFILE && limit.value == 0 {
			continue // the runtime gives commands what the host had
		}
		most := min(uint64(limit.value), now.Max)
		// Not unix.Setrlimit: this one tells the runtime that the limit on files
		// is meant.
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", limit.resource, err)
		}
	}
	return nil
}

// loopbackUp brings up the loopback interface of this network.
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
