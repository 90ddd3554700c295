package runtime

import (
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// entryCost is what an entry counts for besides its text, so that a million
// empty ones do not come for free.
const entryCost = 16

// logBook keeps what the script wrote: the first half of the limit and the
// last half, with an entry between them that says what is missing.
type logBook struct {
	limit    int64
	began    time.Time
	observer func(Entry)

	head, tail           []Entry
	headBytes, tailBytes int64
	tailSizes            []int64 // of tail, before a marker was put in
	dropped              int
	droppedBytes         int64
	cut                  bool
}

func (b *logBook) add(log wire.Log) {
	entry := Entry{Level: log.Level, Text: log.Text, At: time.Since(b.began)}
	if b.observer != nil {
		b.observer(entry)
	}
	half := max(b.limit/2, 1)
	if missing := log.Bytes - int64(len(log.Text)+len(log.Tail)); missing > 0 {
		entry.Text = fmt.Sprintf("%s\n… %d of %d bytes dropped here (%s) …\n%s", log.Text, missing, log.Bytes, hostapi.LimitOutputBytes, log.Tail)
		b.cut = true
	}
	size := int64(len(log.Text)+len(log.Tail)) + entryCost
	if len(b.tail) == 0 && b.dropped == 0 && b.headBytes+size <= half {
		b.head = append(b.head, entry)
		b.headBytes += size
		return
	}
	b.tail = append(b.tail, entry)
	b.tailBytes += size
	b.tailSizes = append(b.tailSizes, size)
	for b.tailBytes > half && len(b.tail) > 1 {
		first := b.tail[0]
		b.tail = b.tail[1:]
		b.tailBytes -= b.tailSizes[0]
		b.tailSizes = b.tailSizes[1:]
		b.dropped++
		b.droppedBytes += int64(len(first.Text))
	}
}

// entries is what is kept, and whether anything is missing.
func (b *logBook) entries() ([]Entry, bool) {
	out := append([]Entry(nil), b.head...)
	if b.dropped > 0 {
		out = append(out, Entry{Level: "warn", At: b.tail[0].At,
			Text: fmt.Sprintf("… %d entries, %d bytes, dropped here (maxOutputBytes) …", b.dropped, b.droppedBytes)})
	}
	return append(out, b.tail...), b.dropped > 0 || b.cut
}
