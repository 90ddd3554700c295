package hostapi

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// cutMiddle keeps the beginning and the end of s, half of limit each. A line between
// them, not counted in limit, says how many bytes are missing.
func cutMiddle(s string, limit int64) string {
	if int64(len(s)) <= limit {
		return s
	}
	head := clip.Head(s, int(limit-limit/2))
	tail := clip.Tail(s, int(limit/2))
	return fmt.Sprintf("%s\n… %d of %d bytes dropped here (maxOutputBytes) …\n%s", head, len(s)-len(head)-len(tail), len(s), tail)
}

// cap bounds every part of a result. Text keeps its beginning and its end. Data and
// metadata would be no JSON if they were cut: over the limit, data is dropped, and
// metadata says how large they were.
func (r Result) cap(limit int64) (capped Result) {
	before := r.cut
	if r.cut.limit = limit; before.limit != limit {
		before.output, before.text = 0, 0
	}
	if before.limit != limit {
		r.Bytes = max(r.Bytes, r.size())
	}
	// What was cut stays so: another cut would count the marker of the first.
	if int64(len(r.Output)) > max(limit, before.output) {
		r.Output = cutMiddle(r.Output, limit)
		r.Truncated = true
	}
	r.cut.output = int64(len(r.Output))
	if r.Text != nil {
		if int64(len(*r.Text)) > max(limit, before.text) {
			text := cutMiddle(*r.Text, limit)
			r.Text, r.Truncated = &text, true
		}
		r.cut.text = int64(len(*r.Text))
	}
	dataBytes, metaBytes := int64(len(r.Data)), int64(len(r.Metadata))
	if dataBytes > limit || metaBytes > limit {
		r.Truncated = true
		note := fmt.Sprintf(`{"dropped":{"dataBytes":%d,"metadataBytes":%d,"maxOutputBytes":%d}}`,
			overOrZero(dataBytes, limit), overOrZero(metaBytes, limit), limit)
		if dataBytes > limit {
			r.Data = nil
		}
		if metaBytes > limit || len(r.Metadata) == 0 {
			r.Metadata = []byte(note)
		}
	}
	return r
}

func overOrZero(size, limit int64) int64 {
	if size > limit {
		return size
	}
	return 0
}
