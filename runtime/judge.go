package runtime

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// verdict is the result of checking a value.
type verdict struct {
	outcome Outcome
	value   json.RawMessage
	text    string
	whole   string // of a text that was cut
	why     string
	cause   error
}

// inPlace is the largest value that is checked on the run's own goroutine, if its schema
// makes that quick. Waking another goroutine takes a tenth of a short run.
const inPlace = 64 << 10

// judged checks the value within the rest of the run's time.
func (e *execution) judged(end ending) (v verdict, _ ending) {
	if len(end.value) <= inPlace {
		if v, done := e.judge(end, e.request.Output.ValidateQuickly); done {
			return v, end
		}
	}
	// It may continue after the run has ended: nothing writes to end from here on.
	v, done := within(e.clock, e.runner, func() verdict {
		v, _ := e.judge(end, func(value json.RawMessage) (bool, error) { return true, e.request.Output.Validate(value) })
		return v
	})
	if done && time.Now().Before(e.clock.deadline()) {
		return v, end
	}
	late := e.stopped(e.clock)
	late.doing = "; its value was being checked"
	return v, late
}

// judge checks the value. done is false if check gave up because it would be slow.
func (e *execution) judge(end ending, check func(json.RawMessage) (done bool, err error)) (v verdict, done bool) {
	value := end.value
	size, limit := max(end.returned.TooLarge, 0), e.limits.MaxOutputBytes
	// The size first: counting is much faster than looking whether it is JSON.
	if size == 0 && int64(len(value)) > limit && (value[0] != '"' || len(value) > wire.MaxTextValue) && clip.ValueSize(value) > limit {
		size = int64(len(value))
	}
	if size > wire.MaxTextValue {
		return verdict{outcome: OutcomeInvalidOutput, why: fmt.Sprintf(
			"the value is %d bytes of JSON; no more than %d can be returned, cut or not; write it to a file and return its path", size, wire.MaxTextValue)}, true
	}
	if size > 0 {
		return verdict{outcome: OutcomeInvalidOutput, why: fmt.Sprintf(
			"the value is %d bytes of JSON; %s=%d; return less, or raise %s; only text is cut", size, LimitOutputBytes, limit, e.raise(LimitOutputBytes))}, true
	}
	if !json.Valid(value) || !utf8.Valid(value) {
		return verdict{outcome: OutcomeInvalidOutput, why: "the value is not JSON"}, true
	}
	if e.request.Output != nil {
		if done, err := check(value); !done || err != nil {
			return verdict{outcome: OutcomeInvalidOutput, why: fmt.Sprintf("the value breaks output_schema: %v", err), cause: err}, done
		}
	}
	v = verdict{outcome: OutcomeOK, value: value, text: textOf(value)}
	if value[0] == '"' && clip.Size(v.text) > limit {
		v.whole, v.text = v.text, clip.Middle(v.text, limit, LimitOutputBytes)
		v.value, _ = json.Marshal(v.text)
	}
	return v, true
}

// keep puts the whole of a value that was cut into the run's folder, and notes where it is.
func (e *execution) keep(whole string) {
	text := fmt.Sprintf("the value was cut: it is a text of %d bytes; %s=%d", len(whole), LimitOutputBytes, e.limits.MaxOutputBytes)
	if dir := e.runner.options.SpillDir; dir != "" {
		dir = filepath.Join(dir, e.report.Run)
		err := os.MkdirAll(dir, 0o700)
		path := filepath.Join(dir, "value.txt")
		if err == nil {
			err = os.WriteFile(path, []byte(whole), 0o600)
		}
		if err != nil {
			text += "; it could not be kept whole: " + err.Error()
		} else {
			text += "; all of it is in " + path
		}
	}
	e.report.Notes = append(e.report.Notes, Note{Code: NoteTruncated, Text: text})
}

// textOf is a value for people. The value is compact, as JSON.stringify writes it.
func textOf(value json.RawMessage) string {
	var text string
	if value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(plain.Value(value))
}
