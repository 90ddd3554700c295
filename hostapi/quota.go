package hostapi

import (
	"fmt"
	"sync"
)

// The names of limits in refusals and reports.
const (
	LimitToolCalls       = "maxToolCalls"
	LimitResultBytes     = "maxResultBytes"
	LimitTotalBytes      = "maxTotalBytes"
	LimitArgsBytes       = "maxArgsBytes"
	LimitBackground      = "maxBackground"
	LimitBackgroundBytes = "maxBackgroundBytes"
)

// Quota is what one run may spend through its [Gate]. Zero means the default;
// nothing is unlimited.
type Quota struct {
	// MaxToolCalls counts calls that passed the allow-list; 20 by default.
	MaxToolCalls int
	// RaiseToolCalls names the setting that raises MaxToolCalls, for the message of a refusal;
	// empty means limits.maxToolCalls in the tool file.
	RaiseToolCalls string
	// MaxConcurrent is how many calls run at once; 8 by default. The others wait.
	MaxConcurrent int
	// MaxBackground is how many calls may run in the background at once; 8 by
	// default. The others are refused.
	MaxBackground int
	// MaxBackgroundBytes bounds what ended calls in the background keep until they are
	// released: their results, and their output, which can be read again. 128 MiB by default;
	// beyond it the next start is refused.
	MaxBackgroundBytes int64
	// MaxResultBytes caps each part of a result, in bytes of text: an escape in data counts
	// as what it stands for, and so does U+FFFD. The default is 4 MiB.
	MaxResultBytes int64
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
	if q.MaxBackgroundBytes == 0 {
		q.MaxBackgroundBytes = 128 << 20
	}
	if q.MaxResultBytes == 0 {
		q.MaxResultBytes = 4 << 20
	}
	if q.MaxArgsBytes == 0 {
		q.MaxArgsBytes = 16 << 20
	}
	if q.MaxTotalBytes == 0 {
		q.MaxTotalBytes = 256 << 20
	}
	return q
}

// budget is how much of a quota is spent. A call that fails is not refunded.
type budget struct {
	quota Quota

	mu    sync.Mutex
	calls int
	bytes int64
	args  int64 // of these bytes
}

// charge admits a call that passed the allow-list, or says which limit it
// exceeds. A refused call counts too, so that a script cannot probe for free.
func (b *budget) charge(call Call) *QuotaError {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	size := max(int64(len(call.Args)), call.TooLarge)
	over := func(limit string, most, asked int64) *QuotaError {
		return &QuotaError{Tool: call.Tool, Limit: limit, Max: most, Asked: asked}
	}
	switch {
	case b.calls > b.quota.MaxToolCalls:
		err := over(LimitToolCalls, int64(b.quota.MaxToolCalls), int64(b.calls))
		err.Raise = b.quota.RaiseToolCalls
		return err
	case size > b.quota.MaxArgsBytes, call.TooLarge > 0:
		return over(LimitArgsBytes, b.quota.MaxArgsBytes, size)
	case b.bytes+size > b.quota.MaxTotalBytes:
		return over(LimitTotalBytes, b.quota.MaxTotalBytes, b.bytes+size)
	}
	b.bytes, b.args = b.bytes+size, b.args+size
	return nil
}

// spend charges bytes that pass after a call was admitted: its result, or the
// arguments and the result of an operation.
func (b *budget) spend(size int64, args bool) *QuotaError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes+size > b.quota.MaxTotalBytes {
		return &QuotaError{Limit: LimitTotalBytes, Max: b.quota.MaxTotalBytes, Asked: b.bytes + size}
	}
	if args {
		b.args += size
	}
	b.bytes += size
	return nil
}

// has reports whether so many bytes can still pass.
func (b *budget) has(size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes+size <= b.quota.MaxTotalBytes
}

// dropped is what a script gets instead of a result that cannot pass.
func (b *budget) dropped(result Result) Result {
	return Result{
		Outcome: OutcomeFailed, ExitCode: 1, Truncated: true, Bytes: result.Bytes, Notes: result.Notes, Unheard: result.Unheard,
		Output: fmt.Sprintf("the result of %d bytes was dropped: the run's calls have used up %s=%d",
			result.Bytes, LimitTotalBytes, b.quota.MaxTotalBytes),
	}
}

// used returns the admitted calls, never more than the quota, and the bytes of arguments.
func (b *budget) used() (calls int, args int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(b.calls, b.quota.MaxToolCalls), b.args
}
