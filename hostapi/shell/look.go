package shell

import (
	"github.com/scriptrun/scriptrun/hostapi"
)

// seen is the result of output and waitOutput: what the command wrote since an earlier
// one, and its state.
type seen struct {
	Output         string `json:"output"`
	Stdout         string `json:"stdout"`
	Stderr         string `json:"stderr"`
	OutputEncoding string `json:"outputEncoding,omitempty"` // "base64" if it is not UTF-8
	StdoutEncoding string `json:"stdoutEncoding,omitempty"`
	StderrEncoding string `json:"stderrEncoding,omitempty"`
	Next           int64  `json:"next"` // since for what comes after this
	Running        bool   `json:"running"`
	ExitCode       *int   `json:"exitCode"`
	Signal         string `json:"signal"`
	TimedOut       bool   `json:"timedOut"`
	Truncated      bool   `json:"truncated"`
	// DroppedBytes counts the bytes between since and next that Output leaves out; -1 for
	// an unknown number.
	DroppedBytes int64 `json:"droppedBytes"`
}

// look is a snapshot as a result, within the limit.
func (j *job) look(out Output) hostapi.Result {
	limit := out.limit(j.command.Limits)
	s := seen{Next: out.Both.Total, Running: out.Status == nil}
	if out.Status != nil {
		code := out.Status.told()
		s.ExitCode, s.Signal, s.TimedOut = &code, out.Status.Signal, out.Status.TimedOut
	}
	var missing [2]int64
	s.Output, s.OutputEncoding, s.DroppedBytes = out.Both.encoded(limit/2, out.where())
	s.Stdout, s.StdoutEncoding, missing[0] = out.Stdout.encoded(limit/4, "")
	s.Stderr, s.StderrEncoding, missing[1] = out.Stderr.encoded(limit/4, "")
	s.DroppedBytes = max(s.DroppedBytes, -1)
	s.Truncated = s.DroppedBytes != 0 || missing[0] != 0 || missing[1] != 0
	data, err := marshal(s)
	if err != nil {
		return hostapi.Fail(err.Error())
	}
	return hostapi.Result{Outcome: hostapi.OutcomeOK, Data: data, Truncated: s.Truncated}
}
