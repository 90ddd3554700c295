package runtime

import "github.com/scriptrun/scriptrun/hostapi"

// Observer is notified of what a run does as it happens. Its functions are called from
// several goroutines and must not block. A panic in one of them is ignored. The zero
// Observer does nothing.
type Observer struct {
	// CallStarted is called when a tool is invoked.
	CallStarted func(hostapi.Call)
	// CallEnded is called once for each call, refused ones too.
	CallEnded func(hostapi.Record)
	// CallOutput is called with the output of commands as it comes, in the foreground and in
	// the background. Unlike the others it can block: it has a goroutine of its own for each
	// run. Output that comes while 256 KiB wait is dropped, and CallOutput is told how much.
	// It can be called after CallEnded, until 250 ms after the end of a run.
	CallOutput func(hostapi.CallOutput)
	// Logged is called for each console entry, also for those that the report drops.
	Logged func(Entry)
	// Progressed is called when the script calls ctx.progress.
	Progressed func(Progress)
}

// and notifies both observers, except of CallOutput: there each has its own queue.
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

// observe notifies an observer of an event, and ignores its panics.
func observe[T any](tell func(T), event T) {
	if tell == nil {
		return
	}
	defer func() { _ = recover() }()
	tell(event)
}

// Progress is how far a script says that it has come.
type Progress struct {
	// Done of Total; 0 if unknown.
	Done, Total float64
	Message     string
}
