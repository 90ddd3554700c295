//go:build !unix

package serve

// gone is never closed here: a client is gone when a read or a write says so.
func gone(<-chan struct{}, any) <-chan struct{} { return make(chan struct{}) }
