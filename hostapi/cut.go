package hostapi

import (
	"bytes"
	"encoding/json"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// only is a success without the parts that the script does not take.
func (r Result) only(part Part) Result {
	if r.Outcome != OutcomeOK {
		return r
	}
	switch part { //exhaustive:enforce
	case PartText:
		if r.Data = nil; r.Text != nil {
			r.Output = ""
		}
	case PartOutput:
		r.Text, r.Data = nil, nil
	case PartData:
		if r.Text = nil; len(r.Data) > 0 {
			r.Output = ""
		}
	case PartAll:
	}
	return r
}

// cap bounds every part of a result. Text keeps its beginning and its end, and data its
// first entries. Metadata that is too large is dropped; it says what is missing.
func (r Result) cap(limit int64) Result {
	if !r.empty() { // else metadata is all there is, and it is about the answer
		r.Bytes = max(r.Bytes, r.size())
	}
	if text := middle(r.Output, limit); text != r.Output {
		r.Output, r.Truncated = text, true
	}
	if r.Text != nil {
		if text := middle(*r.Text, limit); text != *r.Text {
			r.Text, r.Truncated = &text, true
		}
	}
	var missing struct {
		Data     int64 `json:"dataBytes"`
		Metadata int64 `json:"metadataBytes"`
		Limit    int64 `json:"maxResultBytes"`
	}
	about := bytes.TrimSpace(r.Metadata)
	if clip.JSONSize(about) > limit+clip.Shape {
		missing.Metadata, about = int64(len(r.Metadata)), nil
	}
	size := clip.JSONSize(r.Data)
	if limit := clip.Escaped(limit, int64(len(r.Data))-size); size > limit+clip.Shape {
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

// middle is [clip.Middle] for a text that becomes JSON.
func middle(text string, limit int64) string {
	return clip.Middle(text, clip.Escaped(limit, clip.Added(text)), LimitResultBytes)
}

// part is what is kept of data: whole entries of an array or an object, and of a text its
// beginning and its end.
func part(data json.RawMessage, limit int64) json.RawMessage {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return clip.Entries(data, limit)
	}
	short, _ := json.Marshal(clip.Middle(text, limit, LimitResultBytes))
	return short
}
