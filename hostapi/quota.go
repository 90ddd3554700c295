package hostapi

import "sync"

// The names of limits in refusals and reports.
const (
	LimitToolCalls   = "maxToolCalls"
	LimitOutputBytes = "maxOutputBytes"
	LimitTotalBytes  = "maxTotalBytes"
	LimitArgsBytes   = "maxArgsBytes"
	LimitBackground  = "maxBackground"
)

// Quota is what one run may spend through its [Gate]. A zero field means the
// default named with it; there is no way to say "none".
type Quota struct {
	// MaxToolCalls counts calls that passed the allow-list; 20 by default.
	MaxToolCalls int
	// MaxConcurrent is how many calls are invoked at once; 8 by default. More
	// wait their turn.
	MaxConcurrent int
	// MaxBackground is how many calls may be running in the background at
	// once; 8 by default. More are refused.
	MaxBackground int
	// MaxOutputBytes caps each part of a result; 65,536 by default.
	MaxOutputBytes int64
	// MaxArgsBytes caps the arguments of one call; 16 MiB by default.
	MaxArgsBytes int64
	// MaxTotalBytes caps the arguments and results of all calls together;
	// 256 MiB by default.
	MaxTotalBytes int64
}

func (q Quota) orDefault() Quota {
	if q.MaxToolCalls == 0 {
		q.MaxToolCalls = 20
	}
	if q.MaxConcurrent == 0 {
		q.MaxConcurrent = 8
	}
	if q.MaxBackground == 0 {
		q.MaxBackground = 8
	}
	if q.MaxOutputBytes == 0 {
		q.MaxOutputBytes = 64 << 10
	}
	if q.MaxArgsBytes == 0 {
		q.MaxArgsBytes = 16 << 20
	}
	if q.MaxTotalBytes == 0 {
		q.MaxTotalBytes = 256 << 20
	}
	return q
}

// budget is what has been spent of a quota. It only ever grows: a call that
// fails is not refunded.
type budget struct {
	quota Quota

	mu    sync.Mutex
	calls int
	bytes int64
}

// charge admits one call that passed the allow-list, or says which limit it
// exceeds. A refused call still counts, so that a script cannot probe for free
// and the next refusal names the next number.
func (b *budget) charge(call Call) *QuotaError {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	size := max(int64(len(call.Args)), call.TooLarge)
	over := func(limit string, most, asked int64) *QuotaError {
		return &QuotaError{Call: call, Limit: limit, Max: most, Asked: asked}
	}
	switch {
	case b.calls > b.quota.MaxToolCalls:
		return over(LimitToolCalls, int64(b.quota.MaxToolCalls), int64(b.calls))
	case size > b.quota.MaxArgsBytes, call.TooLarge > 0:
		return over(LimitArgsBytes, b.quota.MaxArgsBytes, size)
	case b.bytes+size > b.quota.MaxTotalBytes:
		return over(LimitTotalBytes, b.quota.MaxTotalBytes, b.bytes+size)
	}
	b.bytes += size
	return nil
}

// bring takes the arguments of an operation on what a call started.
func (b *budget) bring(call Call, size int64) *QuotaError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes+size > b.quota.MaxTotalBytes {
		return &QuotaError{Call: call, Limit: LimitTotalBytes, Max: b.quota.MaxTotalBytes, Asked: b.bytes + size}
	}
	b.bytes += size
	return nil
}

// spend takes what a result brought in, and reports whether it fits.
func (b *budget) spend(size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes+size > b.quota.MaxTotalBytes {
		return false
	}
	b.bytes += size
	return true
}

// used returns the calls that were admitted, which is never more than the
// quota, and the bytes.
func (b *budget) used() (calls int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(b.calls, b.quota.MaxToolCalls), b.bytes
}
