package runtime

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// entryCost is what an entry counts for besides its text, about as much as it takes in a
// report, so that empty entries are limited too.
const entryCost = 64

// levels are the methods of the console.
var levels = []string{"log", "info", "warn", "error", "debug"}

// logBook keeps what the script logged: half of the limit from the beginning and half from
// the end, with an entry between them that says what was dropped.
type logBook struct {
	limit    int64
	began    time.Time
	observer func(Entry)

	head, tail           []Entry
	headBytes, tailBytes int64
	tailSizes            []int64 // of tail, without markers
	dropped              int
	droppedBytes         int64
	cut                  bool
}

func (b *logBook) add(log wire.Log) {
	if !slices.Contains(levels, log.Level) { // a worker can send anything
		log.Level = "log"
	}
	entry := Entry{Level: log.Level, Text: log.Text, At: time.Since(b.began)}
	half := max(b.limit/2, 1)
	head, tail := log.Text, log.Tail
	whole := max(log.Bytes, int64(len(head)+len(tail)))
	if int64(plain.Quoted(head)+plain.Quoted(tail)) > half {
		if tail == "" {
			tail = head
		}
		head, tail = headWithin(head, half-half/2), tailWithin(tail, half/2)
	}
	if missing := whole - int64(len(head)+len(tail)); missing > 0 {
		entry.Text = fmt.Sprintf("%s\n… %d of %d bytes dropped here (%s) …\n%s", head, missing, whole, LimitOutputBytes, tail)
		b.cut = true
	}
	observe(b.observer, entry)
	size := int64(plain.Quoted(head)+plain.Quoted(tail)) + entryCost
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

// entries returns what was kept, and whether anything was dropped.
func (b *logBook) entries() ([]Entry, bool) {
	out := append([]Entry(nil), b.head...)
	if b.dropped > 0 {
		out = append(out, Entry{Level: "warn", At: b.tail[0].At,
			Text: fmt.Sprintf("… %d entries, %d bytes, dropped here (maxOutputBytes) …", b.dropped, b.droppedBytes)})
	}
	return append(out, b.tail...), b.dropped > 0 || b.cut
}

// headWithin returns the longest beginning of a text that takes at most limit bytes in a
// JSON string.
func headWithin(text string, limit int64) string {
	for i, r := range text {
		if limit -= int64(plain.Quoted(string(r))); limit < 0 {
			return text[:i]
		}
	}
	return text
}

// tailWithin is headWithin from the other end.
func tailWithin(text string, limit int64) string {
	for i := len(text); i > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if limit -= int64(plain.Quoted(string(r))); limit < 0 {
			return text[i:]
		}
		i -= size
	}
	return text
}
