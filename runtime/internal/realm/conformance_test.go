package realm

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The conformance tests of the language are not part of this repository:
// github.com/tc39/test262. With a copy,
//
//	go test ./runtime/internal/realm -run TestConformance -timeout 1h -test262.dir FOLDER
//
// runs them in the realm of a run, and compares what fails with testdata/test262.txt.
var (
	test262       = flag.String("test262.dir", "", "run the tests in a `folder`, a copy of tc39/test262")
	test262Only   = flag.String("test262.only", "", "run those whose path below test/ begins with a `prefix`; several are parted by commas")
	test262Update = flag.Bool("test262.update", false, "take out of testdata/test262.txt what passes now; write it anew if it is empty")
	test262Show   = flag.Bool("test262.show", false, "show why each test failed")
	test262Table  = flag.String("test262.table", "", "write every verdict to a `file`, as lines of JSON")
)

// verdict is what became of one test.
type verdict struct {
	Path string // below test/
	Not  string // why it does not apply
	Fail string // why it failed; empty if it passed
	Why  string // the reason under which a failure is listed
	MS   int64
}

// TestConformance does nothing unless a folder is named.
func TestConformance(t *testing.T) { //nolint:paralleltest // it takes all processors
	if *test262 == "" {
		return
	}
	paths, verdicts := make(chan string), make(chan verdict)
	var running sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) {
		running.Go(func() {
			for {
				if !conformanceChild(t, paths, verdicts) {
					return
				}
			}
		})
	}
	go func() {
		defer close(paths)
		if err := conformancePaths(func(path string) { paths <- path }); err != nil {
			t.Error(err)
		}
	}()
	go func() { running.Wait(); close(verdicts) }()
	var all []verdict
	for v := range verdicts {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b verdict) int { return strings.Compare(a.Path, b.Path) })
	if *test262Show {
		for _, v := range all {
			if v.Fail != "" {
				t.Logf("%s: %s", v.Path, v.Fail)
			}
		}
	}
	if *test262Table != "" {
		writeVerdicts(t, *test262Table, all)
	}
	t.Log("\n" + conformanceTable(all))
	compareKnown(t, all)
}

func writeVerdicts(t *testing.T, file string, all []verdict) {
	t.Helper()
	var b strings.Builder
	for _, v := range all {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func conformancePaths(each func(path string)) error {
	base := filepath.Join(*test262, "test")
	return filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Ext(path) != ".js" || strings.Contains(path, "_FIXTURE") {
			return err
		}
		rel, err := filepath.Rel(base, path)
		if err == nil && chosen(filepath.ToSlash(rel)) {
			each(filepath.ToSlash(rel))
		}
		return err
	})
}

func chosen(path string) bool {
	return *test262Only == "" || slices.ContainsFunc(strings.Split(*test262Only, ","), func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// conformanceChild runs tests in a process that can be killed, until there are no more or it
// ends. It is false when there are no more.
func conformanceChild(t *testing.T, paths <-chan string, verdicts chan<- verdict) bool {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestConformanceChild$", "-test.timeout=0", "-test262.dir="+*test262) //nolint:gosec // it is this program
	child.Env = append(os.Environ(), childOf262+"=1", "GOMAXPROCS=2", "GOTRACEBACK=none")
	in, err1 := child.StdinPipe()
	out, err2 := child.StdoutPipe()
	if err1 != nil || err2 != nil || child.Start() != nil {
		t.Error("the child does not start", err1, err2)
		return false
	}
	defer func() { _ = child.Wait() }()
	defer in.Close()
	lines := bufio.NewReader(out)
	for path := range paths {
		if _, err := fmt.Fprintln(in, path); err != nil {
			verdicts <- verdict{Path: path, Fail: "crash: the process was gone"}
			return true
		}
		kill := time.AfterFunc(conformanceCap+5*time.Second, func() { _ = child.Process.Kill() })
		line, err := lines.ReadString('\n')
		kill.Stop()
		v := verdict{Path: path, Fail: "crash: the process died"}
		if err == nil {
			err = json.Unmarshal([]byte(line), &v)
		}
		verdicts <- v
		if err != nil || strings.HasPrefix(v.Fail, abandoned) {
			_ = child.Process.Kill()
			return true
		}
	}
	return false
}

// conformanceTable is the share that passed of what applies, by folder.
func conformanceTable(all []verdict) string {
	type count struct{ passed, applies, not int }
	counts := map[string]*count{}
	reasons := map[string]int{}
	for _, v := range all {
		parts := strings.Split(v.Path, "/")
		groups := []string{"all", parts[0]}
		if len(parts) > 2 {
			groups = append(groups, parts[0]+"/"+parts[1])
		}
		if parts[0] == "language" && len(parts) > 3 {
			groups = append(groups, strings.Join(parts[:3], "/"))
		}
		for _, group := range groups {
			c := counts[group]
			if c == nil {
				c = &count{}
				counts[group] = c
			}
			switch {
			case v.Not != "":
				c.not++
			case v.Fail == "":
				c.passed++
				fallthrough
			default:
				c.applies++
			}
		}
		if v.Not != "" {
			reasons[v.Not]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-50s %7s %7s %6s %s\n", "group", "applies", "passed", "%", "not applied")
	for _, group := range sortedKeys(counts) {
		c := counts[group]
		fmt.Fprintf(&b, "%-50s %7d %7d %6.1f %d\n", group, c.applies, c.passed, 100*float64(c.passed)/float64(max(c.applies, 1)), c.not)
	}
	for _, reason := range sortedKeys(reasons) {
		fmt.Fprintf(&b, "does not apply: %5d %s\n", reasons[reason], reason)
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
