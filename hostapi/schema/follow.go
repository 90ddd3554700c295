package schema

import (
	"net/url"
	"strings"
)

// References follows the references within one schema, whatever it was decoded to. Each is
// followed once: all of them together take no more steps than they have bytes, however often
// somebody comes by. Give Root and Child; it is for one goroutine.
type References[N any] struct {
	// Root is the whole schema.
	Root N
	// Child is what a part has at a key or an index; false if there is nothing.
	Child func(part N, key string) (N, bool)

	known map[string]reached[N]
}

type reached[N any] struct {
	part N
	ok   bool
}

// Follow is what a reference such as #/$defs/name leads to. It is false for one that leads to
// nothing, and for one that is not a JSON Pointer into the schema, such as the name of an anchor.
func (r *References[N]) Follow(ref string) (part N, ok bool) {
	if to, followed := r.known[ref]; followed {
		return to.part, to.ok
	}
	part, ok = r.follow(ref)
	if r.known == nil {
		r.known = map[string]reached[N]{}
	}
	r.known[ref] = reached[N]{part, ok}
	return part, ok
}

func (r *References[N]) follow(ref string) (part N, ok bool) {
	rest, local := strings.CutPrefix(ref, "#")
	rest, err := url.PathUnescape(rest)
	path, pointer := strings.CutPrefix(rest, "/")
	switch {
	case !local || err != nil:
		return part, false
	case rest == "":
		return r.Root, true
	case !pointer:
		return part, false
	}
	part = r.Root
	for key := range strings.SplitSeq(path, "/") {
		if part, ok = r.Child(part, pointerUnescapes.Replace(key)); !ok {
			return part, false
		}
	}
	return part, true
}

// pointerUnescapes makes a key of a token of a JSON Pointer.
var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")
