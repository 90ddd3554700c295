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
	// Logged is called for each console entry, also for those that the report
	// will not keep.
	Logged func(Entry)
	// Progressed is called when the script says how far it has come.
	Progressed func(Progress)
}

// and is an observer that tells both.
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
