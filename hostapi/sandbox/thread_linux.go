package sandbox

import (
	"os"
	goruntime "runtime"

	"golang.org/x/sys/unix"
)

// onOwnThread runs f on a thread that ends with it, so that f may change the thread for
// good. It returns at once.
//
// The main thread never ends. A goroutine that runs on it holds it until another one
// has got a thread of its own.
func onOwnThread(f func()) { ownThread(f, func() {}) }

func ownThread(f, settled func()) {
	go func() {
		goruntime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			defer goruntime.UnlockOSThread()
			elsewhere := make(chan struct{})
			ownThread(f, func() { close(elsewhere) })
			<-elsewhere
			settled()
			return
		}
		settled()
		f() // never unlocked: the runtime ends the thread with the goroutine
	}()
}
