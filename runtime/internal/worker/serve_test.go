package worker

import (
	"bytes"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"go.uber.org/goleak"
)

// line is a host that says one thing and listens.
type line struct {
	io.Reader
	io.Writer
}

func (line) ready(time.Duration) bool { return true }

// said is what a host hears of a server that is sent these frames, to its end.
func said(t testing.TB, sent []byte) (code int, heard []wire.Frame) {
	t.Helper()
	reader, writer := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		in := wire.NewReader(reader)
		for {
			f, err := in.Read()
			if err != nil {
				_, _ = io.Copy(io.Discard, reader)
				return
			}
			heard = append(heard, f)
		}
	}()
	code = serve(line{bytes.NewReader(sent), writer}, nil, nil)
	_ = writer.Close()
	<-done
	return code, heard
}

func encoded(t testing.TB, frames ...wire.Frame) (out []byte) {
	t.Helper()
	for _, f := range frames {
		data, err := wire.Encode(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data...)
	}
	return out
}

func start(source string) wire.Frame {
	f, err := wire.New(wire.KindStart, wire.Start{Name: "t.js", Digest: source, Source: source, Entry: "run", MaxOutputBytes: 1000, MaxMemoryBytes: 64 << 20}, nil)
	if err != nil {
		panic(err)
	}
	return f
}

func TestServeSaysHello(t *testing.T) {
	t.Parallel()
	code, heard := said(t, nil)
	if code != 0 || len(heard) != 1 || heard[0].Kind != wire.KindHello {
		t.Errorf("%d, %v", code, heard)
	}
}

func TestServeEndsAtWhatIsNoFrame(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"x", "\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x01\xff\xff\xff\xff\x00\x00\x00\x00", "GET / HTTP/1.1\r\n\r\n"} {
		if code, _ := said(t, []byte(sent)); code != exitBroken {
			t.Errorf("%q: %d", sent, code)
		}
	}
}

// deaf is a host that nobody may wait for.
type deaf struct{ io.ReadWriter }

func (deaf) ready(d time.Duration) bool {
	if d != 0 {
		panic("it waits")
	}
	return true
}

// TestHeardBeforeWaiting: a realm that goes to wait has not looked at what came
// at the last moment, and is sent to look.
func TestHeardBeforeWaiting(t *testing.T) {
	t.Parallel()
	sent := encoded(t, wire.Frame{Kind: wire.KindResult, Head: []byte(`{"seq":1}`), Body: []byte("{}")})
	s := &server{conn: deaf{}, in: wire.NewReader(bytes.NewReader(sent)), over: make(chan int, 1), current: realm.New(realm.Config{})}
	s.watch = time.AfterFunc(time.Hour, s.listen)
	defer s.watch.Stop()
	s.listen()
	if s.wait(-1); s.heard {
		t.Error("it is sent to look again")
	}
}

// programs are those that a fuzzed host may start: whatever programs do is for
// the tests that can kill them.
var programs = []string{"function run() { return 1 }", "function run(ctx) { return ctx.tool('a') }"}

// FuzzServe: whatever a host sends, a worker neither panics nor hangs.
func FuzzServe(f *testing.F) {
	f.Add(encoded(f, start(programs[0])))
	f.Add(encoded(f, start(programs[1]), wire.Frame{Kind: wire.KindResult, Head: []byte(`{"seq":1}`), Body: []byte("{}")}))
	f.Add(encoded(f, wire.Frame{Kind: wire.KindStop, Head: []byte("{}")}, wire.Frame{Kind: wire.KindStart, Head: []byte("[]")}))
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")) // two at once
	f.Fuzz(func(t *testing.T, sent []byte) {
		in := wire.NewReader(bytes.NewReader(sent))
		for {
			frame, err := in.Read()
			if err != nil {
				break
			}
			var head wire.Start
			if frame.Kind == wire.KindStart && frame.Decode(&head) == nil && head.Source != "" && !slices.Contains(programs, head.Source) {
				return
			}
		}
		code, heard := said(t, sent)
		if code != 0 && code != exitBroken || len(heard) < 1 {
			t.Errorf("%d, %v", code, heard)
		}
	})
}

func TestMain(m *testing.M) {
	if Is(os.Args) {
		os.Exit(Serve())
	}
	goleak.VerifyTestMain(m)
}
