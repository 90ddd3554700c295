package protect

import "time"

// settleTime is more than the kernel's clock for files takes to move on: a file that changed
// less than that before a look may change again and bear the same time.
const settleTime = 50 * time.Millisecond

// coarseTime is how long that takes at most on file systems that keep whole seconds.
const coarseTime = 2 * time.Second

// latest is the last moment at which a file may have changed that bears this time.
func (f fileID) latest() int64 {
	if f.changed%int64(time.Second) == 0 {
		return f.changed + int64(coarseTime)
	}
	return f.changed
}

// settled reports whether a file that was looked at then bears another time now if it has
// changed since.
func (f fileID) settled(at time.Time) bool {
	return f.changed != 0 && at.UnixNano()-f.latest() >= int64(settleTime)
}
