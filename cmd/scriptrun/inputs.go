package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/runtime"
)

// maxInput bounds the bytes read from a file or stdin.
const maxInput = runtime.MaxInputBytes

// inputs reads --input and the arguments, which come on top of it.
func (f *runFlags) inputs(s *session, args []string, parse func([]string) (json.RawMessage, error)) (json.RawMessage, error) {
	args, err := withFiles(args)
	if err != nil {
		return nil, err
	}
	over, err := parse(args)
	if err != nil || f.input == "" {
		return over, err
	}
	raw, err := f.inputFlag(s)
	if err != nil || len(args) == 0 {
		return raw, err
	}
	return onTop(raw, over, "", args)
}

// onTop is an object with the values of another in place of its own. Where an argument
// sets a part, as a.b=value does, the other parts of a stay.
func onTop(raw, over json.RawMessage, prefix string, args []string) (json.RawMessage, error) {
	var all, top map[string]json.RawMessage
	if err := json.Unmarshal(over, &top); err != nil {
		return nil, err
	}
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return over, nil // there are no parts to keep
	}
	for key, value := range top {
		path := prefix + key + "."
		if under, ok := all[key]; ok && slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, path) }) {
			var err error
			if value, err = onTop(under, value, path, args); err != nil {
				return nil, err
			}
		}
		all[key] = value
	}
	return json.Marshal(all)
}

// withFiles replaces values that name a file, as in key=@file, by its text; a value
// that begins with an @ is written with two.
func withFiles(args []string) ([]string, error) {
	args = slices.Clone(args)
	for i, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		path, named := strings.CutPrefix(value, "@")
		switch {
		case !named:
		case strings.HasPrefix(path, "@"):
			args[i] = key + "=" + path
		default:
			text, err := regular.Read(path, maxInput)
			if err != nil {
				return nil, fmt.Errorf("%s: %w; a value that begins with an @ is written with two: %s=@@…", key, err, key)
			}
			args[i] = key + "=" + string(text)
		}
	}
	return args, nil
}

// inputFlag reads --input.
func (f *runFlags) inputFlag(s *session) (json.RawMessage, error) {
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
	// It is only checked, not decoded: the schema counts the parts first.
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

// read runs do, which may wait for ever, such as for a pipe that nobody writes to. It
// returns when the session ends, and leaves do behind.
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

// refuse is the report of a run that did not begin, because it was refused or the
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
