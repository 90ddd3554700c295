package main

import (
	"context"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// TestNothingIsLoadedWhileARunIsUnderWay: what a command puts where tools are looked for is there
// until it ends.
func TestNothingIsLoadedWhileARunIsUnderWay(t *testing.T) {
	t.Parallel()
	var q quiet
	begun, end := make(chan struct{}), make(chan struct{})
	for range 2 {
		go q.AroundRun(t.Context(), runtime.Request{}, func(context.Context) *runtime.Report {
			begun <- struct{}{}
			<-end
			return &runtime.Report{}
		})
		<-begun
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.do(t.Context(), func() {
			select {
			case <-end:
			default:
				t.Error("it was done while a run was under way")
			}
		})
	}()
	close(end)
	<-done
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	q.do(ended, func() { t.Error("it was done after the end") })
	q.do(t.Context(), func() { ended = nil })
	if ended != nil {
		t.Error("it was not done in a quiet moment")
	}
}
