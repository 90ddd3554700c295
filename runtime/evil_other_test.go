//go:build !linux

package runtime_test

// evilMain is for systems with workers.
func evilMain() {}
