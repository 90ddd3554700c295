package protect

import "time"

// settleTime is more than a tick of the kernel's clock for files: a file that changed less than
// that before a look may change again and keep the same time.
const settleTime = 50 * time.Millisecond

// coarseTime is the longest such tick, on file systems that keep whole seconds.
const coarseTime = 2 * time.Second

// latest is the last moment at which a file with this time may have changed.
func (f fileID) latest() int64 {
	if f.changed%int64(time.Second) == 0 {
		return f.changed + int64(coarseTime)
	}
	return f.changed
}

// settled reports whether any change since a look at that time would show in the file's time.
func (f fileID) settled(at time.Time) bool {
	return f.changed != 0 && at.UnixNano()-f.latest() >= int64(settleTime)
}
