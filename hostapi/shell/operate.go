package shell

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// operands are the arguments of the operations on a command in the background.
type operands struct {
	Since     int64   `json:"since"`
	TimeoutMs int64   `json:"timeoutMs"`
	Signal    string  `json:"signal"`
	Text      *string `json:"text"`
	Base64    *string `json:"base64"`
	Cols      uint16  `json:"cols"`
	Rows      uint16  `json:"rows"`
}

// operandsOf decodes the arguments of an operation, and refuses unknown names.
func operandsOf(operation string, raw json.RawMessage) (args operands, err error) {
	takes := map[string][]string{
		"output": {"since"}, hostapi.OperationWaitOutput: {"since", "timeoutMs"},
		"write": {"text", "base64"}, "resize": {"cols", "rows"}, "kill": {"signal"},
	}[operation]
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return operands{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case slices.Contains(takes, name):
		case len(takes) == 0:
			return operands{}, fmt.Errorf("unknown option %q; it takes none", name)
		default:
			return operands{}, fmt.Errorf("unknown option %q; expected %s", name, strings.Join(takes, ", "))
		}
	}
	err = json.Unmarshal(raw, &args)
	return args, err
}

// Operate implements [hostapi.Handle].
func (j *job) Operate(ctx context.Context, operation string, raw json.RawMessage) (hostapi.Result, error) {
	args, err := operandsOf(operation, raw)
	if err != nil {
		return hostapi.Result{}, fmt.Errorf("%s: %w", operation, err)
	}
	if args.Since < 0 {
		return hostapi.Result{}, fmt.Errorf("since is %d; expected a number of bytes, such as next of the output before", args.Since)
	}
	switch operation {
	case "output":
		return j.output(ctx, args.Since)
	case hostapi.OperationWaitOutput:
		return j.waitOutput(ctx, args)
	case "write":
		var p []byte
		if p, err = args.bytes(); err != nil {
			return hostapi.Result{}, err
		}
		err = j.interactive(func(b Interactive) error { return b.Write(ctx, j.id, p) })
	case "closeInput":
		err = j.interactive(func(b Interactive) error { return b.CloseInput(ctx, j.id) })
	case "resize":
		size := sandbox.Size{Cols: args.Cols, Rows: args.Rows}
		if unfit := checkPty(size); unfit != nil {
			return hostapi.Result{}, unfit
		}
		err = j.interactive(func(b Interactive) error { return b.Resize(j.id, size) })
	case "kill":
		signal, unknown := signalNamed(args.Signal)
		if unknown != nil {
			return hostapi.Result{}, unknown
		}
		err = j.backend.Kill(j.id, signal)
	default:
		return hostapi.Result{}, fmt.Errorf("unknown operation %q; expected output, waitOutput, write, closeInput, resize, wait, kill or release", operation)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return hostapi.Result{}, context.Cause(ctx)
	case err != nil:
		return hostapi.Fail(err.Error()), nil
	}
	return hostapi.Succeed(""), nil
}

// output is what there is now.
func (j *job) output(ctx context.Context, since int64) (hostapi.Result, error) {
	if _, err := hostapi.Turn(ctx, j.kept(since)); err != nil {
		return hostapi.Result{}, err
	}
	out, err := j.backend.Output(j.id, since)
	if err != nil {
		return hostapi.Fail(err.Error()), nil
	}
	if _, err := hostapi.Turn(ctx, out.size()); err != nil {
		return hostapi.Result{}, err
	}
	return j.look(out), nil
}

// size is how many bytes of output were kept.
func (o Output) size() int64 { return int64(len(o.Both.Head) + len(o.Both.Tail)) }

// maxLookTime is the longest time to wait for output.
const maxLookTime = 10 * time.Minute

// waitOutput is output, once there is something new.
func (j *job) waitOutput(ctx context.Context, args operands) (hostapi.Result, error) {
	if args.TimeoutMs < 0 || args.TimeoutMs > maxLookTime.Milliseconds() {
		return hostapi.Result{}, fmt.Errorf("timeoutMs is %d; expected 1 to %d, or none to wait for output or the end", args.TimeoutMs, maxLookTime.Milliseconds())
	}
	patience := ctx
	if args.TimeoutMs > 0 {
		var stop context.CancelFunc
		patience, stop = context.WithTimeout(ctx, time.Duration(args.TimeoutMs)*time.Millisecond)
		defer stop()
	}
	err := j.await(patience, args.Since)
	switch over := hostapi.Waited(ctx); {
	case over != nil:
		return hostapi.Result{}, over
	case ctx.Err() != nil:
		return hostapi.Result{}, context.Cause(ctx)
	case err != nil && patience.Err() == nil:
		return hostapi.Fail(err.Error()), nil
	}
	return j.output(ctx, args.Since)
}

// How often a backend that cannot wait for output is asked.
const (
	firstAsk = 50 * time.Millisecond
	lastAsk  = time.Second
)

// await waits for output after since, or the end.
func (j *job) await(ctx context.Context, since int64) error {
	if b, ok := j.backend.(Interactive); ok {
		return b.WaitOutput(ctx, j.id, since)
	}
	for wait := firstAsk; ; wait = min(2*wait, lastAsk) {
		out, err := j.backend.Output(j.id, 0)
		if err != nil || out.Status != nil || out.Both.Total > since {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// bytes are what to write.
func (o operands) bytes() ([]byte, error) {
	switch {
	case o.Text != nil && o.Base64 == nil:
		return []byte(*o.Text), nil
	case o.Base64 != nil && o.Text == nil:
		p, err := base64.StdEncoding.DecodeString(*o.Base64)
		if err != nil {
			return nil, fmt.Errorf("base64: %w", err)
		}
		return p, nil
	}
	return nil, errors.New("expected text or bytes")
}

// interactive does what only an [Interactive] backend can.
func (j *job) interactive(do func(Interactive) error) error {
	b, ok := j.backend.(Interactive)
	if !ok {
		return errors.New("the backend of this host cannot write to a running command; put the input into a file, or into the line")
	}
	return do(b)
}
