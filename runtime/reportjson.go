package runtime

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// reportJSON is the JSON of a report. Scripts depend on it: keys are added, never renamed.
type reportJSON struct {
	Run           string          `json:"run"`
	Tool          string          `json:"tool"`
	Source        sourceJSON      `json:"source"`
	Outcome       Outcome         `json:"outcome"`
	Limit         string          `json:"limit,omitempty"`
	Value         json.RawMessage `json:"value"`
	Text          string          `json:"text"`
	Error         *errorJSON      `json:"error,omitempty"`
	Calls         []callJSON      `json:"calls"`
	Logs          []logJSON       `json:"logs"`
	LogsTruncated bool            `json:"logsTruncated"`
	Notes         []Note          `json:"notes,omitempty"`
	Usage         usageJSON       `json:"usage"`
	Limits        limitsJSON      `json:"limits"`
	Isolation     isolationJSON   `json:"isolation"`
}

type sourceJSON struct {
	Path    string     `json:"path"`
	SHA256  string     `json:"sha256"`
	Imports []Imported `json:"imports,omitempty"`
}

type errorJSON struct {
	Name       string             `json:"name"`
	Code       hostapi.Code       `json:"code,omitempty"`
	Message    string             `json:"message"`
	File       string             `json:"file"`
	Line       int                `json:"line"`
	Column     int                `json:"column"`
	Frame      string             `json:"frame"`
	Stack      string             `json:"stack"`
	Violations []schema.Violation `json:"violations,omitempty"`
	Data       json.RawMessage    `json:"data,omitempty"`
}

type callJSON struct {
	Seq         int             `json:"seq"`
	Tool        string          `json:"tool"`
	Parent      int             `json:"parent,omitempty"` // the call whose tool asked for it
	Args        json.RawMessage `json:"args"`
	Site        string          `json:"site,omitempty"`
	Background  bool            `json:"background,omitempty"`
	Verdict     hostapi.Verdict `json:"verdict"`
	Rule        string          `json:"rule,omitempty"`
	Status      hostapi.Status  `json:"status"`
	ExitCode    *int            `json:"exitCode,omitempty"`
	Signal      string          `json:"signal,omitempty"`
	OutputBytes int64           `json:"outputBytes"`
	Truncated   bool            `json:"truncated"`
	StartMS     float64         `json:"startMs"`
	DurationMS  float64         `json:"durationMs"`
	Error       string          `json:"error,omitempty"`
	// Connections are those to other machines, if the hosts are limited.
	Connections        []hostapi.Connection `json:"connections,omitempty"`
	ConnectionsLeftOut int                  `json:"connectionsLeftOut,omitempty"`
	// Operations are those on what the call started.
	Operations        []operationJSON `json:"operations,omitempty"`
	OperationsLeftOut int             `json:"operationsLeftOut,omitempty"`
}

type operationJSON struct {
	Name        string          `json:"name"`
	Args        json.RawMessage `json:"args"`
	Status      hostapi.Status  `json:"status"`
	OutputBytes int64           `json:"outputBytes"`
	StartMS     float64         `json:"startMs"`
	DurationMS  float64         `json:"durationMs"`
	Error       string          `json:"error,omitempty"`
}

type logJSON struct {
	Level string  `json:"level"`
	Text  string  `json:"text"`
	MS    float64 `json:"ms"`
}

type usageJSON struct {
	WallMS          float64 `json:"wallMs"`
	CPUMS           float64 `json:"cpuMs"`
	ToolWaitMS      float64 `json:"toolWaitMs"`
	WorkerWaitMS    float64 `json:"workerWaitMs"`
	ApprovalWaitMS  float64 `json:"approvalWaitMs"`
	ToolCalls       int     `json:"toolCalls"`
	OutputBytes     int64   `json:"outputBytes"` // the older name of resultBytes
	ResultBytes     int64   `json:"resultBytes"`
	ArgumentBytes   int64   `json:"argumentBytes"`
	PeakMemoryBytes int64   `json:"peakMemoryBytes"`
}

type limitsJSON struct {
	TimeoutMS      int64 `json:"timeoutMs"`
	MaxToolCalls   int   `json:"maxToolCalls"`
	MaxOutputBytes int64 `json:"maxOutputBytes"`
	MaxResultBytes int64 `json:"maxResultBytes"`
	MaxMemoryBytes int64 `json:"maxMemoryBytes"`
}

type isolationJSON struct {
	Cell           string              `json:"cell"`
	Sandbox        sandboxJSON         `json:"sandbox"`
	Abandoned      bool                `json:"abandoned,omitempty"`
	UnsettledTools []hostapi.Unsettled `json:"unsettledTools,omitempty"`
}

// sandboxJSON says what is enforced, and how.
type sandboxJSON struct {
	Time   string `json:"time"`
	Memory string `json:"memory"`
	System string `json:"system"`
	// Tools are the measures of the tools that confine what they start.
	Tools map[string][]hostapi.Measure `json:"tools,omitempty"`
}

// sandboxFacts says what the cell and the tools enforce.
func sandboxFacts(i Isolation) sandboxJSON {
	facts := sandboxJSON{Time: "interrupt, then abandon", Memory: "sampled, whole process", System: "none", Tools: i.Measures}
	switch i.Cell {
	case cellElsewhere:
		facts.Time, facts.Memory, facts.System = "interrupt, then the stream is closed", "unknown", "unknown"
	case cellWorker:
		facts.Time, facts.Memory = "interrupt, then kill", "resident size, sampled; rlimit"
		if len(i.Confinement) > 0 {
			facts.System = strings.Join(i.Confinement, "; ")
		}
	}
	return facts
}

// MarshalJSON writes the one document that scriptrun prints with --json. Times
// are in milliseconds.
func (r *Report) MarshalJSON() ([]byte, error) {
	doc := reportJSON{
		Run: r.Run, Tool: r.Tool, Source: sourceJSON{r.Path, r.Digest, r.Imported},
		Outcome: r.Outcome, Limit: r.Limit, Value: r.Value, Text: r.Text,
		Calls: make([]callJSON, len(r.Calls)), Logs: make([]logJSON, len(r.Logs)), LogsTruncated: r.LogsTruncated, Notes: r.Notes,
		Usage: usageJSON{
			WallMS: ms(r.Usage.Wall), CPUMS: ms(r.Usage.CPU), ToolWaitMS: ms(r.Usage.ToolWait), WorkerWaitMS: ms(r.Usage.WorkerWait), ApprovalWaitMS: ms(r.Usage.ApprovalWait),
			ToolCalls: r.Usage.ToolCalls, OutputBytes: r.Usage.ResultBytes, ResultBytes: r.Usage.ResultBytes, ArgumentBytes: r.Usage.ArgumentBytes, PeakMemoryBytes: r.Usage.PeakMemoryBytes,
		},
		Limits: limitsJSON{r.Limits.Timeout.Milliseconds(), r.Limits.MaxToolCalls, r.Limits.MaxOutputBytes, r.Limits.MaxResultBytes, r.Limits.MaxMemoryBytes},
		Isolation: isolationJSON{
			Cell: r.Isolation.Cell, Sandbox: sandboxFacts(r.Isolation), Abandoned: r.Isolation.Abandoned, UnsettledTools: r.Isolation.UnsettledTools,
		},
	}
	if f := r.Failure; f != nil {
		pos, frame := f.Pos, f.Frame
		var placed interface{ Place() (Position, string) }
		if pos.Line == 0 && errors.As(r.cause, &placed) { // the message has all of them
			pos, frame = placed.Place()
		}
		doc.Error = &errorJSON{
			Name: cmp.Or(f.Name, nameFailure), Code: f.Code, Message: f.Message, File: pos.File, Line: pos.Line, Column: pos.Col,
			Frame: frame, Stack: f.stackText(), Violations: f.Violations, Data: f.Data,
		}
	}
	for i, c := range r.Calls {
		doc.Calls[i] = callJSON{
			Seq: c.Seq, Tool: c.Tool, Parent: c.Parent, Args: c.Args, Site: c.Site, Background: c.Background, Verdict: c.Verdict, Rule: c.Rule, Status: c.Status, Signal: c.Signal,
			OutputBytes: c.OutputBytes, Truncated: c.Truncated,
			StartMS: ms(c.Started.Sub(r.Started)), DurationMS: ms(c.Ended.Sub(c.Started)), Error: c.Err,
			OperationsLeftOut: c.OperationsLeftOut,
		}
		for _, op := range c.Operations {
			doc.Calls[i].Operations = append(doc.Calls[i].Operations, operationJSON{
				op.Name, op.Args, op.Status, op.OutputBytes, ms(op.Started.Sub(r.Started)), ms(op.Ended.Sub(op.Started)), op.Err,
			})
		}
		if c.Traffic != nil {
			doc.Calls[i].Connections, doc.Calls[i].ConnectionsLeftOut = c.Traffic.Connections, c.Traffic.LeftOut
		}
		if c.Invoked() {
			doc.Calls[i].ExitCode = &c.ExitCode
		}
	}
	for i, e := range r.Logs {
		doc.Logs[i] = logJSON{e.Level, e.Text, ms(e.At)}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // escaping makes six bytes of one
	err := encoder.Encode(doc)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// nameFailure is the name of the error that ctx.fail throws.
const nameFailure = "Failure"

// ms is a duration in milliseconds, to the microsecond.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
