//go:build amd64 || arm64

package runtime_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// A checker that somebody stopped says nothing about a source: it is checked
// again, and nothing is remembered of it.
func TestAStoppedCheckerIsNotTheSourcesFault(t *testing.T) { //nolint:paralleltest // all workers of the process are stopped
	runner := workers(t, runtime.Options{})
	if _, err := runner.Compile(t.Context(), runtime.Source{Name: "a.js", Body: []byte("return 1"), FunctionBody: true}); err != nil {
		t.Fatal(err)
	}
	stopped := 0
	for deadline := time.Now().Add(2 * time.Second); stopped == 0; { // one may be about to start
		if time.Now().After(deadline) {
			t.Log("no worker is kept here that could be stopped") // as under the race detector, which takes their memory
			return
		}
		for _, path := range children(t) {
			line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err == nil && bad == nil && strings.HasPrefix(string(line), "scriptrun-worker") && syscall.Kill(pid, syscall.SIGSTOP) == nil {
				stopped++
			}
		}
	}
	source := runtime.Source{Name: "b.js", Body: []byte("return 2"), FunctionBody: true, MaxCheck: 500 * time.Millisecond}
	var err error
	for range stopped + 1 { // those that are stopped are met, and ended
		if _, err = runner.Compile(t.Context(), source); err == nil {
			return
		}
		if !strings.Contains(err.Error(), "too little processor time in 2 s; try again") {
			t.Fatal(err)
		}
	}
	t.Error(err)
}
