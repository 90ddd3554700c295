package files_test

import (
	"context"
	"encoding/json"
	"errors"
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
