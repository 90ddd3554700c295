// Package worker is the cell that can be killed: a second process of this program, in which
// realms run, one at a time.
//
// On the host's side a [Pool] starts processes and lends them, and a [Process] sends and
// receives frames. On the other side [Serve] gives up every right that it does not need,
// sends a hello, and runs what it is sent. [Stream] and [ServeStream] are the same for a
// cell at the end of any stream.
//
// The host treats a worker as an attacker: it caps what it reads before it allocates memory,
// checks it before it uses it, never blocks on a worker, and can kill it at any time.
package worker
