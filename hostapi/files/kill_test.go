package files_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
)

// writerVariable names the folder where this program, started again, writes
// until it is killed.
const writerVariable = "SCRIPTRUN_TEST_WRITER"

// versions of a file that a writer puts in place of each other.
var versions = []string{strings.Repeat("old\n", 5000), strings.Repeat("new!\n", 7000)}

func writeUntilKilled(dir string, named bool) {
	w, err := files.Open(dir)
	if err != nil {
		panic(err)
	}
	if named {
		w.WithoutUnnamedFiles()
	}
	var tool hostapi.Tool
	for _, t := range w.Tools() {
		if t.Name() == "write" {
			tool = t
		}
	}
	for i := 0; ; i++ {
		name := "f"
		if i%8 == 7 {
			name = fmt.Sprintf("new/%d/n", os.Getpid()*1000000+i)
		}
		args, err := json.Marshal(map[string]string{"file_path": name, "content": versions[i%2]})
		if err != nil {
			panic(err)
		}
		if result, err := tool.Invoke(context.Background(), hostapi.Call{Tool: "write", Args: args}); err != nil || result.ExitCode != 0 {
			panic(fmt.Sprint(result.Output, err))
		}
		if i == 10 {
			fmt.Println("writing")
		}
	}
}

// TestKilledWritersLeaveNothing: a process that writes without pause is killed,
// again and again. Files are whole, old or new, and nothing else is there once the
// workspace is opened.
func TestKilledWritersLeaveNothing(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{"unnamed": nil, "named": {writerVariable + "_NAMED=1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, map[string]string{"f": versions[0]})
			left, kills := 0, 25
			if testing.Short() {
				kills = 10
			}
			for range kills {
				killedWriter(t, dir, set)
				if _, err := os.Lstat(filepath.Join(dir, ".scriptrun-tmp")); err == nil {
					left++
				}
				w, err := files.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
				wholeOnly(t, dir)
			}
			t.Logf("%d of %d kills left the staging folder for Open to remove", left, kills)
		})
	}
}

// killedWriter runs a writer, and kills it at some moment of its writing.
func killedWriter(t *testing.T, dir string, set []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), writerVariable+"="+dir), set...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "writing\n" {
		t.Fatalf("the writer says %q, %v", line, err)
	}
	<-time.After(time.Duration(rand.Int64N(int64(3 * time.Millisecond)))) // any moment is as good
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // that it was killed
}

// wholeOnly: the file and the new ones are whole, and nothing else is there.
func wholeOnly(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(path, dir)
		if err != nil || entry.IsDir() && (rel == "" || strings.HasPrefix(rel, "/new")) {
			return err
		}
		text, err := os.ReadFile(path)
		if rel != "/f" && !(strings.HasPrefix(rel, "/new/") && entry.Name() == "n") {
			t.Errorf("left behind: %s", rel)
		} else if string(text) != versions[0] && string(text) != versions[1] {
			t.Errorf("%s is neither the old nor the new content: %d bytes", rel, len(text))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
}

// TestOpenLeavesWritersAlone: what is swept is what nobody writes any more. Others
// open the same folder and write in it all the time.
func TestOpenLeavesWritersAlone(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*files.Workspace){"unnamed": func(*files.Workspace) {}, "named": (*files.Workspace).WithoutUnnamedFiles} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := workspace(t, map[string]string{"0": "x", "1": "x", "2": "x"})
			var writers, openers sync.WaitGroup
			done := make(chan struct{})
			openers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if w, err := files.Open(p.dir); err != nil || w.Close() != nil {
						t.Error(err)
					}
				}
			})
			for i := range 3 {
				w, err := files.Open(p.dir)
				if err != nil {
					t.Fatal(err)
				}
				set(w)
				t.Cleanup(func() { w.Close() })
				writers.Go(func() {
					for range 100 {
						if r := invoke(t, w, "write", map[string]any{"file_path": fmt.Sprint(i), "content": versions[0]}); r.ExitCode != 0 {
							t.Error(r.Output)
						}
					}
				})
			}
			writers.Wait()
			close(done)
			openers.Wait()
			if left := leftovers(t, p.dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// invoke calls a tool of a workspace, past any gate.
func invoke(tb testing.TB, w *files.Workspace, name string, args map[string]any) hostapi.Result {
	tb.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		tb.Fatal(err)
	}
	for _, tool := range w.Tools() {
		if tool.Name() == name {
			result, err := tool.Invoke(tb.Context(), hostapi.Call{Tool: name, Args: raw})
			if err != nil {
				tb.Error(err)
			}
			return result
		}
	}
	tb.Fatalf("there is no tool %s", name)
	return hostapi.Result{}
}
