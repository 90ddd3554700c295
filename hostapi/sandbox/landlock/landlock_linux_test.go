package landlock_test

import (
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/landlock"
	"golang.org/x/sys/unix"
)

// TestRightsThatAKernelDoesNotKnowAreLeftOut: each version up to this kernel's accepts rules
// for folders, files and devices, whichever of their rights it restricts.
func TestRightsThatAKernelDoesNotKnowAreLeftOut(t *testing.T) {
	t.Parallel()
	latest, err := landlock.ABI()
	if err != nil {
		t.Logf("this kernel has no Landlock: %v", err)
		return
	}
	for abi := 1; abi <= latest; abi++ {
		rules, err := landlock.New(abi, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/", "/etc/passwd", "/dev/null", "/dev/pts", "/none"} {
			for _, rights := range []uint64{
				landlock.Read, landlock.Write, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, unix.LANDLOCK_ACCESS_FS_TRUNCATE,
				unix.LANDLOCK_ACCESS_FS_REFER, unix.LANDLOCK_ACCESS_FS_READ_DIR,
			} {
				if err := rules.Allow(path, rights); err != nil {
					t.Errorf("version %d, %s, %#x: %v", abi, path, rights, err)
				}
			}
		}
		if err := rules.Close(); err != nil {
			t.Error(err)
		}
	}
}
