//go:build linux && race

package sandbox

// detector is the race detector's setting for holders: each would wait a second
// before it ends.
var detector = []string{"GORACE=atexit_sleep_ms=0"}
