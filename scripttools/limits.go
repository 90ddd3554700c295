package scripttools

import (
	"math"
	"strconv"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// limits reads the limits of a header. What is not set takes its default.
func (r *fieldReader) limits() runtime.Limits {
	var limits runtime.Limits
	if n := r.value("limits", kindMap); n != nil {
		r.unknown(n, limitKeys, "the limits")
		lo, hi := runtime.MinLimits(), runtime.MaxLimits()
		ms := int64(time.Millisecond)
		limits.Timeout = time.Duration(r.limit(n, "timeoutMs", int64(lo.Timeout)/ms, int64(hi.Timeout)/ms)) * time.Millisecond
		limits.MaxToolCalls = int(r.limit(n, "maxToolCalls", int64(lo.MaxToolCalls), int64(hi.MaxToolCalls)))
		limits.MaxOutputBytes = r.limit(n, "maxOutputBytes", lo.MaxOutputBytes, hi.MaxOutputBytes)
		limits.MaxResultBytes = r.limit(n, "maxResultBytes", lo.MaxResultBytes, hi.MaxResultBytes)
		limits.MaxMemoryBytes = r.limit(n, "maxMemoryBytes", lo.MaxMemoryBytes, hi.MaxMemoryBytes)
	}
	return limits.Narrow(runtime.Limits{}) // narrowing by nothing fills in the defaults
}

// limit reads one whole number in a range; 0 if it is absent or was refused.
func (r *fieldReader) limit(n *node, key string, least, most int64) int64 {
	f, ok := n.field(key)
	if !ok {
		return 0
	}
	name := "limits." + key
	if f.value.kind != kindNumber {
		r.wrongKind(f, name, kindNumber)
		return 0
	}
	v, ok := wholeNumber(f.value.text)
	if !ok {
		r.fail(f.value.at, "", "%s is %s; it must be a whole number in the range %d to %d", name, f.value.text, least, most)
		return 0
	}
	if v < least || v > most {
		err := &runtime.LimitError{Field: name, Value: v, Min: least, Max: most}
		r.failWith(f.value.at, "", err, "%v", err)
		return 0
	}
	return v
}

// wholeNumber reads the JSON of a number as an integer: 5, 5.0, 5e3.
func wholeNumber(text string) (int64, bool) {
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, true
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return 0, false
	}
	return int64(v), true
}
