package files

import (
	"encoding/json"
	"math"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// room is what a text may still take of a result, as the gate counts it.
type room struct {
	limit       int64
	size, added int64 // of what is in it, and what escapes add to that in JSON
}

// roomOf is the room of a result's part; a limit of 0 is none.
func roomOf(limit int64) room {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	return room{limit: limit}
}

// need is what a piece takes.
type need struct{ size, added int64 }

func needOfText(text string) need { return need{clip.Size(text), clip.Added(text)} }

func needOfJSON(raw json.RawMessage) need {
	size := clip.JSONSize(raw)
	return need{size, int64(len(raw)) - size}
}

// fits reports whether there is room for n.
func (r *room) fits(n need) bool {
	return r.size+n.size <= clip.Escaped(r.limit, r.added+n.added)
}

func (n *need) add(other need) { n.size, n.added = n.size+other.size, n.added+other.added }

func (r *room) take(n need) { r.size, r.added = r.size+n.size, r.added+n.added }

func (r *room) give(n need) { r.size, r.added = r.size-n.size, r.added-n.added }
