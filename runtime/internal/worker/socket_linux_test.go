//go:build amd64 || arm64

package worker

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

func pair(t *testing.T) (*hostEnd, *os.File) {
	t.Helper()
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ours.Close()
		_ = theirs.Close() // it may be closed
	})
	ours.until = time.Now().Add(time.Minute)
	return ours, theirs
}

func TestHostEndReads(t *testing.T) {
	t.Parallel()
	ours, theirs := pair(t)
	if !ours.silent() {
		t.Error("it is not silent before anything was said")
	}
	sent := bytes.Repeat([]byte("0123456789"), 100_000) // more than a socket holds
	go func() {
		_, err := theirs.Write(sent)
		if err := errors.Join(err, theirs.Close()); err != nil {
			t.Error(err)
		}
	}()
	got, err := io.ReadAll(ours)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes of %d, %v", len(got), len(sent), err)
	}
	if ours.silent() {
		t.Error("an end is taken for silence")
	}
}

func TestHostEndIsLate(t *testing.T) {
	t.Parallel()
	ours, theirs := pair(t)
	var p [10]byte
	for _, until := range []time.Time{time.Now(), time.Now().Add(-time.Hour), time.Now().Add(5 * time.Millisecond)} {
		ours.until = until
		if n, err := ours.Read(p[:]); n != 0 || !errors.Is(err, errLate) || time.Now().Before(until) {
			t.Errorf("%d, %v", n, err)
		}
	}
	if _, err := theirs.WriteString("now"); err != nil {
		t.Fatal(err)
	}
	if n, err := ours.Read(p[:]); string(p[:n]) != "now" || err != nil {
		t.Errorf("what is there is never late: %q, %v", p[:n], err)
	}
}

func TestHostEndIsInterrupted(t *testing.T) {
	t.Parallel()
	ours, _ := pair(t)
	var p [10]byte
	ours.interrupt()
	ours.interrupt() // twice is once
	if _, err := ours.Read(p[:]); !errors.Is(err, errInterrupted) {
		t.Errorf("before: %v", err)
	}
	waiting := make(chan error)
	go func() {
		_, err := ours.Read(p[:])
		waiting <- err
	}()
	select {
	case err := <-waiting:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	ours.interrupt()
	if err := <-waiting; !errors.Is(err, errInterrupted) {
		t.Errorf("meanwhile: %v", err)
	}
}

func TestHostEndWritesWhatItCan(t *testing.T) {
	t.Parallel()
	ours, theirs := pair(t)
	data := make([]byte, 64<<20)
	n := ours.writeNow(data)
	if n <= 0 || n == len(data) {
		t.Errorf("%d of %d bytes were taken", n, len(data))
	}
	if got := ours.writeNow(data); got > n {
		t.Errorf("then %d", got)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	if got := ours.writeNow(data); got != 0 {
		t.Errorf("%d bytes went to nobody", got)
	}
	ours.Close()
	if _, err := ours.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("closed: %v", err)
	}
	ours.interrupt() // of no use, and no harm
}
