package hostapi

// The names of limits in refusals and reports.
const (
	LimitToolCalls   = "maxToolCalls"
	LimitOutputBytes = "maxOutputBytes"
	LimitTotalBytes  = "maxTotalBytes"
	LimitArgsBytes   = "maxArgsBytes"
)
