package realm

import (
	"container/heap"
	"math"
	"slices"
	"time"

	"github.com/dop251/goja"
)

// timers are the timers of setTimeout and setInterval, the next one first.
type timers struct {
	clock clock
	heap  timerHeap
	byID  map[int64]*timer
	next  int64
}

type timer struct {
	id    int64
	due   time.Time     // by the script's clock, which orders timers
	ready time.Time     // by the machine's clock, which timers wait for
	every time.Duration // 0 for once
	loose bool          // the run does not wait for it
	fn    goja.Callable
	args  []goja.Value
	index int
}

func (t *timers) add(fn goja.Callable, delay, every time.Duration, loose bool, args []goja.Value) int64 {
	if t.byID == nil {
		t.byID = map[int64]*timer{}
	}
	t.next++
	one := &timer{id: t.next, due: t.clock.now().Add(delay), ready: time.Now().Add(delay), every: every, loose: loose, fn: fn, args: args}
	t.byID[one.id] = one
	heap.Push(&t.heap, one)
	return one.id
}

func (t *timers) remove(id int64) {
	if one, ok := t.byID[id]; ok {
		heap.Remove(&t.heap, one.index)
		delete(t.byID, id)
	}
}

// wait is the time until the next timer; ok is false if there is none.
func (t *timers) wait() (d time.Duration, ok bool) {
	if len(t.heap) == 0 {
		return 0, false
	}
	return time.Until(t.heap[0].ready), true
}

// awaited reports whether there is a timer that the run waits for.
func (t *timers) awaited() bool {
	return slices.ContainsFunc(t.heap, func(one *timer) bool { return !one.loose })
}

// due removes and returns a timer that is due, or nil.
func (t *timers) due() *timer {
	if d, ok := t.wait(); !ok || d > 0 {
		return nil
	}
	one := t.heap[0]
	t.clock.move(one.due)
	if one.every > 0 {
		one.due, one.ready = t.clock.now().Add(one.every), time.Now().Add(one.every)
		heap.Fix(&t.heap, 0)
		return one
	}
	t.remove(one.id)
	return one
}

// delay reads milliseconds as browsers and Node do: what is not a number is 0, and what does
// not fit into a 32-bit integer is 1.
func delay(v goja.Value) time.Duration {
	ms := v.ToNumber().ToFloat() // reads texts well
	if math.IsNaN(ms) || ms < 0 {
		return 0
	}
	if ms > math.MaxInt32 {
		ms = 1
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// setTimer makes setTimeout and setInterval. A run waits for timeouts, unless loose, and for
// no interval.
func (r *Realm) setTimer(repeat, loose bool) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		fn, ok := goja.AssertFunction(call.Argument(0))
		if !ok {
			panic(r.vm.NewTypeError("a timer needs a function"))
		}
		var args []goja.Value
		if len(call.Arguments) > 2 {
			args = slices.Clone(call.Arguments[2:]) // they lie on the stack of the engine
		}
		d := delay(call.Argument(1))
		every := time.Duration(0)
		if repeat {
			d = max(d, time.Millisecond)
			every = d
		}
		return r.vm.ToValue(r.timers.add(fn, d, every, repeat || loose, args))
	}
}

func (r *Realm) clearTimer(call goja.FunctionCall) goja.Value {
	if id := call.Argument(0); !goja.IsUndefined(id) && !goja.IsNull(id) {
		r.timers.remove(id.ToInteger())
	}
	return goja.Undefined()
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if !h[i].due.Equal(h[j].due) {
		return h[i].due.Before(h[j].due)
	}
	return h[i].id < h[j].id
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	one := x.(*timer)
	one.index = len(*h)
	*h = append(*h, one)
}
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	one := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return one
}
