package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// initialised matches a package in the Go runtime's output with GODEBUG=inittrace=1.
var initialised = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes,`)

// TestStartIsLight: a worker is this binary again, so every process pays for the work of
// packages before main. Leave out a package that prepares much, or make it work on demand as
// hostapi/schema does.
func TestStartIsLight(t *testing.T) {
	t.Parallel()
	const most, mostTogether = 200_000, 1_120_000 // bytes; they come with page faults, 5 µs each; 100 KB are of esbuild
	start := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^$")
	start.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := start.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total, seen := 0, false
	for _, found := range initialised.FindAllSubmatch(out, -1) {
		bytes, err := strconv.Atoi(string(found[2]))
		if err != nil {
			t.Fatal(err)
		}
		if bytes > most {
			t.Errorf("%s takes %d bytes before main; at most %d", found[1], bytes, most)
		}
		total += bytes
		seen = seen || string(found[1]) == "github.com/dop251/goja"
	}
	if !seen || total > mostTogether {
		t.Errorf("all packages take %d bytes before main; at most %d\n%s", total, mostTogether, out)
	}
}
