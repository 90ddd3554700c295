package hostapi_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// writer is a tool that writes what it is told, some of it at a time.
func writer(write func(to func(string, []byte))) hostapi.Tool {
	return &hostapi.Func{ToolName: "writer", Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		write(call.Output)
		return hostapi.Succeed(""), nil
	}}
}

func watched(t *testing.T, tool hostapi.Tool, outputs ...func(hostapi.CallOutput)) *hostapi.Gate {
	t.Helper()
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	return hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: tool.Name()}}}, Outputs: outputs})
}

// What a call writes is told in order, before the call has ended.
func TestOutputIsToldAsItComes(t *testing.T) {
	t.Parallel()
	told := make(chan hostapi.CallOutput)
	gate := watched(t, writer(func(to func(string, []byte)) {
		for i, stream := range []string{"stdout", "stderr", "stdout"} {
			p := fmt.Appendf(nil, "%d", i)
			to(stream, p)
			p[0] = 'x' // it is ours again
			if got := <-told; got.Seq != 1 || got.Tool != "writer" || got.Stream != stream || string(got.Data) != fmt.Sprint(i) || got.Dropped != 0 {
				t.Errorf("%d: %+v", i, got)
			}
		}
	}), func(o hostapi.CallOutput) { told <- o })
	defer gate.Close(time.Minute)
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "writer"}); err != nil {
		t.Fatal(err)
	}
}

// Nobody waits for an observer: what one does not take is dropped and counted,
// and the others are told all.
func TestSlowObserverIsToldWhatItMissed(t *testing.T) {
	t.Parallel()
	const pieces, size = 300, 4 << 10
	var mu sync.Mutex
	var slow, quick []hostapi.CallOutput
	taken := make(chan struct{}, pieces)
	open := make(chan struct{})
	gate := watched(t, writer(func(to func(string, []byte)) {
		for i := range pieces {
			to([]string{"stdout", "stderr"}[i%2], bytes.Repeat([]byte{byte('a' + i%26)}, size))
			<-taken
		}
	}), func(o hostapi.CallOutput) {
		<-open
		mu.Lock()
		defer mu.Unlock()
		slow = append(slow, o)
	}, func(o hostapi.CallOutput) {
		mu.Lock()
		defer mu.Unlock()
		quick = append(quick, o)
		taken <- struct{}{}
		panic("an observer's own matter")
	})
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "writer"}); err != nil {
		t.Fatal(err)
	}
	close(open)
	gate.Close(time.Minute)
	mu.Lock()
	defer mu.Unlock()
	sums := func(all []hostapi.CallOutput) (data, dropped int64) {
		for _, o := range all {
			data += int64(len(o.Data))
			dropped += o.Dropped
		}
		return data, dropped
	}
	if data, dropped := sums(quick); data != pieces*size || dropped != 0 {
		t.Errorf("the quick one was told %d of %d bytes, and of %d that it missed", data, pieces*size, dropped)
	}
	data, dropped := sums(slow)
	if data+dropped != pieces*size || data < 200<<10 || data > 300<<10 {
		t.Errorf("the slow one was told %d of %d bytes, and of %d that it missed", data, pieces*size, dropped)
	}
	if end := slow[len(slow)-1]; len(end.Data) != 0 || end.Dropped == 0 {
		t.Errorf("at the end of the call it was told %d bytes and of %d that it missed", len(end.Data), end.Dropped)
	}
}

// An observer that never returns does not hold up the end of a run, and is told
// nothing afterwards.
func TestObserverThatNeverReturns(t *testing.T) {
	t.Parallel()
	began, open, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	told := 0
	var late func(string, []byte)
	gate := watched(t, writer(func(to func(string, []byte)) {
		late = to
		to("stdout", []byte("one"))
		to("stderr", []byte("two"))
	}), func(hostapi.CallOutput) {
		if told++; told == 1 {
			close(began)
		}
		<-open
		close(left) // a second time would panic, and be told below
	})
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "writer"}); err != nil {
		t.Fatal(err)
	}
	<-began
	if unsettled := gate.Close(10 * time.Millisecond); len(unsettled) != 0 {
		t.Errorf("%v", unsettled)
	}
	late("stdout", []byte(strings.Repeat("x", 10)))
	close(open)
	<-left
	if told != 1 {
		t.Errorf("it was told %d times", told)
	}
}

// Where nobody watches, tools need not even say it.
func TestNobodyWatches(t *testing.T) {
	t.Parallel()
	gate := watched(t, writer(func(to func(string, []byte)) {
		if to != nil {
			t.Error("somebody is told")
		}
	}), nil)
	defer gate.Close(time.Minute)
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "writer"}); err != nil {
		t.Fatal(err)
	}
}

// What an observer missed is told where it is missing: what comes after a gap is
// not joined to what came before it.
func TestGapIsToldWhereItIs(t *testing.T) {
	t.Parallel()
	const full, rest, lost = 64 << 10, 60 << 10, 8 << 10 // four pieces are all that is kept
	took, next := make(chan struct{}, 10), make(chan struct{})
	var told []string
	gate := watched(t, writer(func(to func(string, []byte)) {
		write := func(letter string, size int) { to("stdout", bytes.Repeat([]byte(letter), size)) }
		write("a", 1)
		<-took // and holds it, so that all below waits
		for range 3 {
			write("b", full)
		}
		write("b", rest)
		write("c", lost)
		next <- struct{}{}
		<-took // there is room again
		write("d", 100)
		close(next)
	}), func(o hostapi.CallOutput) {
		told = append(told, fmt.Sprintf("%d lost, %d to %c", o.Dropped, len(o.Data), o.Data[len(o.Data)-1]))
		took <- struct{}{}
		<-next
	})
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "writer"}); err != nil {
		t.Fatal(err)
	}
	gate.Close(time.Minute)
	want := []string{"0 lost, 1 to a", "0 lost, 65536 to b", "0 lost, 65536 to b", "0 lost, 65536 to b", "0 lost, 61440 to b", "8192 lost, 100 to d"}
	if !slices.Equal(told, want) {
		t.Errorf("it was told %q", told)
	}
}
