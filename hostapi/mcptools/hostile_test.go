package mcptools_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/mcptools"
)

// flood writes without end, and reads nothing.
func flood(format string) func(asked) {
	return func(asked) {
		out := bufio.NewWriter(os.Stdout)
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(out, format+"\n", i); err != nil {
				os.Exit(1)
			}
		}
	}
}

// never is what a server does that does nothing any more.
func never(asked) { time.Sleep(time.Hour) } // select {} would be a deadlock, which ends a program

// hostile are servers that do their worst when they are asked. Each is tried at
// its start, when it is to list its tools, and at a call.
var hostile = map[string]func(asked){
	"floods of pings":         flood(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`),
	"pings of one id":         flood(`{"jsonrpc":"2.0","id":1,"method":"ping","n":%d}`),
	"floods of sampling":      flood(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`),
	"floods of roots":         flood(`{"jsonrpc":"2.0","id":"%d","method":"roots/list"}`),
	"floods of elicitation":   flood(`{"jsonrpc":"2.0","id":"%d","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`),
	"floods of notifications": flood(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`),
	"floods of list_changed":  flood(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","n":%d}`),
	"floods of answers":       flood(`{"jsonrpc":"2.0","id":9%d,"result":{}}`),
	"floods of noise":         flood(`noise %d`),
	"some pings": func(asked) {
		for i := range 3000 {
			fmt.Printf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`+"\n", i)
		}
		time.Sleep(time.Hour)
	},
	"half a message": func(a asked) {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[`, a.ID)
		time.Sleep(time.Hour)
	},
	"says nothing":        never,
	"closes its stdout":   func(asked) { _ = os.Stdout.Close(); time.Sleep(time.Hour) },
	"closes its stdin":    func(asked) { _ = os.Stdin.Close(); time.Sleep(time.Hour) },
	"ignores SIGTERM":     func(asked) { signal.Ignore(syscall.SIGTERM, os.Interrupt); time.Sleep(time.Hour) },
	"a child holds pipes": func(asked) { hold(); time.Sleep(time.Hour) },
	"leaves a child":      func(asked) { hold(); os.Exit(0) },
}

// hold starts a process that has all pipes of this one, and says who it is.
func hold() {
	child := exec.Command(os.Args[0], "serve", "hostile", "holds", "never") // it ends with its group
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		os.Exit(5)
	}
	fmt.Fprintf(os.Stderr, "pid %d\n", child.Process.Pid)
}

// serveHostile is such a server, which does it at a method.
func serveHostile(mode, at string) {
	if mode == "holds" {
		time.Sleep(time.Hour)
	}
	fmt.Fprintf(os.Stderr, "pid %d\n", os.Getpid())
	speak(func(a asked) {
		switch a.Method {
		case at:
			hostile[mode](a)
		case "tools/list":
			a.answer(oneTool)
		}
	}, at)
}

// TestHostileServersHoldNothingUp: whatever a server does, a start and a call end
// with their time, closing ends, and nothing of the server is left.
func TestHostileServersHoldNothingUp(t *testing.T) {
	t.Parallel()
	for mode := range hostile {
		for _, at := range []string{"initialize", "tools/list", "tools/call"} {
			t.Run(mode+" at "+at, func(t *testing.T) {
				t.Parallel()
				said := &heard{}
				config := mcptools.Server{Name: "odd", Command: []string{os.Args[0], "serve", "hostile", mode, at}, Stderr: said, StartTimeout: patience}
				short := 300 * time.Millisecond
				if at != "tools/call" {
					config.StartTimeout = short
				}
				ended(t, "the start", func() {
					c, err := mcptools.Connect(t.Context(), config)
					if (err == nil) != (at == "tools/call") {
						t.Errorf("it connects: %v", err)
					}
					if err != nil {
						return
					}
					ctx, cancel := context.WithTimeout(t.Context(), short)
					defer cancel()
					ended(t, "the call", func() {
						if got := <-ask(ctx, c.Tools()[0]); got.err == nil && !got.Throws {
							t.Errorf("%+v", got)
						}
					})
					ended(t, "closing", func() { _ = c.Close() })
				})
				for word := range strings.SplitSeq(said.text(), "\n") {
					if pid, ok := strings.CutPrefix(word, "pid "); ok {
						ended(t, "process "+pid, func() {
							for alive(pid) {
								time.Sleep(5 * time.Millisecond) // it is somebody else's child
							}
						})
					}
				}
			})
		}
	}
}

// heard keeps what is written, which may be asked for at any time.
type heard struct {
	mu   sync.Mutex
	said strings.Builder
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said.Write(p)
}

func (h *heard) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said.String()
}

// patience is for what must end, on a busy machine.
const patience = time.Minute

// ended fails the test when something does not end.
func ended(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Errorf("%s does not end", what)
	}
}

// manyParts are answers of many small parts: what is held of one would be some
// fifty times its text.
var manyParts = map[string]func(a asked, n int) string{
	"a list of numbers": func(_ asked, n int) string { return "[" + strings.Repeat("0,", n) + "0]" },
	"structured content": func(a asked, n int) string {
		return result(a, `"content":[],"structuredContent":{"a":[{}`, ",{}", n, "]}")
	},
	"_meta": func(a asked, n int) string { return result(a, `"content":[],"_meta":{"a":[{}`, ",{}", n, "]}") },
	"contents": func(a asked, n int) string {
		return result(a, `"content":[{"type":"text","text":""}`, `,{"type":"text","text":""}`, n/8, "]")
	},
	"an error's data": func(a asked, n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"x","data":[{}%s]}}`, a.ID, strings.Repeat(",{}", n))
	},
	"a list with an answer": func(a asked, n int) string {
		return "[" + result(a, `"content":[],"_meta":{"a":[{}`, ",{}", n, "]}") + "]"
	},
}

func result(a asked, head, part string, n int, end string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%s%s%s}}`, a.ID, head, strings.Repeat(part, n), end)
}

func init() { //nolint:gochecknoinits // the modes of the server are in one table
	for mode, line := range manyParts {
		odd["parts: "+mode] = func(a asked) {
			switch a.Method {
			case "tools/list":
				a.answer(oneTool)
			case "tools/call":
				fmt.Println(line(a, 1_000_000))
				if mode == "a list of numbers" {
					a.answer(`{"content":[]}`)
				}
			}
		}
	}
}

// TestAnswersOfManyPartsFailTheirCall before they are decoded, and the server is
// of use to the next.
func TestAnswersOfManyPartsFailTheirCall(t *testing.T) {
	t.Parallel()
	for mode := range manyParts {
		c := connect(t, oddServer("parts: "+mode))
		for range 2 {
			got := invoke(t, c, "mcp__odd__one", "{}")
			if want := mode != "a list of numbers"; got.Throws != want || want && !strings.Contains(got.Output, "parts") || strings.Contains(got.Output, "starts it again") {
				t.Errorf("%s: %+v", mode, got)
			}
		}
	}
}

// TestAnswerToInitializeIsBounded in bytes and parts.
func TestAnswerToInitializeIsBounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{400_000: "parts", 2_000_000: strconv.Itoa(4<<20) + " bytes"} {
		config := oddServer("large start")
		config.Env = map[string]string{"PARTS": strconv.Itoa(n)}
		if _, err := mcptools.Connect(t.Context(), config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestCallIsMadeOnce: a server that asks for more cannot have its tool called
// again and again.
func TestCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	got := invoke(t, connect(t, oddServer("wants input")), "mcp__odd__one", "{}")
	if !got.Throws || !strings.Contains(got.Output, "asks a person") {
		t.Errorf("%+v", got)
	}
}

// TestConnectEndsWithItsContext: it waits for nothing that a server does not do.
func TestConnectEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"some pings", "says nothing", "floods of pings"} {
		for _, at := range []string{"initialize", "tools/list"} {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			began := time.Now()
			_, err := mcptools.Connect(ctx, mcptools.Server{Name: "odd", Command: []string{os.Args[0], "serve", "hostile", mode, at}})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Minute {
				t.Errorf("%s at %s, after %v: %v", mode, at, time.Since(began), err)
			}
		}
	}
}
