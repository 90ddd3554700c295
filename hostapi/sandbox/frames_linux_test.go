package sandbox_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestTextsArriveAsTheyAre: a command gets the exact arguments, variables and folder that it
// was started with, empty ones and those that are not UTF-8 too.
func TestTextsArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a\xff b")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	box := open(t, sandbox.Policy{Workspace: dir})
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	process, err := box.Start(&exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", `printf '%s|' "$#" "$@" "$A" "${B-unset}" "${C-unset}" "$PWD"`, "sh", "", "\xfe", "c\nd", ""},
		Env: []string{"A=\xc3(", "B="}, Dir: dir, Stdout: write,
	})
	_ = write.Close()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(read)
	process.End(0)
	if want := "4||\xfe|c\nd||\xc3(||unset|" + dir + "|"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// FuzzFrames: no frame makes its reader fail with more than an error.
func FuzzFrames(f *testing.F) {
	for _, frame := range sandbox.Frames() {
		f.Add(frame)
		f.Add(frame[:len(frame)/2])
	}
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, frame []byte) { sandbox.ReadFrame(frame) })
}
