package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const addTool = `/*---
kind: script
name: add
description: adds two numbers
input_schema: {type: object, required: [a, b], properties: {a: {type: number}, b: {type: number}}}
output_schema: {type: object, required: [sum], properties: {sum: {type: number}}}
---*/
export default (ctx, { a, b }) => ({ sum: a + b })
`

// peer is an MCP server that is a command.
type peer struct {
	name string
	args []string
}

func (in *installed) peers() ([]peer, error) {
	tools := filepath.Join(in.dir, "tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(tools, "add.js"), []byte(addTool), 0o600); err != nil {
		return nil, err
	}
	return []peer{
		{"scriptrun serve", []string{in.scriptrun, "serve", "--tools", tools}},
		{"scriptrun serve --in-process", []string{in.scriptrun, "serve", "--in-process", "--tools", tools}},
		{"the official TypeScript SDK on Node", []string{"node", filepath.Join(in.node, "server.mjs")}},
	}, nil
}

// running is a peer that was started, with a client.
type runningPeer struct {
	peer
	cmd     *exec.Cmd
	session *mcp.ClientSession
}

func (p peer) start(ctx context.Context) (*runningPeer, error) {
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	return &runningPeer{p, cmd, session}, err
}

func (r *runningPeer) call(ctx context.Context) error { return callAdd(ctx, r.session) }

func callAdd(ctx context.Context, session *mcp.ClientSession) error {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
	if err != nil {
		return err
	}
	if result.IsError || fmt.Sprint(result.StructuredContent) != "map[sum:3]" {
		return fmt.Errorf("it answered %v", result.StructuredContent)
	}
	return nil
}

// stdio is an MCP server on two pipes.
func stdio(ctx context.Context, in *installed, rounds int) (t table, err error) {
	t = table{title: "tools/call over stdio", about: "The same tool with the same schemas, called one after the other by one client in Go."}
	peers, err := in.peers()
	if err != nil {
		return t, err
	}
	library, err := goPeer()
	if err != nil {
		return t, err
	}
	peers = append(peers, library)
	var subjects []subject
	var started []*runningPeer
	defer func() {
		for _, r := range started {
			err = errors.Join(err, r.session.Close())
		}
	}()
	for _, p := range peers {
		r, err := p.start(ctx)
		if err != nil {
			return t, err
		}
		started = append(started, r)
		subjects = append(subjects, subject{name: p.name, batch: 200, do: r.call})
	}
	if t.rows, err = turns(ctx, rounds, subjects...); err != nil {
		return t, err
	}
	before, err := sizes(started)
	if err != nil {
		return t, err
	}
	perSecond, err := many(ctx, started)
	if err != nil {
		return t, err
	}
	after, err := sizes(started)
	if err != nil {
		return t, err
	}
	for i, r := range started {
		t.notes = append(t.notes, fmt.Sprintf("%s: %.0f MB after those calls; then %.0f calls a second with 16 at once, and %.0f MB after those.",
			r.name, float64(before[i])/1e6, perSecond[i], float64(after[i])/1e6))
	}
	t.notes = append(t.notes, "Memory is that of all processes of a server, pages that they share counted once.")
	return t, nil
}

// many is how many calls a second each answers, 16 at once.
func many(ctx context.Context, started []*runningPeer) (perSecond []float64, err error) {
	perSecond = make([]float64, len(started))
	const calls = 4000
	for range 3 { // the best of three turns
		for i, r := range started {
			left := make(chan struct{}, calls)
			for range calls {
				left <- struct{}{}
			}
			close(left)
			failed := make(chan error, 16)
			began := time.Now()
			for range 16 {
				go func() {
					for range left {
						if err := r.call(ctx); err != nil {
							failed <- err
							return
						}
					}
					failed <- nil
				}()
			}
			for range 16 {
				err = errors.Join(err, <-failed)
			}
			perSecond[i] = max(perSecond[i], calls/time.Since(began).Seconds())
		}
	}
	return perSecond, err
}

// sizes are those of the servers.
func sizes(started []*runningPeer) (sizes []int64, err error) {
	for _, r := range started {
		size, err := treeSize(r.cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// treeSize is the memory of a process and of all that it started, in bytes.
func treeSize(pid int) (total int64, err error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	children := map[int][]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], child)
	}
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		queue = append(queue, children[queue[0]]...)
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", queue[0]))
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				if err != nil {
					return 0, err
				}
				total += kb << 10
			}
		}
	}
	return total, nil
}

// first is from the start of a server to its first list of tools.
func first(ctx context.Context, in *installed, rounds int) (t table, err error) {
	t = table{title: "From start to the first tools/list", about: "A server over stdio: started, initialized, asked for its tools, ended."}
	peers, err := in.peers()
	if err != nil {
		return t, err
	}
	times := make([][]time.Duration, len(peers))
	for range rounds {
		for i, p := range peers {
			began := time.Now()
			r, err := p.start(ctx)
			if err != nil {
				return t, err
			}
			list, err := r.session.ListTools(ctx, nil)
			if err != nil || len(list.Tools) != 1 {
				return t, fmt.Errorf("%s: %v, %w", p.name, list, err)
			}
			times[i] = append(times[i], time.Since(began))
			if err := r.session.Close(); err != nil {
				return t, err
			}
		}
	}
	for i, p := range peers {
		t.rows = append(t.rows, rowOf(p.name, times[i]))
	}
	return t, nil
}

var listening = regexp.MustCompile(`listening on (\S+)`)

// web is fifty clients over HTTP.
func web(ctx context.Context, in *installed, _ int) (t table, err error) {
	t = table{title: "tools/call over HTTP, 50 clients at once", about: "Streamable HTTP, a session for each client, 40 calls each."}
	peers, err := in.peers()
	if err != nil {
		return t, err
	}
	peers[0].args = append(peers[0].args, "--http", "127.0.0.1:0", "--rate", "-1")
	peers[1].args = append(peers[1].args, "--http", "127.0.0.1:0", "--rate", "-1")
	peers[2].args[1] = filepath.Join(in.node, "http.mjs")
	for _, p := range peers {
		r, err := fifty(ctx, p)
		if err != nil {
			return t, fmt.Errorf("%s: %w", p.name, err)
		}
		t.rows = append(t.rows, r)
	}
	return t, nil
}

func fifty(ctx context.Context, p peer) (r row, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		return r, err
	}
	ended := make(chan struct{})
	defer func() {
		cancel()
		<-ended
	}()
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it was interrupted
		_ = in.Close()
	}()
	endpoint := ""
	lines := bufio.NewScanner(out)
	for endpoint == "" && lines.Scan() {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			endpoint = found[1]
		}
	}
	go io.Copy(io.Discard, out)
	var mu sync.Mutex
	var times []time.Duration
	failed := make(chan error, 50)
	begin := make(chan struct{})
	var ready sync.WaitGroup
	for range 50 {
		ready.Add(1)
		go func() {
			failed <- func() error {
				client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
				session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint, MaxRetries: -1, DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
				ready.Done()
				if err != nil {
					return err
				}
				<-begin
				for i := range 45 {
					began := time.Now()
					if err := callAdd(ctx, session); err != nil {
						return err
					}
					if i >= 5 {
						mu.Lock()
						times = append(times, time.Since(began))
						mu.Unlock()
					}
				}
				return session.Close()
			}()
		}()
	}
	ready.Wait()
	close(begin)
	for range 50 {
		err = errors.Join(err, <-failed)
	}
	if err != nil || len(times) == 0 {
		return r, errors.Join(err, fmt.Errorf("%d calls", len(times)))
	}
	return rowOf(p.name, times), nil
}
