package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// scripted is a cell that says what it was told to, whatever it hears.
type scripted struct {
	out  chan wire.Frame
	bell chan struct{}
}

func (c scripted) send(wire.Frame)              {}
func (scripted) Room(<-chan struct{})           {}
func (c scripted) Interrupt()                   { c.bell <- struct{}{} }
func (c scripted) Watch(int64)                  {}
func (c scripted) Over() bool                   { return false }
func (c scripted) memory(bool) (int64, bool)    { return 0, false }
func (c scripted) WideBytes() int               { return 0 }
func (c scripted) Admit()                       {}
func (c scripted) kill() bool                   { return true }
func (c scripted) end(bool)                     {}
func (c scripted) cpu() (time.Duration, bool)   { return 0, false }
func (c scripted) death(time.Time) worker.Death { return worker.Death{Text: "exit status 1"} }
func (c scripted) kind() (string, []string)     { return cellWorker, nil }

func (c scripted) Next(until time.Time) (wire.Frame, worker.Arrival) {
	select {
	case f, more := <-c.out:
		if !more {
			return f, worker.Ended
		}
		return f, worker.Arrived
	case <-c.bell:
		return wire.Frame{}, worker.Interrupted
	case <-time.After(time.Until(until)):
		return wire.Frame{}, worker.Late
	}
}

// FuzzReceive: whatever a worker sends, there is one receipt, which is true to
// what the tool has seen.
func FuzzReceive(f *testing.F) {
	add := func(frames ...wire.Frame) {
		var out []byte
		for _, frame := range frames {
			data, err := wire.Encode(frame)
			if err != nil {
				f.Fatal(err)
			}
			out = append(out, data...)
		}
		f.Add(out)
	}
	add(wire.Frame{Kind: wire.KindReturn, Head: []byte("{}"), Body: []byte("1")})
	add(wire.Frame{Kind: wire.KindCall, Head: []byte(`{"seq":1,"tool":"count","line":1,"col":1}`), Body: []byte("{}")},
		wire.Frame{Kind: wire.KindOperate, Head: []byte(`{"seq":-1,"handle":1,"operation":"wait"}`), Body: []byte("{}")},
		wire.Frame{Kind: wire.KindLog, Head: []byte(`{"level":"warn","text":"x","bytes":-9}`)},
		wire.Frame{Kind: wire.KindProgress, Head: []byte(`{"done":1e308}`)},
		wire.Frame{Kind: wire.KindThrow, Head: []byte(`{"cause":"thrown","seq":1,"stack":[{"line":-5,"col":99999999}]}`)})
	add(wire.Frame{Kind: wire.KindReturn, Head: []byte(`{"tooLarge":-1,"usage":{"runNS":-1}}`), Body: []byte("{")})
	runner, err := New(Options{InProcess: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { runner.Close() })
	program, err := runner.Compile(f.Context(), Source{Name: "t.js", Body: []byte("return 1"), FunctionBody: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		invoked := make(chan struct{}, 1000)
		registry, err := hostapi.NewRegistry(&hostapi.Func{ToolName: "count", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
			invoked <- struct{}{}
			return hostapi.Succeed("x"), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		r := &Runner{registry: registry, options: runner.options}
		e := newExecution(t.Context(), r, Request{Program: program, Allow: []hostapi.Rule{{Tool: "count"}}, Limits: Limits{MaxToolCalls: 3}})
		cell := scripted{make(chan wire.Frame), make(chan struct{}, 10)}
		e.cell = cell
		e.openGate()
		told := make(chan struct{})
		go func() {
			defer close(cell.out)
			in := wire.NewReader(bytes.NewReader(sent))
			for {
				frame, err := in.Read()
				if err != nil {
					return
				}
				select {
				case cell.out <- frame:
				case <-told:
					return
				}
			}
		}()
		end := e.converse()
		if end.why.external() {
			e.stop(&end)
		}
		close(told)
		report := e.settle(end)
		text, err := json.Marshal(report)
		if err != nil || !json.Valid(text) || report.Outcome == "" {
			t.Errorf("%v: %s", err, text)
		}
		ran := 0
		for _, call := range report.Calls {
			if call.Invoked() {
				ran++
			}
		}
		if ran != len(invoked) || ran > 3 {
			t.Errorf("%d calls ran; the receipt has %d: %s", len(invoked), ran, text)
		}
	})
}
