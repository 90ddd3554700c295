package hostapi

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// cutMiddle keeps the beginning and the end of s, half each, and a line between them that
// says how many bytes are missing. All of it is at most limit bytes. A limit that has no
// room for such a line keeps the beginning.
func cutMiddle(s string, limit int64) string {
	if clip.Size(s) <= limit {
		return s
	}
	const between = "\n… %d of %d bytes dropped here (maxOutputBytes) …\n"
	room := limit - int64(len(fmt.Sprintf(between, len(s), len(s))))
	if room <= 0 {
		return clip.Head(s, int(limit))
	}
	head := clip.Head(s, int(room-room/2))
	tail := clip.Tail(s, int(room/2))
	return head + fmt.Sprintf(between, len(s)-len(head)-len(tail), len(s)) + tail
}

// cap bounds every part of a result. Text keeps its beginning and its end, and data its
// first entries. Metadata that is too large is dropped; it says what is missing.
func (r Result) cap(limit int64) Result {
	r.Bytes = max(r.Bytes, r.size())
	if text := cutMiddle(r.Output, limit); text != r.Output {
		r.Output, r.Truncated = text, true
	}
	if r.Text != nil {
		if text := cutMiddle(*r.Text, limit); text != *r.Text {
			r.Text, r.Truncated = &text, true
		}
	}
	var missing struct {
		Data     int64 `json:"dataBytes"`
		Metadata int64 `json:"metadataBytes"`
		Limit    int64 `json:"maxOutputBytes"`
	}
	about := bytes.TrimSpace(r.Metadata)
	if clip.JSONSize(about) > limit+clip.Shape {
		missing.Metadata, about = int64(len(r.Metadata)), nil
	}
	if clip.JSONSize(r.Data) > limit+clip.Shape {
		missing.Data, r.Data = int64(len(r.Data)), part(r.Data, limit)
	}
	if missing.Data+missing.Metadata == 0 {
		return r
	}
	r.Truncated, missing.Limit = true, limit
	note, _ := json.Marshal(map[string]any{"dropped": missing})
	if rest, ok := bytes.CutPrefix(about, []byte("{")); ok && len(bytes.TrimSpace(rest)) > 1 {
		note = append(append(note[:len(note)-1], ','), rest...)
	}
	r.Metadata = note
	return r
}

// part is what is kept of data: whole entries of an array or an object, and of a text its
// beginning and its end.
func part(data json.RawMessage, limit int64) json.RawMessage {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return clip.Entries(data, limit)
	}
	short, _ := json.Marshal(cutMiddle(text, limit))
	return short
}
