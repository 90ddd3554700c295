package scripttools_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// test262 is a copy of the conformance tests of the language, which are not
// part of this repository: github.com/tc39/test262.
var test262 = flag.String("test262", "", "check every .js file in a `folder`, such as a copy of tc39/test262")

// verdicts counts what became of sources.
type verdicts struct {
	mu                                        sync.Mutex
	checked, sound, refused, unread, oversize int
	slowest                                   time.Duration
	slowestFile                               string
}

func (v *verdicts) add(t *testing.T, name string, took time.Duration, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.checked++
	if took > v.slowest {
		v.slowest, v.slowestFile = took, name
	}
	switch {
	case err == nil:
		v.sound++
		return
	case errors.As(err, new(*runtime.SourceSizeError)):
		v.oversize++
		return
	case strings.Contains(err.Error(), "the engine cannot read"):
		v.unread++
	default:
		v.refused++
	}
	for _, never := range []string{"died", "took more than", "could not be checked", "no answer"} {
		if strings.Contains(err.Error(), never) && strings.Contains(err.Error(), "check") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEveryFileIsChecked takes each file of a folder for a tool file, with a
// header before it, and for a body. It does nothing unless a folder is named.
func TestEveryFileIsChecked(t *testing.T) {
	if *test262 == "" {
		return
	}
	runner, err := runtime.New(runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	paths := make(chan string)
	var files, bodies verdicts
	var checking sync.WaitGroup
	for i := range goruntime.GOMAXPROCS(0) {
		file := filepath.Join(t.TempDir(), "tool"+string(rune('a'+i))+".js")
		checking.Go(func() {
			for path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					continue
				}
				began := time.Now()
				_, err = runner.Compile(t.Context(), runtime.Source{Name: "eval", Body: text, FunctionBody: true})
				bodies.add(t, path, time.Since(began), err)
				if err := os.WriteFile(file, append([]byte("/*---\nkind: script\ndescription: It is checked.\n---*/\n"), bytes.TrimPrefix(text, []byte("\ufeff"))...), 0o600); err != nil {
					t.Error(err)
					continue
				}
				began = time.Now()
				_, err = scripttools.LoadFile(t.Context(), runner, file, "")
				files.add(t, path, time.Since(began), err)
			}
		})
	}
	err = filepath.WalkDir(*test262, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".js" {
			paths <- path
		}
		return err
	})
	close(paths)
	checking.Wait()
	if err != nil || files.checked == 0 {
		t.Errorf("%d files were checked: %v", files.checked, err)
	}
	for what, v := range map[string]*verdicts{"tool files": &files, "bodies": &bodies} {
		t.Logf("%d %s: %d sound, %d refused, %d that the engine cannot read, %d too large; the slowest took %v: %s",
			v.checked, what, v.sound, v.refused, v.unread, v.oversize, v.slowest.Round(time.Millisecond), v.slowestFile)
	}
}
