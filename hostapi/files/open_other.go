//go:build !unix

package files

// nonblock: there are no pipes with names among the files here.
const nonblock = 0
