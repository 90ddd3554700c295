//go:build linux && !race

package sandbox

var detector []string
