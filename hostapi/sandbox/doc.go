// Package sandbox starts commands that the operating system confines, and ends
// them with everything that they started. It needs nothing of scriptrun but
// the words for what is enforced: a [Policy] and an [os/exec.Cmd] go in, a
// running [Process] comes out.
//
//	func main() {
//		sandbox.Main() // commands are started by a second copy of this program; that copy stays in here
//		...
//		box, err := sandbox.Open(sandbox.Policy{Workspace: dir, Path: os.Getenv("PATH"), Home: os.Getenv("HOME")})
//		defer box.Close()
//		process, err := box.Start(&exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", line}, Dir: dir})
//		<-process.Exited()
//		process.End(2 * time.Second) // what it left behind
//		code, signal := process.Status()
//
// On Linux a box is a process, the holder, which lives in namespaces of its
// own: a view of the files in which nothing else is there, a /proc that shows
// the box alone, a network with at most a loopback, and ids that end with it.
// The holder starts commands from threads that have given up their rights
// (Landlock, seccomp, no new privileges, no capabilities), each with a /tmp
// and a /dev/shm of its own. An ordinary user has all of that through a user
// namespace, where the kernel allows one; [Box.Measures] tells what there is.
// When the host dies the holder ends, and the kernel ends the rest.
//
// On other unix systems a command has a process group, and nothing else is
// enforced. There are no commands on Windows.
package sandbox
