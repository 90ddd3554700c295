// Package worker is the cell that can be killed: a second process of this
// program, in which realms run, one at a time.
//
// The host's side is [Pool], which starts processes and lends them, and
// [Process], to which frames are sent and from which they are read. The other
// side is [Serve]: it gives up every right that it does not need, says hello,
// and runs what it is sent.
//
// The host takes a worker for an attacker: what it reads is capped before it
// is allocated and checked before it is believed, nothing it does or fails to
// do blocks the host, and it can be killed at any time.
package worker
