//go:build amd64 || arm64

package worker

import (
	"debug/elf"
	"errors"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/landlock"
	"golang.org/x/sys/unix"
)

// fence denies the calling thread, and what it starts, every path but the program itself,
// every TCP port, and signals and abstract sockets of others, as far as the kernel's Landlock
// can. It returns what it denies.
func fence() ([]string, error) {
	abi, err := landlock.ABI()
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) {
		return nil, nil // a kernel without it; seccomp denies the calls
	}
	if err == nil {
		err = restrict(abi)
	}
	if err != nil {
		return nil, fmt.Errorf("landlock: %w", err)
	}
	denied := "landlock: no paths"
	if abi >= 4 {
		denied += ", no ports"
	}
	if abi >= 6 {
		denied += ", no signals"
	}
	return []string{denied}, nil
}

func restrict(abi int) error {
	rules, err := landlock.New(abi, false)
	if err != nil {
		return err
	}
	defer func() { _ = rules.Close() }()
	for _, path := range needs() {
		if err := rules.Allow(path, unix.LANDLOCK_ACCESS_FS_EXECUTE|unix.LANDLOCK_ACCESS_FS_READ_FILE); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	return rules.Restrict()
}

// needs are the paths that this program needs to start: itself, and the system's libraries
// if it is linked to any.
func needs() []string {
	paths := []string{program}
	file, err := elf.Open(program)
	if err != nil {
		return paths
	}
	defer func() { _ = file.Close() }()
	if libraries, err := file.ImportedLibraries(); err == nil && len(libraries) > 0 {
		paths = append(paths, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
	}
	return paths
}
