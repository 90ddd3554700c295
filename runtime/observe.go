package runtime

import "github.com/scriptrun/scriptrun/hostapi"

// Observer is told what a run does while it does it. Its functions are called
// from several goroutines and must not block. One that panics is not told of
// that event, and nothing else comes of it. The zero Observer is silent.
type Observer struct {
	// CallStarted is called when a tool is invoked.
	CallStarted func(hostapi.Call)
	// CallEnded is called once for each call, refused ones too.
	CallEnded func(hostapi.Record)
	// CallOutput is called with what a command writes, as it comes, in the
	// foreground and in the background. Unlike the others it may take its time, on a
	// goroutine of its own for each run: what comes while 256 KiB wait for it is
	// dropped, and it is told how much. It may be called after CallEnded, and until
	// 250 ms after the end of a run; a call that is under way then goes on.
	CallOutput func(hostapi.CallOutput)
	// Logged is called for each console entry, also for those that the report
	// will not keep.
	Logged func(Entry)
	// Progressed is called when the script says how far it has come.
	Progressed func(Progress)
}

// and is an observer that tells both, but of what is written, for which each has a
// queue of its own.
func (o Observer) and(other Observer) Observer {
	return Observer{
		CallStarted: both(o.CallStarted, other.CallStarted), CallEnded: both(o.CallEnded, other.CallEnded),
		Logged: both(o.Logged, other.Logged), Progressed: both(o.Progressed, other.Progressed),
	}
}

func both[T any](first, second func(T)) func(T) {
	if first == nil || second == nil {
		if first == nil {
			return second
		}
		return first
	}
	return func(v T) {
		observe(first, v)
		observe(second, v)
	}
}

// observe tells an observer of an event. That it panics is not the run's matter.
func observe[T any](tell func(T), event T) {
	if tell == nil {
		return
	}
	defer func() { _ = recover() }()
	tell(event)
}

// Progress is a script's own account of how far it has come.
type Progress struct {
	// Done of Total; both are 0 if they are not known.
	Done, Total float64
	Message     string
}
