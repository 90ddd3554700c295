package scripttools_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// What a run of a file may take, and by how much it may be late.
const (
	fileTimeout = time.Second
	fileLate    = 500 * time.Millisecond
)

var (
	includes262 = regexp.MustCompile(`(?s)\nincludes:\s*(\[[^\]]*\]|(?:\n?\s*- \S+)+)`)
	helper262   = regexp.MustCompile(`[\w./-]+\.js`)
)

// host262 is what the conformance tests expect of who runs them.
const host262 = `const print = () => {}, $262 = { global: globalThis, gc() {}, detachArrayBuffer: (b) => b.transfer() };
`

// helpers262 reads helpers of a copy of the conformance tests, as far as it has them.
type helpers262 struct {
	mu    sync.Mutex
	texts map[string]string
}

func (h *helpers262) text(name string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if text, ok := h.texts[name]; ok {
		return text
	}
	top, _, _ := strings.Cut(filepath.ToSlash(*test262)+"/", "/test/")
	text, _ := os.ReadFile(filepath.Join(top, "harness", filepath.FromSlash(name)))
	h.texts[name] = string(text) + "\n"
	return h.texts[name]
}

// body is the body of a function that runs a file after the helpers that it names.
func (h *helpers262) body(text string) []byte {
	if strings.Contains(text, "flags: [raw]") {
		return []byte(text)
	}
	head, _, _ := strings.Cut(text, "---*/")
	names := append([]string{"assert.js", "sta.js", "doneprintHandle.js"}, helper262.FindAllString(includes262.FindString(head), -1)...)
	var b strings.Builder
	b.WriteString(host262)
	for _, name := range names {
		b.WriteString(h.text(name))
	}
	b.WriteString(text)
	return []byte(b.String())
}

// endings counts how runs ended.
type endings struct {
	mu          sync.Mutex
	counts      map[runtime.Outcome]int
	slowest     time.Duration
	slowestFile string
}

func (e *endings) add(t *testing.T, path string, report *runtime.Report, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts[report.Outcome]++
	if took > e.slowest {
		e.slowest, e.slowestFile = took, path
	}
	if report.Outcome == runtime.OutcomeCrashed {
		t.Errorf("%s: %s: %v", path, report.Outcome, report.Err())
	}
	if took > fileTimeout+fileLate {
		t.Errorf("%s: %s after %v; it had %v", path, report.Outcome, took, fileTimeout)
	}
}

// TestEveryFileRuns runs each file of a folder, with the helpers of the conformance tests before
// it: however a file ends, the engine does not fail, and the run is over in time. It does nothing
// unless a folder is named.
func TestEveryFileRuns(t *testing.T) {
	if *test262 == "" {
		return
	}
	workers := goruntime.GOMAXPROCS(0)
	runner, err := runtime.New(runtime.Options{MaxWorkers: workers, SpareWorkers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	helpers := &helpers262{texts: map[string]string{}}
	ended := &endings{counts: map[runtime.Outcome]int{}}
	paths := make(chan string)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					continue
				}
				began := time.Now()
				report := runner.Run(t.Context(), runtime.Request{
					Source: &runtime.Source{Name: "eval", Body: helpers.body(string(text)), FunctionBody: true},
					Limits: runtime.Limits{Timeout: fileTimeout},
				})
				ended.add(t, path, report, time.Since(began))
			}
		})
	}
	files := 0
	err = filepath.WalkDir(*test262, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".js" {
			files++
			paths <- path
		}
		return err
	})
	close(paths)
	running.Wait()
	if err = cmp.Or(err, t.Context().Err()); err != nil || files == 0 {
		t.Errorf("%d files were run: %v", files, err)
	}
	t.Logf("%d files: %v; the slowest took %v: %s", files, ended.counts, ended.slowest.Round(time.Millisecond), ended.slowestFile)
}
