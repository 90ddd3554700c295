package runtime

import (
	"cmp"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Limits bounds one run. A zero field means its default, never "no limit".
type Limits struct {
	// Timeout is the wall time of the run: 1 ms … 10 min, 30 s by default.
	Timeout time.Duration
	// MaxToolCalls counts calls that passed the allow-list: 1 … 1,000, 20 by
	// default.
	MaxToolCalls int
	// MaxOutputBytes caps what leaves the script, the final value and the logs, each on
	// its own: 1 … 16 MiB, 64 KiB by default.
	MaxOutputBytes int64
	// MaxResultBytes caps what comes into it, each part of a tool result: 1 … 64 MiB. By
	// default it is MaxOutputBytes if that is set, and else 4 MiB.
	MaxResultBytes int64
	// MaxMemoryBytes bounds the cell's memory: 64 MiB … 2 GiB, 256 MiB by
	// default.
	MaxMemoryBytes int64
}

// DefaultLimits has the values that zero fields of [Limits] stand for.
func DefaultLimits() Limits {
	return Limits{Timeout: 30 * time.Second, MaxToolCalls: 20, MaxOutputBytes: 64 << 10, MaxResultBytes: 4 << 20, MaxMemoryBytes: 256 << 20}
}

// MinLimits has the smallest limits that a tool file can set.
func MinLimits() Limits {
	return Limits{Timeout: time.Millisecond, MaxToolCalls: 1, MaxOutputBytes: 1, MaxResultBytes: 1, MaxMemoryBytes: 64 << 20}
}

// MaxLimits has the largest limits that a tool file can set.
func MaxLimits() Limits {
	return Limits{Timeout: 10 * time.Minute, MaxToolCalls: 1000, MaxOutputBytes: 16 << 20, MaxResultBytes: 64 << 20, MaxMemoryBytes: 2 << 30}
}

// MaxConcurrent is how many calls of one run are made at the same time.
const MaxConcurrent = 8

// MaxRefusals is how many refused calls a run can have. One more ends it.
const MaxRefusals = 1000

// MaxSourceBytes is the largest source that [Runner.Compile] accepts.
const MaxSourceBytes = 192 << 10

// What a source can import: files of the author, and bytes of them together; files that are read
// of packages, bytes of each, and of all.
const (
	MaxImports       = 200
	MaxImportedBytes = 1 << 20

	MaxPackageFiles     = 2000
	MaxPackageFileBytes = 2 << 20
	MaxPackageBytes     = 8 << 20
)

// LimitError is a limit that is out of range.
type LimitError struct {
	Field    string // as in a tool file: timeoutMs, …
	Value    int64
	Min, Max int64
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s is %d; it must be in the range %d to %d", e.Field, e.Value, e.Min, e.Max)
}

// orDefault fills zero fields.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Timeout: cmp.Or(l.Timeout, d.Timeout), MaxToolCalls: cmp.Or(l.MaxToolCalls, d.MaxToolCalls),
		MaxOutputBytes: cmp.Or(l.MaxOutputBytes, d.MaxOutputBytes),
		MaxResultBytes: cmp.Or(l.MaxResultBytes, l.MaxOutputBytes, d.MaxResultBytes), MaxMemoryBytes: cmp.Or(l.MaxMemoryBytes, d.MaxMemoryBytes),
	}
}

// Narrow returns l with every field that other sets lowered to it. It never
// raises one: a zero field of other changes nothing.
func (l Limits) Narrow(other Limits) Limits {
	l = l.orDefault()
	return Limits{
		Timeout: lower(l.Timeout, other.Timeout), MaxToolCalls: lower(l.MaxToolCalls, other.MaxToolCalls),
		MaxOutputBytes: lower(l.MaxOutputBytes, other.MaxOutputBytes),
		MaxResultBytes: lower(l.MaxResultBytes, cmp.Or(other.MaxResultBytes, other.MaxOutputBytes)), MaxMemoryBytes: lower(l.MaxMemoryBytes, other.MaxMemoryBytes),
	}
}

// Of returns the limit with a name of tool files, such as maxToolCalls; timeoutMs is in
// nanoseconds. Zero is a limit that is not set. A name that there is not stands for maxMemoryBytes.
func (l Limits) Of(name string) int64 {
	switch name {
	case limitTimeout:
		return int64(l.Timeout)
	case hostapi.LimitToolCalls:
		return int64(l.MaxToolCalls)
	case LimitOutputBytes:
		return l.MaxOutputBytes
	case hostapi.LimitResultBytes:
		return cmp.Or(l.MaxResultBytes, l.MaxOutputBytes)
	}
	return l.MaxMemoryBytes
}

// lower is limit, or other if that is set and lower.
func lower[T int | int64 | time.Duration](limit, other T) T { return min(limit, cmp.Or(other, limit)) }

// Check returns a *[LimitError] for the first field that is set and out of
// range.
func (l Limits) Check() error {
	lo, hi := MinLimits(), MaxLimits()
	for _, f := range []struct {
		name        string
		value       int64
		least, most int64
	}{
		{limitTimeout, int64(l.Timeout), int64(lo.Timeout), int64(hi.Timeout)},
		{hostapi.LimitToolCalls, int64(l.MaxToolCalls), int64(lo.MaxToolCalls), int64(hi.MaxToolCalls)},
		{LimitOutputBytes, l.MaxOutputBytes, lo.MaxOutputBytes, hi.MaxOutputBytes},
		{hostapi.LimitResultBytes, l.MaxResultBytes, lo.MaxResultBytes, hi.MaxResultBytes},
		{LimitMemory, l.MaxMemoryBytes, lo.MaxMemoryBytes, hi.MaxMemoryBytes},
	} {
		if f.value == 0 || f.least <= f.value && f.value <= f.most {
			continue
		}
		if f.name == limitTimeout {
			ms := int64(time.Millisecond)
			return &LimitError{Field: f.name, Value: f.value / ms, Min: f.least / ms, Max: f.most / ms}
		}
		return &LimitError{Field: f.name, Value: f.value, Min: f.least, Max: f.most}
	}
	return nil
}
