//go:build !unix

package serve

import "io"

// gone is never closed here: a client is gone when a read or a write says so.
func gone(<-chan struct{}, io.Writer) <-chan struct{} { return make(chan struct{}) }
