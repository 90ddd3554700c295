package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// TestNobodyReadsStderr: the writer never waits, and a late reader learns how much is missing,
// between the parts that were kept.
func TestNobodyReadsStderr(t *testing.T) {
	t.Parallel()
	out, in := io.Pipe()
	l := newLossy(in)
	line := strings.Repeat("x", 999) + "\n"
	for range 1000 {
		fmt.Fprint(l, line)
	}
	l.end(time.Millisecond) // nobody waits longer
	var got bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&got, out)
	}()
	<-l.done
	_ = in.Close()
	<-read
	if n := got.Len(); n < maxUnread-len(line) || n > 2*maxUnread {
		t.Errorf("%d bytes were kept", n)
	}

	var all bytes.Buffer
	l = newLossy(&all)
	fmt.Fprint(l, strings.Repeat("y", maxUnread+1)) // it never fits
	fmt.Fprint(l, "after\n")
	l.end(time.Minute)
	if want := fmt.Sprintf("scriptrun: %d bytes were left out here, because nobody read\nafter\n", maxUnread+1); all.String() != want {
		t.Errorf("%q", all.String())
	}
}
