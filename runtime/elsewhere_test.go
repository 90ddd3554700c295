package runtime_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// over has the other side of each stream served by a function.
func over(serve func(net.Conn)) func(context.Context) (io.ReadWriteCloser, error) {
	return func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			serve(theirs)
		}()
		return ours, nil
	}
}

func serveCell(conn net.Conn) { _ = runtime.ServeCell(conn, conn) }

// frame is one that nobody has checked.
func frame(kind wire.Kind, head any, body string) []byte {
	text, err := json.Marshal(head)
	if err != nil {
		panic(err)
	}
	out := append([]byte{byte(kind)}, binary.BigEndian.AppendUint32(nil, uint32(len(text)))...)
	return append(append(binary.BigEndian.AppendUint32(out, uint32(len(body))), text...), body...)
}

// timeFor is little where a run is to use it up.
func timeFor(outcome runtime.Outcome) runtime.Limits {
	if outcome == runtime.OutcomeTimeout {
		return runtime.Limits{Timeout: 100 * time.Millisecond}
	}
	return runtime.Limits{}
}

// TestCellElsewhere: scripts call tools, fail, and are checked there, many at once.
func TestCellElsewhere(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{Cells: over(serveCell), Tools: []hostapi.Tool{echoTool}, MaxWorkers: 2})
	if runner.MaxRuns() != 2 {
		t.Errorf("%d runs at once", runner.MaxRuns())
	}
	program := compile(t, runner, "return (await ctx.tool('echo', {n: inputs.n})).data.n")
	reports := make(chan *runtime.Report)
	for range 8 {
		go func() {
			reports <- runner.Run(t.Context(), runtime.Request{Program: program, Inputs: json.RawMessage(`{"n":7}`), Allow: []hostapi.Rule{{Tool: "echo"}}})
		}()
	}
	for range 8 {
		report := <-reports
		text, err := report.MarshalJSON()
		if string(report.Value) != "7" || report.Isolation.Cell != "elsewhere" || err != nil || !strings.Contains(string(text), `"memory":"unknown"`) {
			t.Errorf("%s: %s, %v", report, text, err)
		}
	}
	if _, err := runner.Compile(t.Context(), runtime.Source{Body: []byte("export default 1 +")}); !errors.As(err, new(*runtime.CompileError)) {
		t.Error(err)
	}
	large := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, "return 'x'.repeat(1e6)"), Limits: runtime.Limits{MaxOutputBytes: 2e6}})
	if len(large.Value) != 1e6+2 {
		t.Error(large)
	}
}

// TestCellElsewhereIsAnAttacker: whatever the other side does once it has a run, the host
// has a receipt in time.
func TestCellElsewhereIsAnAttacker(t *testing.T) {
	t.Parallel()
	write := func(data []byte) func(net.Conn) {
		return func(conn net.Conn) { _, _ = conn.Write(data) }
	}
	sits := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	for name, c := range map[string]struct {
		do      func(net.Conn)
		outcome runtime.Outcome
		message string
	}{
		"dies":                {func(net.Conn) {}, "crashed", "its stream ended: EOF"},
		"dies within a frame": {write(frame(wire.KindReturn, wire.Return{}, "123456")[:12]), "crashed", "unexpected EOF"},
		"sends garbage":       {write([]byte(strings.Repeat("garbage", 1000))), "crashed", "there is no frame of kind 103"},
		"sends a giant body":  {write([]byte{byte(wire.KindReturn), 0, 0, 0, 2, 255, 255, 255, 255, '{', '}'}), "crashed", "at most"},
		"sends a giant head":  {write([]byte{byte(wire.KindReturn), 255, 255, 255, 255, 0, 0, 0, 0}), "crashed", "at most"},
		"calls out of order":  {write(frame(wire.KindCall, wire.Call{Seq: 7, Tool: "echo"}, "{}")), "crashed", "call 7"},
		"sends a start":       {write(frame(wire.KindStart, wire.Start{}, "{}")), "crashed", "start"},
		"is silent":           {sits, "timeout", ""},
		"is silent in a body": {func(conn net.Conn) {
			write(frame(wire.KindReturn, wire.Return{}, "123456")[:12])(conn)
			sits(conn)
		}, "timeout", ""},
		"asks, does not read, and dies": {func(conn net.Conn) {
			for seq := 1; seq <= 20; seq++ {
				write(frame(wire.KindCall, wire.Call{Seq: seq, Tool: "big"}, "{}"))(conn)
			}
		}, "crashed", "EOF"},
		"logs without end": {func(conn net.Conn) {
			line := frame(wire.KindLog, wire.Log{Level: "info", Text: strings.Repeat("x", 1<<20), Bytes: 1 << 20}, "")
			for {
				if _, err := conn.Write(line); err != nil {
					return
				}
			}
		}, "timeout", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := make(chan struct{})
			open := over(func(conn net.Conn) {
				defer close(closed)
				first := frame(wire.KindHello, wire.Hello{Version: worker.Version}, "")
				if _, err := conn.Write(first); err != nil {
					t.Error(err)
				}
				f, err := wire.NewReader(conn).Read()
				if err == nil && f.Kind == wire.KindStart {
					c.do(conn)
				}
			})
			runner, err := runtime.NewCheckedHere(runtime.Options{Cells: open, Tools: []hostapi.Tool{echoTool, bigTool}})
			if err != nil {
				t.Fatal(err)
			}
			report := runner.Run(t.Context(), runtime.Request{
				Program: compile(t, runner, "return 1"), Allow: []hostapi.Rule{{Tool: "echo"}, {Tool: "big"}}, Limits: timeFor(c.outcome),
			})
			if report.Outcome != c.outcome || !strings.Contains(report.Failure.Message, c.message) || report.Isolation.Abandoned {
				t.Fatal(report)
			}
			<-closed // the other side hears of the end
			if err := runner.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStreamThatNeverComes: what opens it, and what says no hello, takes no more than the
// run's time, and the place of the run is free again.
func TestStreamThatNeverComes(t *testing.T) {
	t.Parallel()
	mine := errors.New("no such machine")
	for name, c := range map[string]struct {
		open    func(context.Context) (io.ReadWriteCloser, error)
		outcome runtime.Outcome
		message string
	}{
		"it is refused": {func(context.Context) (io.ReadWriteCloser, error) { return nil, mine }, "crashed", "no such machine"},
		"it is nothing": {func(context.Context) (io.ReadWriteCloser, error) { return nil, nil }, "crashed", "gave neither a stream nor an error"},
		"it is a bug":   {func(context.Context) (io.ReadWriteCloser, error) { panic("at the disco") }, "crashed", "panicked; this is a bug of the host: at the disco"},
		"it is waited for": {func(ctx context.Context) (io.ReadWriteCloser, error) {
			<-ctx.Done()
			for range 1000 { // Close waits for it
				goruntime.Gosched()
			}
			return nil, ctx.Err()
		}, "timeout", "waiting"},
		"nobody says hello":        {over(func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }), "timeout", "waiting"},
		"the hello is of a server": {over(func(conn net.Conn) { _, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }), "crashed", "no cell at the other end"},
		"the hello is a flood": {over(func(conn net.Conn) {
			_, _ = conn.Write(frame(wire.KindHello, wire.Hello{Unconfined: strings.Repeat("x", 1<<20)}, ""))
		}), "crashed", "no cell at the other end"},
		"it is of another version": {over(func(conn net.Conn) { _, _ = conn.Write(frame(wire.KindHello, wire.Hello{Version: 99}, "")) }), "crashed", "version 99"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opened, ended atomic.Int64
			runner, err := runtime.NewCheckedHere(runtime.Options{MaxWorkers: 1, Cells: func(ctx context.Context) (io.ReadWriteCloser, error) {
				opened.Add(1)
				defer ended.Add(1)
				return c.open(ctx)
			}})
			if err != nil {
				t.Fatal(err)
			}
			program := compile(t, runner, "return 1")
			for range 2 {
				report := runner.Run(t.Context(), runtime.Request{Program: program, Limits: timeFor(c.outcome)})
				if report.Outcome != c.outcome || !strings.Contains(report.Failure.Message, c.message) {
					t.Error(report)
				}
			}
			if err := runner.Close(); err != nil || opened.Load() != 2 || ended.Load() != 2 { // a run that gets no place opens nothing
				t.Errorf("%d of 2 streams were opened, %d ended, %v", opened.Load(), ended.Load(), err)
			}
			unchecked, err := runtime.New(runtime.Options{Cells: c.open, MaxWorkers: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unchecked.Close() }()
			report := unchecked.Run(t.Context(), runtime.Request{ // the script is not to blame
				Source: &runtime.Source{Name: "a.js", FunctionBody: true, Body: []byte("return 1")}, Limits: timeFor(c.outcome),
			})
			if report.Outcome != c.outcome || c.outcome == "crashed" && !strings.Contains(report.Failure.Message, c.message) {
				t.Error(report)
			}
		})
	}
	if _, err := runtime.New(runtime.Options{InProcess: true, Cells: over(serveCell)}); err == nil {
		t.Error("two kinds of cells were taken")
	}
}

// TestCellServesNoMore: a cell whose host has gone stops its script, and says so of a host
// that it does not understand.
func TestCellServesNoMore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent  []byte
		fails bool
	}{
		{nil, false},
		{frame(wire.KindStart, wire.Start{Name: "t.js", Digest: "d", Source: "function run() { for (;;) {} }", Entry: "run"}, "{}"), false},
		{[]byte("GET / HTTP/1.1\r\n\r\n"), true},
	} {
		ours, theirs := net.Pipe()
		ended := make(chan error)
		go func() { ended <- runtime.ServeCell(theirs, theirs) }()
		if f, err := wire.NewReader(ours).Read(); err != nil || f.Kind != wire.KindHello {
			t.Fatal(f, err)
		}
		if _, err := ours.Write(c.sent); err != nil {
			t.Error(err)
		}
		if !c.fails {
			_ = ours.Close()
		}
		if err := <-ended; (err != nil) != c.fails {
			t.Errorf("%q: %v", c.sent, err)
		}
		_, _ = ours.Close(), theirs.Close()
	}
}
