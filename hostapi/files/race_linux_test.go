package files_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"golang.org/x/sys/unix"
)

// swaps is a workspace where other hands swap files and folders of src for links
// that lead out of it, as fast as they can.
type swaps struct {
	*place
	t    *testing.T
	gate *hostapi.Gate
	seq  int
	ok   map[string]int
}

var granted = []string{"read", "write", "edit", "ls", "grep", "glob", "search", "delete", "move", "json", "yaml"}

func newSwaps(t *testing.T, set func(*files.Workspace)) *swaps {
	p := workspace(t, map[string]string{
		"src/swap.txt": "inside", "src/j": `"inside"`, "src/d/f.txt": "inside", "src/d/e/g.txt": "inside", "src/p/h.txt": "inside",
		"other/swap.txt": stranger, "other/j": `"` + stranger + `"`, "other/d/f.txt": stranger, "other/d/e/g.txt": stranger, "other/d/" + stranger: stranger, "other/d/e/" + stranger: stranger,
	})
	put(t, filepath.Dir(p.dir), map[string]string{"far/f.txt": stranger, "far/e/g.txt": stranger, "far/" + stranger: stranger})
	if err := os.Mkdir(filepath.Join(p.dir, "spare"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := files.Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	set(w)
	registry, err := hostapi.NewRegistry(w.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	var allow []hostapi.Rule
	for _, name := range granted {
		allow = append(allow, hostapi.Rule{Tool: name, Pattern: "src/**"})
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList(allow)}, Quota: hostapi.Quota{MaxToolCalls: 1 << 20, MaxTotalBytes: 1 << 40}})
	t.Cleanup(func() { gate.Close(0) })
	return &swaps{place: p, t: t, gate: gate, ok: map[string]int{}}
}

// start swaps until the test tells it to stop.
func (s *swaps) start() (stop func()) {
	at := func(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }
	link(s.t, s.dir, "../other/d", "spare/near")
	link(s.t, s.dir, "../../far", "spare/far")
	hands := []func(){
		func() { // a file for a link, and back
			_ = os.Symlink("../other/swap.txt", at("spare/l"))
			_ = os.Rename(at("spare/l"), at("src/swap.txt"))
			_ = os.WriteFile(at("spare/f"), []byte("inside"), 0o644)
			_ = os.Rename(at("spare/f"), at("src/swap.txt"))
			_ = os.Symlink("../other/j", at("spare/l"))
			_ = os.Rename(at("spare/l"), at("src/j"))
			_ = os.WriteFile(at("spare/f"), []byte(`"inside"`), 0o644)
			_ = os.Rename(at("spare/f"), at("src/j"))
		},
		func() { // a folder for a link, and back
			for _, to := range []string{"near", "far"} {
				for range 2 {
					_ = unix.Renameat2(unix.AT_FDCWD, at("spare/"+to), unix.AT_FDCWD, at("src/d"), unix.RENAME_EXCHANGE)
				}
			}
		},
		func() { // a folder above, moved about within src
			_ = os.Rename(at("src/p"), at("src/q"))
			_ = os.Symlink("../other/d", at("src/p"))
			_ = os.Remove(at("src/p"))
			_ = os.Rename(at("src/q"), at("src/p"))
		},
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	for _, hand := range hands {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					hand()
				}
			}
		})
	}
	return func() { close(done); group.Wait() }
}

func (s *swaps) try(tool string, args map[string]any) {
	raw, err := json.Marshal(args)
	if err != nil {
		s.t.Fatal(err)
	}
	s.seq++
	result, err := s.gate.Invoke(s.t.Context(), hostapi.Call{Seq: s.seq, Tool: tool, Args: raw})
	if err != nil {
		return // it resolved to what no rule grants
	}
	if result.ExitCode == 0 {
		s.ok[tool]++
	}
	text := result.Output + string(result.Data)
	if result.Text != nil {
		text += *result.Text
	}
	if strings.Contains(text, stranger) {
		s.t.Errorf("%s %s: a result from elsewhere: %.300s", tool, raw, text)
	}
}

// TestNoLinkLeadsElsewhereWhileItIsSwapped: what was decided on is what is opened.
// Whoever swaps links meanwhile gets nothing read, changed or made where they lead.
func TestNoLinkLeadsElsewhereWhileItIsSwapped(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*files.Workspace){
		"as the system can":     func(*files.Workspace) {},
		"without openat2":       (*files.Workspace).WithoutOpenat2,
		"without unnamed files": (*files.Workspace).WithoutUnnamedFiles,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSwaps(t, set)
			before := everything(t, filepath.Dir(s.dir), "other", "far", "secret")
			stop := s.start()
			for i := range 80 {
				text := fmt.Sprint("text ", i)
				s.try("read", map[string]any{"file_path": "src/swap.txt"})
				s.try("read", map[string]any{"file_path": "src/d/f.txt"})
				s.try("json", map[string]any{"file_path": "src/j"})
				s.try("yaml", map[string]any{"file_path": "src/j"})
				s.try("write", map[string]any{"file_path": "src/swap.txt", "content": text})
				s.try("write", map[string]any{"file_path": fmt.Sprintf("src/d/new-%d.txt", i), "content": text})
				s.try("write", map[string]any{"file_path": fmt.Sprintf("src/d/made-%d/new.txt", i), "content": text})
				s.try("write", map[string]any{"file_path": "src/p/new.txt", "content": text})
				s.try("edit", map[string]any{"file_path": "src/swap.txt", "old_string": "inside", "new_string": text})
				s.try("edit", map[string]any{"file_path": "src/d/f.txt", "old_string": "i", "new_string": "i"[:i%2] + "i"})
				s.try("ls", map[string]any{"path": "src/d"})
				s.try("ls", map[string]any{"path": "src/d/e"})
				s.try("grep", map[string]any{"path": "src", "pattern": stranger + "|inside"})
				s.try("grep", map[string]any{"path": "src/swap.txt", "pattern": "."})
				s.try("glob", map[string]any{"path": "src/d", "pattern": "**"})
				s.try("search", map[string]any{"mode": "bm25", "path": "src", "query": stranger + " inside"})
				s.try("move", map[string]any{"from": fmt.Sprintf("src/d/new-%d.txt", i), "to": fmt.Sprintf("src/d/e/moved-%d.txt", i)})
				s.try("delete", map[string]any{"path": fmt.Sprintf("src/d/e/moved-%d.txt", i)})
				s.try("delete", map[string]any{"path": fmt.Sprintf("src/d/made-%d", i)})
			}
			stop()
			if after := everything(t, filepath.Dir(s.dir), "other", "far", "secret"); after != before {
				t.Errorf("what no rule grants was\n%s\nand is\n%s", before, after)
			}
			for _, tool := range granted {
				if s.ok[tool] == 0 {
					t.Errorf("no call of %s ever succeeded", tool)
				}
			}
			s.nothingLeft()
		})
	}
}

// nothingLeft: at the top there is what the test made, and the trash.
func (s *swaps) nothingLeft() {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(path, s.dir)
		if strings.Contains(rel, ".scriptrun-") && !strings.HasPrefix(rel, "/.scriptrun-trash") {
			s.t.Errorf("left behind: %s", rel)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

// everything is the names and the contents of what lies in some folders, here and
// in the workspace.
func everything(t *testing.T, dir string, names ...string) string {
	t.Helper()
	var out strings.Builder
	for _, name := range names {
		for _, top := range []string{filepath.Join(dir, name), filepath.Join(dir, "ws", name)} {
			if _, err := os.Lstat(top); err != nil {
				continue
			}
			err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				text := []byte(entry.Type().String())
				if entry.Type().IsRegular() {
					text, err = os.ReadFile(path)
				}
				fmt.Fprintf(&out, "%s %s\n", path, text)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
	return out.String()
}
