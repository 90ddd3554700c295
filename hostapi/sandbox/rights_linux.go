package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// keptCapabilities are those that root needs for other users' files. Without CAP_FSETID a
// file that is written no longer runs as its owner.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_FOWNER

// dropCapabilities takes all other capabilities from the calling thread alone. Without
// new privileges no program gets them back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	if data[0].Permitted|data[1].Permitted == 0 {
		return nil
	}
	kept := [2]uint32{keptCapabilities, 0}
	for i := range data {
		data[i].Effective &= kept[i]
		data[i].Permitted &= kept[i]
		data[i].Inheritable = 0
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}
