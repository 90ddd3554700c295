package landlock_test

import (
	"fmt"
	"os"
	"runtime"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/landlock"
	"golang.org/x/sys/unix"
)

// A thread that can read /usr and nothing else.
func Example() {
	abi, err := landlock.ABI()
	if err != nil {
		fmt.Println("this kernel has no Landlock:", err)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: no other goroutine may run on a restricted thread
		rules, err := landlock.New(abi, false)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer rules.Close()
		if rules.Allow("/usr", landlock.Read) != nil || unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != nil || rules.Restrict() != nil {
			return
		}
		_, err = os.ReadFile("/etc/passwd")
		fmt.Println(err)
	}()
	<-done
}
