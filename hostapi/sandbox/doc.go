// Package sandbox starts commands that the operating system confines, and ends
// them with everything that they started. It needs nothing of scriptrun except
// the type that reports what is enforced: a [Policy] and an [os/exec.Cmd] go in, a
// running [Process] comes out.
//
//	func main() {
//		sandbox.Main() // a second copy of this program starts commands; that copy stays in here
//		...
//		box, err := sandbox.Open(sandbox.Policy{Workspace: dir, Path: os.Getenv("PATH"), Home: os.Getenv("HOME")})
//		defer box.Close()
//		process, err := box.Start(&exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", line}, Dir: dir})
//		<-process.Exited()
//		process.End(2 * time.Second) // ends what it left behind
//		code, signal := process.Status()
//
// On Linux a box is a process, the holder, which lives in namespaces of its
// own: a view with only the granted files, a /proc that shows
// only the box, a network with at most a loopback, and process ids that end with it.
// The holder starts commands from threads that have given up their rights
// (Landlock, seccomp, no new privileges, no capabilities), each with a /tmp
// and a /dev/shm of its own. An ordinary user gets all of that through a user
// namespace, if the kernel allows one; [Box.Measures] says what is enforced.
// When the host dies the holder ends, and the kernel ends the rest.
//
// On other unix systems a command has a process group, and nothing else is
// enforced. There are no commands on Windows.
package sandbox
