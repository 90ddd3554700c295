//go:build unix

package shell_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// sight is what a look at a command in the background shows.
type sight struct {
	Output, Stdout, Stderr                         string
	OutputEncoding, StdoutEncoding, StderrEncoding string
	Next, DroppedBytes                             int64
	Running, Truncated                             bool
	ExitCode                                       *int
}

// behind is a command in the background, reached through the door.
type behind struct {
	t    *testing.T
	gate *hostapi.Gate
}

func inBackground(t *testing.T, tool *shell.Tool, limit int64, args map[string]any) *behind {
	t.Helper()
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	b := &behind{t, hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}, Quota: hostapi.Quota{MaxResultBytes: cmp.Or(limit, 64<<10)},
	})}
	t.Cleanup(func() {
		b.gate.Close(10 * time.Second)
		<-b.gate.Settled()
	})
	call, err := b.gate.Issue(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: encoded(t, args), Background: true})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := call.Start(t.Context()); err != nil || result.Outcome != hostapi.OutcomeOK && result.Outcome != "" {
		t.Fatalf("%+v, %v", result, err)
	}
	return b
}

func (b *behind) operate(ctx context.Context, operation string, args any) (hostapi.Result, error) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.gate.Operate(ctx, 1, operation, raw)
}

// waitOutput is what has come since, as soon as there is something, or the end.
func (b *behind) waitOutput(since int64) (got sight) {
	b.t.Helper()
	result, err := b.operate(b.t.Context(), "waitOutput", map[string]any{"since": since})
	if err != nil || result.Outcome != hostapi.OutcomeOK {
		b.t.Fatalf("%+v, %v", result, err)
	}
	if err := json.Unmarshal(result.Data, &got); err != nil {
		b.t.Fatal(err)
	}
	return got
}

// write gives the command a text to read.
func (b *behind) write(text string) {
	b.t.Helper()
	if result, err := b.operate(b.t.Context(), "write", map[string]any{"text": text}); err != nil || result.Outcome != hostapi.OutcomeOK {
		b.t.Fatalf("%+v, %v", result, err)
	}
}

// echoes writes what it is told to, on the stream that it is told: "out TEXT" or
// "err TEXT", where TEXT may have the escapes of printf.
const echoes = `while read -r to text; do if [ $to = out ]; then printf "$text"; else printf "$text" >&2; fi; done`

// Both streams begin where the look before ended, not only their mixture.
func TestSinceCutsEachStream(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": echoes, "input": true})
	next := int64(0)
	for i, c := range []struct{ say, output, stdout, stderr string }{
		{`out a\n`, "a\n", "a\n", ""},
		{`err b\n`, "b\n", "", "b\n"},
		{`out c\n`, "c\n", "c\n", ""},
		{`out \343\201\202`, "あ", "あ", ""},
		{`err \377\000`, "/wA=", "", "/wA="},
		{`out d`, "d", "d", ""},
	} {
		b.write(c.say + "\n")
		got := b.waitOutput(next)
		if got.Output != c.output || got.Stdout != c.stdout || got.Stderr != c.stderr || got.DroppedBytes != 0 || got.Truncated {
			t.Errorf("%d: %+v, want %+v", i, got, c)
		}
		if binary := strings.Contains(c.say, "377"); (got.StderrEncoding == "base64") != binary || (got.OutputEncoding == "base64") != binary || got.StdoutEncoding != "" {
			t.Errorf("%d: encodings of %+v", i, got)
		}
		next = got.Next
	}
	if again := b.waitOutput(0); again.StdoutEncoding != "" || again.Stdout != "a\nc\nあd" || again.OutputEncoding != "base64" {
		t.Errorf("from the beginning: %+v", again)
	}
}

// A character of which a look would see half is left for the next one, and what
// comes on the other stream meanwhile does not part it.
func TestHalfACharacterIsLeftForTheNextLook(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": echoes, "input": true})
	b.write(`out x\343\201` + "\n")
	first := b.waitOutput(0)
	b.write(`err !` + "\n")
	second := b.waitOutput(first.Next)
	b.write(`out \202` + "\n")
	third := b.waitOutput(second.Next)
	if got := []string{first.Output, second.Output, third.Output, third.Stdout}; fmt.Sprint(got) != "[x ! あ あ]" {
		t.Errorf("%q", got)
	}
	b.write(`out \343\201` + "\n") // and that is the end
	if _, err := b.operate(t.Context(), "closeInput", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.operate(t.Context(), hostapi.OperationWait, nil); err != nil {
		t.Fatal(err)
	}
	last := b.waitOutput(third.Next)
	if raw, err := base64.StdEncoding.DecodeString(last.Output); err != nil || string(raw) != "\xe3\x81" || last.Running || last.StdoutEncoding != "base64" {
		t.Errorf("at the end: %+v, %v", last, err)
	}
}

// What a look leaves out, it counts, and not what looks before it had.
func TestNextSaysWhatItJumpsOver(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.SpillDir = t.TempDir()
	b := inBackground(t, tool, 4000, map[string]any{"command": `echo begin; read -r x; seq 100000; read -r x; echo end`, "input": true})
	first := b.waitOutput(0)
	b.write("\n")
	var flood sight
	for flood = b.waitOutput(first.Next); !strings.Contains(flood.Output, "\n100000\n"); {
		flood = b.waitOutput(first.Next)
	}
	const size = 588895 // of all the numbers
	shown := int64(0)
	for part := range strings.SplitSeq(flood.Output, "\n… ") {
		if _, rest, marked := strings.Cut(part, " …\n"); marked {
			part = rest
		}
		shown += int64(len(part))
	}
	if flood.DroppedBytes+shown != size || flood.Next != int64(len("begin\n"))+size || !flood.Truncated {
		t.Errorf("%d dropped and %d shown of %d, next %d", flood.DroppedBytes, shown, size, flood.Next)
	}
	if want := fmt.Sprintf("… %d of %d bytes dropped here; all of it is in %s", flood.DroppedBytes, size, tool.SpillDir); !strings.Contains(flood.Output, want) {
		t.Errorf("%q does not say %q", flood.Output, want)
	}
	b.write("\n")
	if last := b.waitOutput(flood.Next); last.Output != "end\n" || last.Stdout != "end\n" || last.DroppedBytes != 0 || last.Truncated {
		t.Errorf("after it: %+v", last)
	}
}

// Whoever waits is woken by output, by the end, and by the end of his patience.
func TestWaitOutputEnds(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": `read -r x; exit 3`, "input": true})
	result, err := b.operate(t.Context(), "waitOutput", map[string]any{"timeoutMs": 20})
	var got sight
	if err != nil || json.Unmarshal(result.Data, &got) != nil || !got.Running || got.Output != "" {
		t.Errorf("after the timeout: %+v, %v", got, err)
	}
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := b.operate(short, "waitOutput", map[string]any{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the run's end: %v", err)
	}
	for _, args := range []map[string]any{{"timeoutMs": -1}, {"timeoutMs": 600001}, {"since": -1}} {
		if _, err := b.operate(t.Context(), "waitOutput", args); !errors.Is(err, hostapi.ErrInvalidArgs) {
			t.Errorf("%v: %v", args, err)
		}
	}
	b.write("\n")
	if got := b.waitOutput(0); got.Running || got.ExitCode == nil || *got.ExitCode != 3 {
		t.Errorf("after the end: %+v", got)
	}
}

// A command that does not read holds up whoever writes, until it ends or the
// run does, and not whoever looks at it.
func TestWriteToACommandThatDoesNotRead(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": `echo there; exec sleep 60`, "input": true})
	much := map[string]any{"text": strings.Repeat("x", 300<<10)}
	ctx, cancel := context.WithCancel(t.Context())
	blocked := make(chan error)
	go func() {
		_, err := b.operate(ctx, "write", much)
		blocked <- err
	}()
	if got := b.waitOutput(0); got.Output != "there\n" {
		t.Errorf("a look meanwhile: %+v", got)
	}
	select {
	case err := <-blocked:
		t.Errorf("it was written: %v", err)
	default:
	}
	cancel()
	if err := <-blocked; !errors.Is(err, context.Canceled) {
		t.Errorf("after the run's end: %v", err)
	}
	ended := make(chan hostapi.Result)
	go func() {
		result, _ := b.operate(t.Context(), "write", much)
		ended <- result
	}()
	if _, err := b.operate(t.Context(), "kill", map[string]any{"signal": "KILL"}); err != nil {
		t.Fatal(err)
	}
	if result := <-ended; result.Outcome != hostapi.OutcomeFailed || !strings.Contains(result.Output, "the command has") {
		t.Errorf("after the command's end: %+v", result)
	}
}

// What was given as stdin comes first, and what is written is bytes.
func TestInputIsBytesInOrder(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	b := inBackground(t, tool, 0, map[string]any{"command": `cat > got; echo done`, "stdin": "first ", "input": true})
	for range 3 {
		if _, err := b.operate(t.Context(), "write", map[string]any{"base64": base64.StdEncoding.EncodeToString([]byte{0, 0xff, 'a'})}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // closing twice is once
		if result, err := b.operate(t.Context(), "closeInput", map[string]any{}); err != nil || result.Outcome != hostapi.OutcomeOK {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	if got := b.waitOutput(0); got.Output != "done\n" {
		t.Errorf("%+v", got)
	}
	if got, err := os.ReadFile(filepath.Join(tool.Dir, "got")); err != nil || string(got) != "first \x00\xffa\x00\xffa\x00\xffa" {
		t.Errorf("%q, %v", got, err)
	}
	for _, args := range []map[string]any{{}, {"text": "a", "base64": "YQ=="}, {"base64": "?"}} {
		if _, err := b.operate(t.Context(), "write", args); !errors.Is(err, hostapi.ErrInvalidArgs) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestOptionsThatThereAreNot: a name that is misspelt is a mistake, and does not wait
// for ever in place of a second.
func TestOptionsThatThereAreNot(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": "sleep 60"})
	for operation, c := range map[string]struct {
		args map[string]any
		want string
	}{
		"output":      {map[string]any{"Since": 1}, `unknown option "Since"; expected since`},
		"waitOutput":  {map[string]any{"since": 0, "timeoutMS": 1}, `unknown option "timeoutMS"; expected since, timeoutMs`},
		"write":       {map[string]any{"bytes": ""}, `unknown option "bytes"`},
		"closeInput":  {map[string]any{"now": true}, `unknown option "now"; it takes none`},
		"resize":      {map[string]any{"cols": 1, "row": 1}, `unknown option "row"; expected cols, rows`},
		"kill":        {map[string]any{"name": "INT"}, `unknown option "name"; expected signal`},
		"no-such-one": {map[string]any{}, "unknown operation"},
	} {
		if result, err := b.operate(t.Context(), operation, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v", operation, result, err)
		}
	}
}
