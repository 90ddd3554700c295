package regexps

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// plainGlobal returns the pattern of an object if every match of it can be found without
// asking the object, as its flags say the same as its pattern.
func (w *World) plainGlobal(o *goja.Object, exec goja.Value, flags string) *pattern {
	p := w.plain(o, exec)
	if p == nil || p.flags&regex.Global == 0 || p.program.Flags().CodePoints() != aboutPoints(flags) {
		return nil
	}
	return p
}

// each calls f with every match of a plain global pattern, from the beginning on. lastIndex is
// 0, and stays so. What f gets is valid until it returns.
func (w *World) each(p *pattern, s goja.String, f func(found []int32)) {
	points, sticky := p.flags.CodePoints(), p.flags&regex.Sticky != 0
	for at := 0; at <= s.Length(); {
		found := w.match(p, s, at, sticky)
		if found == nil {
			return
		}
		from, to := int(found[0]), int(found[1])
		f(found)
		if at = to; from == to {
			at = int(advance(s, int64(to), points))
		}
	}
}

// protoMatch is RegExp.prototype[Symbol.match].
func (w *World) protoMatch(call goja.FunctionCall) goja.Value {
	o := w.object(call, "[Symbol.match]")
	s := w.toString(call.Argument(0))
	flags := w.flags(o)
	if !strings.Contains(flags, "g") {
		if result, found := w.regExpExec(o, s); found {
			return result
		}
		return goja.Null()
	}
	var all []any
	w.setLastIndex(o, 0)
	exec := get(o, "exec")
	if p := w.plainGlobal(o, exec, flags); p != nil {
		w.each(p, s, func(found []int32) {
			all = append(all, s.Substring(int(found[0]), int(found[1])))
		})
	} else {
		for result, found := w.execWith(exec, o, s); found; result, found = w.regExpExec(o, s) {
			text := w.toString(get(result, "0"))
			all = append(all, text)
			w.step(o, s, text, aboutPoints(flags))
		}
	}
	if all == nil {
		return goja.Null()
	}
	return w.vm.NewArray(all...)
}

// step goes on after a match of nothing.
func (w *World) step(o *goja.Object, s, matched goja.String, points bool) {
	if matched.Length() == 0 {
		w.setLastIndex(o, advance(s, w.lastIndex(o), points))
	}
}

// protoSearch is RegExp.prototype[Symbol.search].
func (w *World) protoSearch(call goja.FunctionCall) goja.Value {
	o := w.object(call, "[Symbol.search]")
	s := w.toString(call.Argument(0))
	previous := get(o, "lastIndex")
	zero := w.vm.ToValue(0)
	if !previous.SameAs(zero) {
		w.must(o.Set("lastIndex", zero))
	}
	result, found := w.regExpExec(o, s)
	if !get(o, "lastIndex").SameAs(previous) {
		w.must(o.Set("lastIndex", previous))
	}
	if !found {
		return w.vm.ToValue(-1)
	}
	return get(result, "index")
}

// species is the standard's SpeciesConstructor. It is nil if that is RegExp itself.
func (w *World) species(o *goja.Object) goja.Constructor {
	c := get(o, "constructor")
	if goja.IsUndefined(c) {
		return nil
	}
	object, ok := c.(*goja.Object)
	if !ok {
		panic(w.vm.NewTypeError("the constructor of a regular expression is no object"))
	}
	s := object.GetSymbol(goja.SymSpecies)
	if isNullish(s) || s == goja.Value(w.constructor) {
		return nil
	}
	made, ok := goja.AssertConstructor(s)
	if !ok {
		panic(w.vm.NewTypeError("Symbol.species of the constructor of a regular expression is no constructor"))
	}
	return made
}

// copyOf makes what split and matchAll work on, with a species constructor if there is one.
func (w *World) copyOf(o *goja.Object, c goja.Constructor, flags string) *goja.Object {
	if c == nil {
		return w.construct([]goja.Value{o, w.vm.ToValue(flags)})
	}
	made, err := c(nil, o, w.vm.ToValue(flags))
	w.must(err)
	return made
}

// protoSplit is RegExp.prototype[Symbol.split].
func (w *World) protoSplit(call goja.FunctionCall) goja.Value {
	o := w.object(call, "[Symbol.split]")
	s := w.toString(call.Argument(0))
	c := w.species(o)
	flags := w.flags(o)
	var p *pattern // if the copy need not be made: nothing of it can be seen
	if c == nil && get(w.prototype, "exec") == goja.Value(w.exec) {
		w.isRegExp(o) // which a script may see
		if p = w.patternOf(o); p != nil && p.flags.String() != flags {
			p = nil
		}
	}
	var splitter *goja.Object
	if p == nil {
		asked := flags
		if !strings.Contains(flags, "y") {
			asked += "y"
		}
		splitter = w.copyOf(o, c, asked)
	}
	limit := uint32(1<<32 - 1)
	if v := call.Argument(1); !goja.IsUndefined(v) {
		limit = toUint32(v)
	}
	out := &pieces{most: int(limit)}
	switch {
	case limit == 0:
	case p != nil:
		w.splitPlain(p, s, out)
	default:
		w.splitWith(splitter, s, aboutPoints(flags), out)
	}
	return w.vm.NewArray(out.all...)
}

// pieces are what split returns, up to a number.
type pieces struct {
	all  []any
	most int
}

// add adds a piece. It reports whether there is room for more.
func (p *pieces) add(v goja.Value) bool {
	p.all = append(p.all, v)
	return len(p.all) < p.most
}

func (w *World) splitPlain(p *pattern, s goja.String, out *pieces) {
	size := s.Length()
	if size == 0 {
		if w.match(p, s, 0, true) == nil {
			out.add(s)
		}
		return
	}
	last := w.lastMatch
	w.lastMatch = nil // a match at the end is none
	defer func() { w.lastMatch = last }()
	from := 0
	for at := 0; at < size; {
		found := w.match(p, s, at, false)
		if found == nil || int(found[0]) >= size {
			break
		}
		if last != nil && p.key != "" {
			last.keep(s, found)
		}
		at = int(found[0])
		end := int(found[1])
		if end == from {
			at = int(advance(s, int64(at), p.flags.CodePoints()))
			continue
		}
		if !out.add(s.Substring(from, at)) {
			return
		}
		for i := 1; i < len(found)/2; i++ {
			if !out.add(capture(s, found, i)) {
				return
			}
		}
		from, at = end, end
	}
	out.add(s.Substring(from, size))
}

// captures calls f with the captures of a match, until that is false. A script may say that
// there are more than can be.
func (w *World) captures(result *goja.Object, count int64, f func(goja.Value) bool) bool {
	for i := int64(1); i < count; i++ {
		if i&1023 == 0 && w.stopped() {
			w.interrupt()
		}
		if !f(get(result, w.vm.ToValue(i).String())) {
			return false
		}
	}
	return true
}

func (w *World) splitWith(splitter *goja.Object, s goja.String, points bool, out *pieces) {
	size := int64(s.Length())
	if size == 0 {
		if _, found := w.regExpExec(splitter, s); !found {
			out.add(s)
		}
		return
	}
	from := int64(0)
	for at := int64(0); at < size; {
		w.setLastIndex(splitter, at)
		result, found := w.regExpExec(splitter, s)
		if !found {
			at = advance(s, at, points)
			continue
		}
		end := min(w.lastIndex(splitter), size)
		if end == from {
			at = advance(s, at, points)
			continue
		}
		if !out.add(s.Substring(int(from), int(at))) {
			return
		}
		from = end
		if !w.captures(result, toLength(get(result, "length")), out.add) {
			return
		}
		at = from
	}
	out.add(s.Substring(int(from), int(size)))
}
