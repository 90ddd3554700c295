package sandbox

import (
	"sync"
	"testing"
	"time"
)

// TestWhoAsksAtTheSameTimeSharesACensus, which began after they asked.
func TestWhoAsksAtTheSameTimeSharesACensus(t *testing.T) {
	t.Parallel()
	began, goOn := make(chan struct{}), make(chan struct{})
	reads := 0
	c := &census{read: func() []process {
		reads++
		began <- struct{}{}
		<-goOn
		return []process{{pid: reads}}
	}}
	var asked sync.WaitGroup
	ask := func(want int) {
		asked.Go(func() {
			if got := c.processes(); len(got) != 1 || got[0].pid != want {
				t.Errorf("got %v; want that of census %d", got, want)
			}
		})
	}
	ask(1)
	<-began
	for range 30 {
		ask(2)
	}
	for ; ; time.Sleep(time.Millisecond) { // nothing tells
		c.mu.Lock()
		waits := c.next != nil && c.next.asked == 30
		c.mu.Unlock()
		if waits {
			break
		}
	}
	goOn <- struct{}{}
	<-began
	ask(3) // which must not get what is being read
	goOn <- struct{}{}
	<-began
	goOn <- struct{}{}
	asked.Wait()
	ask(4)
	<-began
	goOn <- struct{}{}
	asked.Wait()
}
