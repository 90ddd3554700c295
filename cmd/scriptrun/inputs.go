package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/runtime"
)

// maxInput bounds what is read from a file or stdin.
const maxInput = runtime.MaxInputBytes

// inputs reads --input, or else the arguments.
func (f *runFlags) inputs(s *session, args []string, parse func([]string) (json.RawMessage, error)) (json.RawMessage, error) {
	if f.input == "" {
		return parse(args)
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("give inputs as --input or as key=value arguments, not both (%q)", args[0])
	}
	raw, from := []byte(f.input), "--input"
	var err error
	if path, ok := strings.CutPrefix(f.input, "@"); ok {
		from = path
		raw, err = regular.Read(path, maxInput)
	} else if f.input == "-" {
		from = "stdin"
		raw, err = s.read(func() ([]byte, error) { return readCapped(s.env.stdin) })
	}
	if err != nil {
		return nil, fmt.Errorf("--input: %w", err)
	}
	// It is looked through and not decoded: the schema counts the parts first.
	var whole json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%s: not JSON, at byte %d: %w", from, syntax.Offset, err)
		}
		return nil, fmt.Errorf("%s: not JSON: %w", from, err)
	}
	if raw = bytes.TrimSpace(raw); raw[0] != '{' {
		return nil, fmt.Errorf("%s: inputs must be a JSON object, such as {\"path\": \"src\"}", from)
	}
	return raw, nil
}

// read reads what may never come, such as a pipe that nobody writes to: it
// ends with the session, and the reader is left to the end of the process.
func (s *session) read(do func() ([]byte, error)) ([]byte, error) {
	type outcome struct {
		raw []byte
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		raw, err := do()
		done <- outcome{raw, err}
	}()
	select {
	case o := <-done:
		return o.raw, o.err
	case <-s.ctx.Done():
		return nil, context.Canceled
	}
}

// refuse is the report of a run that did not begin, for it was refused or the
// caller ended it first.
func (s *session) refuse(name, path string, err error) *runtime.Report {
	report := runtime.Refuse(name, path, err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		report.Outcome = runtime.OutcomeTimeout
		report.Failure.Name, report.Failure.Message = "TimeoutError", "the time was over before the run began: checking the file took all of it"
	case errors.Is(err, context.Canceled):
		report.Outcome = runtime.OutcomeCancelled
		report.Failure.Name, report.Failure.Message = "CancelledError", "cancelled before the run began"
	}
	return report
}

func readCapped(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxInput {
		return nil, fmt.Errorf("more than %d bytes", maxInput)
	}
	return raw, nil
}
