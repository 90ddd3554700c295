package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// What a small file may cost the process that reads it, without its workers.
const (
	costlyTime   = 3 * time.Second
	costlyMemory = 200 << 20
)

// corpusFile is a small tool file that tries to cost its host much.
type corpusFile struct {
	Name, Family       string
	File, Header, Body text
}

// text is text in pieces: a string, pieces that stand there several times, and
// one that stands there with {i}, {j} and {s} as its number, the next, and as
// many spaces.
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (p *text) UnmarshalJSON(raw []byte) error {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		*p = text(plain)
		return nil
	}
	var list []text
	if json.Unmarshal(raw, &list) == nil {
		for _, piece := range list {
			*p += piece
		}
		return nil
	}
	var repeated struct {
		Times, Each int
		Of          text
	}
	if err := json.Unmarshal(raw, &repeated); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(string(repeated.Of), repeated.Times))
	for i := range repeated.Each {
		b.WriteString(strings.NewReplacer("{i}", fmt.Sprint(i), "{j}", fmt.Sprint(i+1), "{s}", strings.Repeat(" ", i)).Replace(string(repeated.Of)))
	}
	*p = text(b.String())
	return nil
}

// source is the tool file, within the bound on its size.
func (c corpusFile) source() string {
	if c.File != "" {
		return string(c.File)
	}
	header := "kind: script\ndescription: It costs its host much.\n"
	if !strings.Contains(string(c.Header), "limits:") {
		header += "limits: {timeoutMs: 1000}\n"
	}
	body := string(c.Body)
	if body == "" {
		body = "return 1"
	}
	return "/*---\n" + header + string(c.Header) + "\n---*/\nexport default async function run(ctx, inputs) {\n" + body + "\n}\n"
}

// code is the source for eval: the body, or else the whole file.
func (c corpusFile) code() string {
	if c.Body != "" {
		return string(c.Body)
	}
	return c.source()
}

// lookedThrough is the family of files that cost most where somebody only looks at them.
const lookedThrough = "schemas that are looked through"

// TestCostlyFiles: every command that reads a tool file has ended within three
// seconds and 200 MB, whatever the file holds, and so has each thing that a
// server does with it. By default each file goes one of the first three ways, and those
// that are looked through the last one as well, and it is only bounded how long they compute: a machine
// that does other things too makes them wait. With -hostile.strict all go all ways.
func TestCostlyFiles(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/costly.json")
	if err != nil {
		t.Fatal(err)
	}
	var files []corpusFile
	if err := json.Unmarshal(raw, &files); err != nil {
		t.Fatal(err)
	}
	families := map[string]bool{}
	for _, file := range files {
		families[file.Family] = true
		if len(file.source()) > 196_608 {
			t.Errorf("%s: %d bytes are not small", file.Name, len(file.source()))
		}
	}
	if len(files) < 40 || len(families) < 10 {
		t.Fatalf("%d files of %d families are too few", len(files), len(families))
	}
	binary, dir := buildCommand(t), t.TempDir()
	ways := []func(*corpusCase){(*corpusCase).check, (*corpusCase).run, (*corpusCase).serve, (*corpusCase).look}
	look := len(ways) - 1
	slots := make(chan struct{}, 2)
	var running sync.WaitGroup
	for i, file := range files {
		for j, way := range ways {
			goes := i%look == j
			if j == look {
				goes = file.Family == lookedThrough
			}
			if !*strict && !goes {
				continue
			}
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				way(newCorpusCase(t, binary, filepath.Join(dir, fmt.Sprintf("%d-%d", i, j)), file))
			})
		}
	}
	running.Wait()
}

// corpusCase is one file with the place that it lies in.
type corpusCase struct {
	t                 *testing.T
	binary, dir, path string
	file              corpusFile
}

func newCorpusCase(t *testing.T, binary, dir string, file corpusFile) *corpusCase {
	c := &corpusCase{t: t, binary: binary, dir: dir, path: filepath.Join(dir, "tools", "costly.js"), file: file}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		t.Error(err)
	}
	c.write(file.source())
	return c
}

func (c *corpusCase) write(text string) {
	if err := os.WriteFile(c.path, []byte(text), 0o600); err != nil {
		c.t.Error(err)
	}
}

func (c *corpusCase) command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.binary, args...) // it ends by itself, or is killed below
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "HOME="+c.dir)
	return cmd
}

// usage is what a process has used by now, without its workers.
type usage struct {
	computed time.Duration
	memory   int64 // the peak
}

// usageOf is what a process has used; nothing if it has ended.
func usageOf(pid int) usage {
	return usage{computed: computed(pid), memory: peakMemory(pid)}
}

// took judges the cost of a command, or of a step of a server: what was used before, and after it.
func (c *corpusCase) took(what string, began time.Time, before, after usage) {
	if took := time.Since(began); *strict && took > costlyTime {
		c.t.Errorf("%s, %s: %s took %v", c.file.Family, c.file.Name, what, took)
	}
	if took := after.computed - before.computed; took > costlyTime {
		c.t.Errorf("%s, %s: %s computed for %v", c.file.Family, c.file.Name, what, took)
	}
	if after.memory > costlyMemory {
		c.t.Errorf("%s, %s: %s took %d MB", c.file.Family, c.file.Name, what, after.memory>>20)
	}
}

func (c *corpusCase) check() { c.once("check", "check", c.path) }
func (c *corpusCase) run()   { c.once("run", "run", "--json", "--input", `{"like": "none"}`, c.path) }

// look does what only tells of the tool.
func (c *corpusCase) look() {
	c.once("describe", "describe", c.path)
	c.once("help", "run", c.path, "--help")
	c.once("completion of a key", "__complete", "run", c.path, "")
	c.once("completion of a value", "__complete", "run", c.path, "x1=")
	c.once("types", "types", "--print")
}

// once runs a command to its end.
func (c *corpusCase) once(what string, args ...string) {
	cmd := c.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		c.t.Error(err)
		return
	}
	stop := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	ended := make(chan struct{})
	most := make(chan usage)
	go func() { most <- watchUsage(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	stop.Stop()
	close(ended)
	c.took(what, began, usage{}, <-most)
	if state := cmd.ProcessState; state == nil || !state.Exited() || state.ExitCode() == 2 && strings.Contains(out.String(), "goroutine ") {
		c.t.Errorf("%s, %s: %s: %v\n%.2000s", c.file.Family, c.file.Name, what, err, out.String())
	}
	if out.Len() > 1<<20 && c.file.Name != "deep-ones-large" {
		c.t.Errorf("%s, %s: %s: %d bytes of output", c.file.Family, c.file.Name, what, out.Len())
	}
}

// watchUsage is what a process had used when it was last seen before its end.
func watchUsage(pid int, ended <-chan struct{}) (most usage) {
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for {
		now := usageOf(pid)
		most.computed, most.memory = max(most.computed, now.computed), max(most.memory, now.memory)
		select {
		case <-ended:
			return most
		case <-ticker.C:
		}
	}
}

// computed is for how long a process itself has had a processor.
func computed(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // from the third on
	if len(fields) < 13 {
		return 0
	}
	var ticks int64 // of a hundredth of a second
	for _, field := range fields[11:13] {
		n, _ := strconv.ParseInt(field, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}

// peakMemory is the most that a process itself has had resident.
func peakMemory(pid int) (bytes int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	if m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status); m != nil {
		_, _ = fmt.Sscan(string(m[1]), &bytes)
	}
	return bytes << 10
}

// serve starts a server beside the file, makes it evaluate the code and load the file again,
// and ends it.
func (c *corpusCase) serve() {
	cmd := c.command("serve", "--http", "127.0.0.1:0", "--eval", "--timeout", "1s")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		c.t.Error(err)
		return
	}
	var before usage
	began := time.Now()
	step := func(what string) { // judges it, and begins the next
		now := usageOf(cmd.Process.Pid)
		c.took(what, began, before, now)
		began, before = time.Now(), now
	}
	if err := cmd.Start(); err != nil {
		c.t.Error(err)
		return
	}
	stop := time.AfterFunc(4*time.Minute, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	said := bufio.NewReader(stderr)
	until := func(what, mark string) string {
		for {
			line, err := said.ReadString('\n')
			if err != nil {
				c.t.Errorf("%s, %s: %s: the server ended: %v", c.file.Family, c.file.Name, what, err)
				return ""
			}
			if strings.Contains(line, mark) {
				return line
			}
		}
	}
	_, url, _ := strings.Cut(strings.TrimSpace(until("serve", "listening on ")), "listening on ")
	step("the start of serve")
	if url != "" {
		c.eval(url)
	}
	step("eval")
	c.write(c.file.source() + "\n")
	until("reload", "loaded again")
	step("reloading")
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_, _ = io.Copy(io.Discard, said)
	_ = cmd.Wait()
	c.took("the end of serve", began, before, before)
}

// eval runs the code in a session of its own.
func (c *corpusCase) eval(url string) {
	code, err := json.Marshal(c.file.code())
	if err != nil {
		c.t.Error(err)
	}
	session := ""
	for i, body := range []string{helloLine, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"eval","arguments":{"code":` + string(code) + `}}}`} {
		request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			c.t.Error(err)
			return
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			request.Header.Set("Mcp-Session-Id", session)
			request.Header.Set("Mcp-Protocol-Version", "2025-06-18")
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(request)
		if err != nil {
			c.t.Errorf("%s, %s: eval: %v", c.file.Family, c.file.Name, err)
			return
		}
		answer, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || i == 2 && !bytes.Contains(answer, []byte(`"id":2`)) {
			c.t.Errorf("%s, %s: eval: %v, %s: %.300s", c.file.Family, c.file.Name, err, response.Status, answer)
		}
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
	}
}
