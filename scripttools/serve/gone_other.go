//go:build !unix

package serve

// gone is never closed here: only a failed read or write shows that a client is gone.
func gone(<-chan struct{}, any) <-chan struct{} { return make(chan struct{}) }
