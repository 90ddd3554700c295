//go:build unix

package shell_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

var (
	differentialLines = flag.Int("lines.differential", 4000, "how many lines are compared with real shells")
	differentialAll   = flag.Bool("lines.all", false, "run each line as it was and as it is written in each shell; by default each is run once, and some are in two ways")
	differentialSeed  = flag.Uint64("lines.seed", 1, "what the lines are made from")
)

// driver runs lines one by one, a few in each process, as a fork takes longer than a line. A
// line may end its process, so that each says when it has ended. Commands that
// record write the line's number, their name and their arguments in one write,
// between separators that no granted line holds; bash writes in pieces what has
// newlines, so that these are replaced. eval reads a text as -c does: in dash and
// in bash both call the same function.
const driver = `
record() {
	record=$n
	for word in "$@"; do
		while case $word in *"$newline"*) ;; *) false ;; esac; do word=${word%%"$newline"*}$mark${word#*"$newline"}; done
		record=$record$unit$word
	done
	printf '%s\036' "$record" >&9
}
rec() { record rec "$@"; }
no() { record no "$@"; return 1; }
touch() { record touch "$@"; }
git() { record git "$@"; }
head() { record head "$@"; }
run() { set --; eval "$text"; }
n=$1 unit=$2 mark=$3 newline=$4 together=$5
shift 5
while [ $# -gt 0 ]; do
	(
		left=$together
		while [ $left -gt 0 ] && [ $# -gt 0 ]; do
			text=$1
			shift
			run
			record ended
			left=$((left-1)) n=$((n+1))
		done
	) </dev/null >/dev/null 2>&1
	n=$((n+together))
	[ $# -gt $together ] || break
	shift $together
done
`

// The separators of records.
const (
	unit   = "\x1f"
	mark   = "\x1d"
	record = 0x1e
)

// decided is a granted line: as it was, as the tool runs it, and the commands
// that were decided on.
type decided struct {
	line, written string
	commands      []string
	// certain is whether each command runs exactly once.
	certain bool
	// closes is whether a descriptor is closed.
	closes bool
}

// Of loops, only those end for certain that ending finds as well; branches are
// where a command may not run, or again.
var (
	loops    = regexp.MustCompile(`\b(while|until) `)
	branches = regexp.MustCompile(`&&|\|\||\b(if|while|until) `)
	ending   = regexp.MustCompile(`\b(while 'no'|until 'rec')( '[^']*')*; do `)
)

// decide is what the tool makes of a line that its rules grant.
func decide(t testing.TB, line string, rules []hostapi.Rule) (decided, bool) {
	x := shell.Explain(line, rules)
	if !x.Granted {
		return decided{}, false
	}
	command, err := ran(t, map[string]any{"command": line}, rules...)
	if err != nil || command == nil || command.Line != x.Written {
		t.Errorf("%q is explained as granted, as %q, and the gate says %v, %v", line, x.Written, command, err)
		return decided{}, false
	}
	d := decided{line: line, written: command.Line}
	d.closes = strings.Contains(d.written, "&-")
	d.certain = !d.closes && !branches.MatchString(d.written)
	for _, c := range x.Commands {
		if c.Words[0] != ":" {
			d.commands = append(d.commands, event(c.Words))
		}
	}
	slices.Sort(d.commands)
	return d, true
}

// event is a command in the words that it got.
func event(words []string) string { return fmt.Sprintf("%q", words) }

// execute runs texts in a shell and returns for each what it ran, in order.
func execute(t testing.TB, sh string, texts []string) ([][]string, error) {
	events, ended, err := executeTogether(t, sh, texts, 10)
	if err != nil {
		return nil, err
	}
	var rest []string // their process ended before
	for i, text := range texts {
		if !ended[i] {
			rest = append(rest, text)
		}
	}
	alone, _, err := executeTogether(t, sh, rest, 1)
	if err != nil {
		return nil, err
	}
	for i := range texts {
		if !ended[i] {
			events[i], alone = alone[0], alone[1:]
		}
	}
	return events, nil
}

// executeTogether runs as many texts in each process as together says, and tells which have ended.
func executeTogether(t testing.TB, sh string, texts []string, together int) (events [][]string, ended []bool, err error) {
	t.Helper()
	top, err := os.MkdirTemp("", "lines-") // not t.TempDir: there may be thousands
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(top)
	dir, empty := filepath.Join(top, "dir"), filepath.Join(top, "empty")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Mkdir(empty, 0o755)); err != nil {
		return nil, nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer read.Close()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, sh, append([]string{"-c", "exec 9>&3 3>&-\n" + driver, sh, "0", unit, mark, "\n", strconv.Itoa(together)}, texts...)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + empty, "HOME=" + empty, trace}
	cmd.ExtraFiles = []*os.File{write}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return nil, nil, err
	}
	events, ended, err = readEvents(read, len(texts))
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", sh, err)
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
		if len(texts) == 1 {
			return nil, nil, fmt.Errorf("%s makes a file of %q: %v", sh, texts[0], made)
		}
		for _, text := range texts { // which is it?
			if _, _, err := executeTogether(t, sh, []string{text}, 1); err != nil {
				return nil, nil, err
			}
		}
		return nil, nil, fmt.Errorf("%s makes a file of some of %q: %v", sh, texts, made)
	}
	return events, ended, nil
}

// readEvents reads what commands record until all of them have ended.
func readEvents(from io.Reader, texts int) (events [][]string, ended []bool, err error) {
	in := bufio.NewReader(from)
	events, ended = make([][]string, texts), make([]bool, texts)
	for {
		text, err := in.ReadString(record)
		if errors.Is(err, io.EOF) && text == "" {
			return events, ended, nil
		}
		fields := strings.Split(strings.TrimSuffix(text, string(rune(record))), unit)
		at, numberErr := strconv.Atoi(fields[0])
		if err := errors.Join(err, numberErr); err != nil || at >= texts {
			return nil, nil, fmt.Errorf("a record %q: %w", text, err)
		}
		if fields[1] == "ended" {
			ended[at] = true
			continue
		}
		events[at] = append(events[at], event(strings.Split(strings.ReplaceAll(strings.Join(fields[1:], unit), mark, "\n"), unit)))
	}
}

// compare runs lines as they were and as they are written, in both shells: all
// four must run the same, and nothing but what was decided on. It returns how
// many lines do not. The ways may be some of these four.
func compare(t testing.TB, lines []decided, ways ...int) (wrong int) {
	t.Helper()
	if len(ways) == 0 {
		ways = []int{0, 1, 2, 3}
	}
	var was, is []string
	for _, d := range lines {
		was, is = append(was, d.line), append(is, d.written)
	}
	var runs [4][][]string
	names := [4]string{"bash runs the written line as", "dash runs the written line as", "bash runs the line itself as", "dash runs the line itself as"}
	for _, k := range ways {
		sh, err := exec.LookPath([]string{"bash", "dash"}[k%2])
		texts := [][]string{is, is, was, was}[k]
		if err == nil {
			runs[k], err = execute(t, sh, texts)
		}
		if err != nil { // a shell that cannot fork on a busy machine ends
			runs[k], err = execute(t, sh, texts)
		}
		if err != nil {
			t.Errorf("lines are compared with real bash and dash: %v", err)
			return len(lines)
		}
	}
	for i, d := range lines {
		differs := false
		for _, k := range ways {
			run, same := runs[k], ways[0]
			slices.Sort(run[i]) // parts of a pipeline run in any order
			if d.closes {       // a shell may end where a descriptor is missing
				same = ways[slices.IndexFunc(ways, func(w int) bool { return w%2 == k%2 })]
			}
			if !slices.Equal(run[i], runs[same][i]) {
				t.Errorf("MEANING %q, written %q: %s %s, and %s %s", d.line, d.written, names[k], run[i], names[same], runs[same][i])
				differs = true
			}
			if !among(run[i], d) {
				t.Errorf("NOT DECIDED %q, written %q: %s %s; decided was %s", d.line, d.written, names[k], run[i], d.commands)
				differs = true
			}
		}
		if differs {
			wrong++
		}
	}
	return wrong
}

// among is whether what ran, sorted, was decided on: a command in a loop may run
// again, any other once.
func among(events []string, d decided) bool {
	if d.certain {
		return slices.Equal(events, d.commands)
	}
	return !slices.ContainsFunc(events, func(e string) bool { return !slices.Contains(d.commands, e) })
}

// TestShellsRunWhatWasDecided holds that whatever patterns grant, what runs is
// the commands that were decided on, word by word, in bash and in dash, and
// that it is what the line said.
func TestShellsRunWhatWasDecided(t *testing.T) {
	t.Parallel()
	rules := bashRules(": *", "rec *", "no *")
	const batch = 250
	work := make(chan uint64)
	var mu sync.Mutex
	var lines, granted, skipped, wrong int
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) {
		group.Go(func() {
			for seed := range work {
				source := soup{rand.New(rand.NewPCG(*differentialSeed, seed))}
				var kept []decided
				left := 0
				for range batch {
					d, ok := decide(t, source.line(), rules)
					switch {
					case !ok:
					case len(loops.FindAllString(d.written, -1)) != len(ending.FindAllString(d.written, -1)):
						left++
					default:
						kept = append(kept, d)
					}
				}
				ways := [][]int{{0}, {1}, {2}, {3}, {0, 3}, {0}, {1}, {1, 2}}[seed%8]
				if *differentialAll {
					ways = nil
				}
				different := compare(t, kept, ways...)
				mu.Lock()
				wrong += different
				lines, granted, skipped = lines+batch, granted+len(kept)+left, skipped+left
				if lines%100000 == 0 {
					t.Logf("%d lines, %d granted so far", lines, granted)
				}
				mu.Unlock()
			}
		})
	}
	for seed := range uint64(*differentialLines+batch-1) / batch {
		mu.Lock()
		enough := wrong >= 20
		mu.Unlock()
		if enough {
			break
		}
		work <- seed
	}
	close(work)
	group.Wait()
	t.Logf("%d lines, %d granted, of which %d were not run as they may not end", lines, granted, skipped)
	if !t.Failed() && granted*3 < lines {
		t.Errorf("only %d of %d lines were granted; this proves too little", granted, lines)
	}
	if skipped*20 > granted {
		t.Errorf("%d of %d granted lines were not run", skipped, granted)
	}
}

// Lines that are in a table for their rules are compared too.
func TestShellsRunWhatWasDecidedForEachRule(t *testing.T) {
	t.Parallel()
	var lines []decided
	for _, c := range ruleCases() {
		if d, ok := decide(t, c.line, bashRules(c.patterns...)); ok && !loops.MatchString(d.written) && slices.Contains([]string{"git log *"}, c.patterns[0]) {
			lines = append(lines, d)
		}
	}
	if len(lines) < 20 {
		t.Fatalf("only %d lines", len(lines))
	}
	compare(t, lines)
}

// The commands that run are programs, with the words as the tool was given them.
func TestToolRunsWhatWasDecided(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	bin := filepath.Join(tool.Dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	program := "#!/bin/sh\nprintf 0 >>record; printf '\\037%s' \"$@\" >>record; printf '\\036' >>record\n"
	if err := os.WriteFile(filepath.Join(bin, "rec"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	tool.Env = append(tool.Env, "PATH="+bin)
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	rules := bashRules("rec *")
	source := soup{rand.New(rand.NewPCG(*differentialSeed, 0))}
	for tried := 0; tried < 60; {
		var line strings.Builder
		for i := range 3 {
			fmt.Fprintf(&line, "rec %d %s %s\n", i, source.pick(soupWords), source.pick(soupWords))
		}
		x := shell.Explain(line.String(), rules)
		if !x.Granted {
			continue
		}
		tried++
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList(rules)}})
		result, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: encoded(t, map[string]any{"command": line.String()})})
		gate.Close(time.Second)
		if err != nil || result.ExitCode != 0 {
			t.Fatalf("%q: %v %v", line.String(), result, err)
		}
		text, err := os.ReadFile(filepath.Join(tool.Dir, "record"))
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := readEvents(bytes.NewReader(text), 1)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, c := range x.Commands {
			want = append(want, event(c.Words[1:]))
		}
		if !slices.Equal(events[0], want) {
			t.Errorf("%q runs %s, decided was %s", line.String(), events[0], want)
		}
		if err := os.Remove(filepath.Join(tool.Dir, "record")); err != nil {
			t.Fatal(err)
		}
	}
}
