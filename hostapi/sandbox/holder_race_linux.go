//go:build linux && race

package sandbox

// detector is the race detector's setting for holders: by default each waits a second
// before it ends.
var detector = []string{"GORACE=atexit_sleep_ms=0"}
