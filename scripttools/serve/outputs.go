package serve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
)

const (
	// outputEvery is how often a client is sent the new output of calls.
	outputEvery = 250 * time.Millisecond
	// maxOutputTold limits the output in one notification; its end is kept.
	maxOutputTold = 1 << 10
	// maxOutputsTold limits the output that one run sends: its calls and the script's
	// own messages must have room too.
	maxOutputsTold = maxNotified / 2
)

// outputs is the output of calls that was not sent yet. The lock of its [observed]
// guards it.
type outputs struct {
	calls map[int]*written
	timer *time.Timer
	told  int // bytes, so far
}

// written is the end of a call's output, and how many bytes came before it.
type written struct {
	tool string
	text string
	left int64
}

// output keeps a call's output for the next notification.
func (o *observed) output(c hostapi.CallOutput) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.outputs.told > maxOutputsTold {
		return
	}
	if o.outputs.calls == nil {
		o.outputs.calls = map[int]*written{}
	}
	w := o.outputs.calls[c.Seq]
	if w == nil {
		w = &written{tool: c.Tool}
		o.outputs.calls[c.Seq] = w
	}
	if c.Dropped > 0 {
		w.left += c.Dropped + int64(len(w.text))
		w.text = ""
	}
	w.add(string(c.Data))
	if o.outputs.timer == nil {
		o.outputs.timer = time.AfterFunc(outputEvery, o.tellOutputs)
	}
}

func (w *written) add(text string) {
	w.text += text
	kept := clip.Tail(w.text, maxOutputTold)
	w.left += int64(len(w.text) - len(kept))
	w.text = kept
}

// message is the text of a notification.
func (w *written) message(seq int) string {
	text := strings.TrimRight(plain.Text(w.text), "\n")
	if w.left > 0 {
		text = fmt.Sprintf("… %d bytes …\n%s", w.left, text)
	}
	return fmt.Sprintf("call %d: %s: %s", seq, plain.Quote(w.tool), text)
}

// tellOutputs sends the output since the last time.
func (o *observed) tellOutputs() {
	o.mu.Lock()
	calls := o.outputs.calls
	o.outputs.calls, o.outputs.timer = nil, nil
	o.mu.Unlock()
	for _, seq := range slices.Sorted(maps.Keys(calls)) {
		message := calls[seq].message(seq)
		o.mu.Lock()
		o.outputs.told += notice + len(message)
		over := o.outputs.told > maxOutputsTold
		if over {
			message += "\n… the rest is not shown while the run goes on …"
		}
		o.progress(0, message)
		o.mu.Unlock()
		if over {
			return
		}
	}
}

// endOutputs sends the rest.
func (o *observed) endOutputs() {
	o.mu.Lock()
	waiting := o.outputs.timer != nil && o.outputs.timer.Stop()
	o.mu.Unlock()
	if waiting {
		o.tellOutputs()
	}
}
