package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// refusedFor checks that a call fails, and that its error says why.
func (p *place) refusedFor(t *testing.T, tool string, args any, reason string) {
	t.Helper()
	result := p.call(t, tool, args)
	if result.Outcome != hostapi.OutcomeFailed || !strings.Contains(result.Output, reason) {
		t.Errorf("%s is %s: %.300q, not refused for %q", tool, result.Outcome, result.Output, reason)
	}
}

func TestEditMakesNoFileThatIsLargerThanOneThatIsRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 2<<20)
	p := workspace(t, map[string]string{"a.txt": text})
	// Whole, it would be a hundred gigabytes.
	p.refusedFor(t, "edit", map[string]any{"file_path": "a.txt", "old_string": "a", "new_string": strings.Repeat("b", 50_000), "replace_all": true},
		"would have 104857600000 bytes with 2097152 replaced by 50000 bytes each; 16777216 is the most")
	if p.text(t, "a.txt") != text {
		t.Error("the file was changed")
	}
	result := p.call(t, "edit", map[string]any{"file_path": "a.txt", "old_string": "a", "new_string": strings.Repeat("b", 8), "replace_all": true})
	if info, err := os.Stat(p.dir + "/a.txt"); err != nil || info.Size() != 16<<20 {
		t.Errorf("an edit to the very most is %q: %v, %v", result.Output, info, err)
	}
}

// awaited is a context that says when somebody waits for its end.
type awaited struct {
	context.Context
	waits chan struct{}
	once  sync.Once
}

func (a *awaited) Done() <-chan struct{} {
	a.once.Do(func() { close(a.waits) })
	return a.Context.Done()
}

func TestWriterThatWaitsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": "a"})
	w := openWorkspace(t, p.dir)
	done, err := w.StartWriting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]string{
		"write": `{"file_path":"a.txt","content":"b"}`, "edit": `{"file_path":"a.txt","old_string":"a","new_string":"b"}`,
		"delete": `{"path":"a.txt"}`, "move": `{"from":"a.txt","to":"b.txt"}`,
	}
	for _, tool := range w.Tools() {
		args, writes := calls[tool.Name()]
		if !writes {
			continue
		}
		inner, cancel := context.WithCancel(t.Context())
		ctx := &awaited{Context: inner, waits: make(chan struct{})}
		ended := make(chan error, 1)
		go func() {
			_, err := tool.Invoke(ctx, hostapi.Call{Seq: 1, Tool: tool.Name(), Args: json.RawMessage(args)})
			ended <- err
		}()
		select {
		case <-ctx.waits:
		case err := <-ended:
			t.Fatalf("%s did not wait: %v", tool.Name(), err)
		case <-time.After(time.Minute):
			t.Fatalf("%s does not wait for its context", tool.Name())
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", tool.Name(), err)
		}
	}
	done()
	if p.text(t, "a.txt") != "a" {
		t.Error("one of them wrote")
	}
}

func TestPatternsOfSearchesAreBounded(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": "a\n"})
	for _, pattern := range []string{strings.Repeat("(a|b)", 100_000), strings.Repeat("[^a]", 100_000)} {
		p.refusedFor(t, "grep", map[string]any{"pattern": pattern}, "bytes; 4096 is the most")
		p.refusedFor(t, "grep", map[string]any{"pattern": "a", "glob": pattern}, "bytes; 4096 is the most")
		p.refusedFor(t, "glob", map[string]any{"pattern": pattern}, "bytes; 4096 is the most")
		for _, mode := range []string{"grep", "glob", "bm25"} {
			p.refusedFor(t, "search", map[string]any{"mode": mode, "query": pattern}, "bytes; 4096 is the most")
		}
	}
	p.refusedFor(t, "grep", map[string]any{"pattern": strings.Repeat("(a{100}){10}", 6)}, "lower the counts")
	p.refusedFor(t, "glob", map[string]any{"pattern": strings.Repeat("{a,a}", 40)}, "multiply too much")
	p.refusedFor(t, "glob", map[string]any{"pattern": strings.Repeat("{", 40) + strings.Repeat(",a}", 40)}, "multiply too much")
	var words strings.Builder
	for i := range 300 {
		fmt.Fprintf(&words, "w%d ", i)
	}
	p.refusedFor(t, "search", map[string]any{"mode": "bm25", "query": words.String()}, "the query has 300 different words; 256 is the most")
	for tool, args := range map[string]string{
		"grep": `{"pattern":"(?:a|b){1,20}$"}`, "glob": `{"pattern":"**/*.{txt,md,{go,mod}}"}`, "search": `{"mode":"bm25","query":"a"}`,
	} {
		if result := p.call(t, tool, args); result.Outcome != hostapi.OutcomeOK || !strings.Contains(result.Output, "a.txt") {
			t.Errorf("%s %s: %s %q", tool, args, result.Outcome, result.Output)
		}
	}
}

// endsWithin checks that a call that would take hours comes to an end with its context.
func endsWithin(t *testing.T, tool hostapi.Tool, args string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := tool.Invoke(ctx, hostapi.Call{Seq: 1, Tool: tool.Name(), Args: json.RawMessage(args)})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", args, err)
		}
	case <-time.After(time.Minute):
		t.Fatalf("%s goes on after the deadline", args)
	}
}

func TestGrepEndsWithItsContextWithinAFile(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{
		"line.txt":  strings.Repeat("a", 31<<20),
		"lines.txt": strings.Repeat("a\n", 15<<20),
	})
	pattern := strings.Repeat("a?", 1000) + "[^a]" // a thousand states at each byte
	endsWithin(t, p.tools["grep"], `{"path":"line.txt","pattern":"`+pattern+`"}`)
	endsWithin(t, p.tools["grep"], `{"path":"line.txt","pattern":"(?s)`+pattern+`"}`)
	endsWithin(t, p.tools["grep"], `{"path":"lines.txt","pattern":"(a|\\n|`+pattern+`)*b"}`)
}

// What a match begins in one line and ends in another is no match, and is found
// out in one pass.
func TestGrepOfMatchesAcrossLinesTakesOnePass(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": strings.Repeat("\n", 4<<20) + "xy\n"})
	result := p.call(t, "grep", `{"pattern":"[^z]*y"}`)
	if result.Output != "a.txt:4194305:xy" {
		t.Errorf("%.200q", result.Output)
	}
}

func TestGrepKeepsABoundedAmountOfLines(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a", 999) + "\n"
	p := workspace(t, map[string]string{"a.txt": strings.Repeat(line, 20_000)})
	result := p.call(t, "grep", `{"pattern":"a","context":20,"max_results":10000}`)
	if size := len(result.Data); size > 8<<20 || !result.Truncated {
		t.Errorf("%d bytes, truncated: %v", size, result.Truncated)
	}
}

func TestReadKeepsABoundedNumberOfLines(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": strings.Repeat("\n", 1_000_000)})
	result, err := p.gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "read", Args: json.RawMessage(`{"file_path":"a.txt"}`), Part: hostapi.PartText})
	if err != nil || !result.Truncated || !strings.Contains(string(result.Metadata), `"returned_lines":500000,"more":true`) {
		t.Errorf("truncated: %v, %s", result.Truncated, result.Metadata)
	}
	if result = p.call(t, "read", `{"file_path":"a.txt","offset":999999}`); result.Text == nil || *result.Text != "\n" {
		t.Errorf("the last line is %v", result.Text)
	}
}

// A .gitignore of a hundred thousand lines would become as many expressions, and
// each file would be held against all of them.
func TestIgnoreFilesAreBounded(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("*y*\n", 1500)
	content := map[string]string{
		"a.txt": "", "small/.gitignore": "b.txt\n", "small/b.txt": "",
		"large/.gitignore": many + many + "c.txt\n", "large/c.txt": "",
		// Together they are too much, each alone is not.
		"above/.gitignore": many + "d.txt\n", "above/d.txt": "", "above/below/.gitignore": many + "e.txt\n", "above/below/e.txt": "",
	}
	p := workspace(t, content)
	if result := p.call(t, "glob", `{"pattern":"**/*.txt"}`); result.Output != "a.txt\nabove/below/e.txt\nlarge/c.txt" {
		t.Errorf("%.300q", result.Output)
	}
}

func TestYAMLThatTakesLongIsRefused(t *testing.T) {
	t.Parallel()
	var keys strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&keys, "k%d:\n", i)
	}
	p := workspace(t, map[string]string{
		"keys.yaml": keys.String(), "few.yaml": keys.String()[:1000],
		"documents.yaml": strings.Repeat("--- a\n", 100_000),
		"complex.yaml":   strings.Repeat("? a\n", 100_000),
		"long.yaml":      strings.Repeat("k", 1<<20) + ":\n" + strings.Repeat("  - a\n", 100_000),
		"anchors.yaml":   strings.Repeat("&a [", 400) + strings.Repeat("a,", 100_000) + strings.Repeat("]", 400),
	})
	for file, reason := range map[string]string{
		"keys.yaml": "too many of", "documents.yaml": "too many of keys in one map, or documents", "complex.yaml": "too many of keys in one map",
		"long.yaml": "too many of text in keys", "anchors.yaml": "",
	} {
		p.refusedFor(t, "yaml", map[string]any{"file_path": file}, reason)
	}
	if result := p.call(t, "yaml", `{"file_path":"few.yaml"}`); result.Outcome != hostapi.OutcomeOK {
		t.Errorf("%.300q", result.Output)
	}
}
