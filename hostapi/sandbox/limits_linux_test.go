package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestTheLeastMemoryIsEnough: with the lowest allowed limit commands start, also many at once;
// a lower limit is refused by its name.
func TestTheLeastMemoryIsEnough(t *testing.T) {
	t.Parallel()
	var low *sandbox.LimitError
	if err := (sandbox.Limits{MemoryBytes: 1}).Check(); !errors.As(err, &low) || low.Name != "memoryBytes" {
		t.Fatal(err)
	}
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir, Limits: sandbox.Limits{MemoryBytes: low.Min}})
	var ends []func()
	for range 8 {
		p, _ := begin(t, box, dir, "exec sleep 1000")
		ends = append(ends, func() { p.End(0) })
	}
	if got := line(t, box, dir, "echo fine"); got.code != 0 || got.out != "fine\n" {
		t.Errorf("%+v", got)
	}
	for _, end := range ends {
		end()
	}
}

// stackTest names the part of a test that runs with larger stacks.
const stackTest = "SCRIPTRUN_TEST_STACKS"

// TestStacksThatLeaveNoRoom: threads with C have stacks of the user's size; if these alone
// exceed the commands' memory, the error names the setting.
func TestStacksThatLeaveNoRoom(t *testing.T) {
	t.Parallel()
	if os.Getenv(stackTest) != "" {
		box, err := sandbox.Open(sandbox.Policy{Workspace: t.TempDir(), Path: os.Getenv("PATH"), Home: os.Getenv("HOME"), Limits: sandbox.Limits{MemoryBytes: 1 << 30}})
		if err == nil {
			if got := line(t, box, "/", "echo fine"); got.code == 0 {
				fmt.Println("it works")
			}
			box.Close()
		}
		fmt.Println(err)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -Ss 262144 || exit 9; exec "$0" -test.run='^TestStacksThatLeaveNoRoom$'`, self)
	cmd.Env = append(os.Environ(), stackTest+"=1")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 9 {
		return // the machine allows no larger stacks
	}
	if err != nil || !bytes.Contains(out, []byte("it works")) && !strings.Contains(string(out), "[sandbox.limits] memoryBytes is 1073741824; expected at least ") {
		t.Errorf("%v\n%s", err, out)
	}
}
