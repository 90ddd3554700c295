//go:build unix && !linux

package shell_test

// attempt is for systems with a sandbox.
func attempt() {}
