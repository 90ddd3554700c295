//go:build unix

package shell_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"go.uber.org/goleak"
)

// trace is a variable that every command of these tests is given, so that what
// is left of them can be told from the rest of the machine.
var trace = fmt.Sprintf("SHELL_TEST_RUN=%d", os.Getpid())

func TestMain(m *testing.M) {
	sandbox.Main()
	attempt() // does not return in a copy of this program inside a sandbox
	if _, err := exec.LookPath("bash"); err != nil {
		fmt.Fprintln(os.Stderr, "these tests need bash; install it:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if left := carrying(trace); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "processes are left:", left)
			code = 1
		}
		os.Exit(code)
	}))
}

// newLocal is a backend that ends with the test.
func newLocal(t testing.TB) *shell.Local {
	t.Helper()
	local := new(shell.Local)
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return local
}

// carrying lists the living processes, other than this one, that have this
// entry in their environment or that are children of this one. It knows of
// none where there is no /proc.
func carrying(entry string) (found []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		has := strings.Contains("\x00"+string(env), "\x00"+entry+"\x00")
		if fields[0] != "Z" && (has || fields[1] == strconv.Itoa(os.Getpid())) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			found = append(found, filepath.Base(filepath.Dir(path))+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

var tormentSerial struct {
	sync.Mutex
	n int
}

// tormentTag is a length of time to sleep that nobody else asks for.
func tormentTag() string {
	tormentSerial.Lock()
	defer tormentSerial.Unlock()
	tormentSerial.n++
	return fmt.Sprintf("60.%d%06d", os.Getpid(), tormentSerial.n)
}

// tagged lists the living processes whose command line holds the tag.
func tagged(tag string) (found []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(tag)) && !bytes.Contains(text, []byte("scriptrun-keeper")) {
			found = append(found, path+": "+string(bytes.ReplaceAll(text, []byte{0}, []byte{' '})))
		}
	}
	return found
}
