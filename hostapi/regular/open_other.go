//go:build !unix

package regular

// withoutWaiting: there are no pipes with names among the files here.
const withoutWaiting = 0
