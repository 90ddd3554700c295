package regexps

import (
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// replacement is what matches are replaced with.
type replacement struct {
	w      *World
	s      goja.String
	f      goja.Callable // or
	text   goja.String
	simple bool // there is no $ in the text
	out    goja.StringBuilder
	done   int // up to where the string is written
	size   int // of what is written
}

// maxText is the length of the longest string that is made here, that of Node.
const maxText = 1<<29 - 24

// grown throws if a string that is being made is too long, or if the run is over: a short text
// can say how to make a string of terabytes.
func (w *World) grown(size int) {
	if size > maxText {
		w.throw("RangeError", "Invalid string length")
	}
	if w.stopped() {
		w.interrupt()
	}
}

// protoReplace is RegExp.prototype[Symbol.replace].
func (w *World) protoReplace(call goja.FunctionCall) goja.Value {
	o := w.object(call, "[Symbol.replace]")
	r := &replacement{w: w, s: w.toString(call.Argument(0))}
	if f, ok := goja.AssertFunction(call.Argument(1)); ok {
		r.f = f
	} else {
		r.text = w.toString(call.Argument(1))
		r.simple = !hasDollar(r.text)
	}
	flags := w.flags(o)
	global := strings.Contains(flags, "g")
	if global {
		w.setLastIndex(o, 0)
	}
	exec := get(o, "exec")
	if p := w.plain(o, exec); p != nil && !global && p.flags&regex.Global == 0 {
		if found := w.execute(o, p, r.s); found != nil {
			r.plain(p, slices.Clone(found))
		}
	} else if p := w.plainGlobal(o, exec, flags); p != nil && global {
		r.global(p)
	} else {
		w.replaceWith(o, exec, r, global, aboutPoints(flags))
	}
	return r.finish()
}

// global replaces all matches of a plain pattern. They are found before a function is called,
// which may match others.
func (r *replacement) global(p *pattern) {
	if r.simple {
		r.w.each(p, r.s, func(found []int32) { r.put(int(found[0]), int(found[1]), r.text) })
		return
	}
	var all []int32
	r.w.each(p, r.s, func(found []int32) { all = append(all, found...) })
	for n := 2 * (p.program.Groups() + 1); len(all) > 0; all = all[n:] {
		r.plain(p, all[:n])
	}
}

func hasDollar(s goja.String) bool {
	for i := range s.Length() {
		if s.CharAt(i) == '$' {
			return true
		}
	}
	return false
}

func (r *replacement) put(from, to int, text goja.String) {
	if from < r.done {
		return
	}
	if r.size += from - r.done + text.Length(); r.size > maxText {
		r.w.grown(r.size)
	}
	r.out.WriteSubstring(r.s, r.done, from)
	r.out.WriteString(text)
	r.done = to
}

func (r *replacement) finish() goja.Value {
	if r.done == 0 && r.out.String().Length() == 0 {
		return r.s
	}
	if r.done < r.s.Length() { // an exec of a script may say that more matched
		r.out.WriteSubstring(r.s, r.done, r.s.Length())
	}
	return r.out.String()
}

// plain replaces a match of a plain pattern.
func (r *replacement) plain(p *pattern, found []int32) {
	from, to := int(found[0]), int(found[1])
	if r.simple {
		r.put(from, to, r.text)
		return
	}
	captures := make([]goja.Value, len(found)/2)
	for i := range captures {
		captures[i] = capture(r.s, found, i)
	}
	groups := goja.Undefined()
	if p.program.HasNames() {
		groups = r.w.groups(p, func(i int) goja.Value { return captures[i] }, found)
	}
	r.match(captures, groups, from, to)
}

// match replaces a match: captures are strings or undefined, the first is what matched.
func (r *replacement) match(captures []goja.Value, groups goja.Value, from, to int) {
	if r.f == nil {
		if !goja.IsUndefined(groups) {
			groups = groups.ToObject(r.w.vm)
		}
		var text goja.StringBuilder
		r.w.substitute(&text, r.text, r.s, captures, groups, from, to)
		r.put(from, to, text.String())
		return
	}
	args := slices.Concat(captures, []goja.Value{r.w.vm.ToValue(from), r.s})
	if !goja.IsUndefined(groups) {
		args = append(args, groups)
	}
	r.put(from, to, r.w.toString(r.w.call(r.f, goja.Undefined(), args...)))
}

// replaceWith is the standard's way, for objects that scripts changed.
func (w *World) replaceWith(o *goja.Object, exec goja.Value, r *replacement, global, points bool) {
	var results []*goja.Object
	for result, found := w.execWith(exec, o, r.s); found; result, found = w.regExpExec(o, r.s) {
		results = append(results, result)
		if !global {
			break
		}
		w.step(o, r.s, w.toString(get(result, "0")), points)
	}
	for _, result := range results {
		count := toLength(get(result, "length"))
		matched := w.toString(get(result, "0"))
		from := int(min(max(get(result, "index").ToInteger(), 0), int64(r.s.Length())))
		captures := []goja.Value{matched}
		w.captures(result, count, func(c goja.Value) bool {
			if !goja.IsUndefined(c) {
				c = w.toString(c)
			}
			captures = append(captures, c)
			return true
		})
		r.match(captures, get(result, "groups"), from, from+matched.Length())
	}
}

// substitute is the standard's GetSubstitution.
func (w *World) substitute(out *goja.StringBuilder, text, s goja.String, captures []goja.Value, groups goja.Value, from, to int) {
	length, size := text.Length(), 0
	write := func(v goja.String, from, to int) {
		size += to - from
		w.grown(size)
		out.WriteSubstring(v, from, to)
	}
	for i := 0; i < length; i++ {
		c := text.CharAt(i)
		if c != '$' || i+1 >= length {
			writeUnit(out, c)
			continue
		}
		i++
		switch c := text.CharAt(i); {
		case c == '$':
			out.WriteRune('$')
		case c == '&':
			matched := captures[0].(goja.String)
			write(matched, 0, matched.Length())
		case c == '`':
			write(s, 0, from)
		case c == '\'':
			if end := min(to, s.Length()); end < s.Length() {
				write(s, end, s.Length())
			}
		case '0' <= c && c <= '9':
			group, digits := int(c-'0'), 1
			if i+1 < length {
				if d := text.CharAt(i + 1); '0' <= d && d <= '9' && group*10+int(d-'0') < len(captures) {
					group, digits = group*10+int(d-'0'), 2
				}
			}
			if group == 0 || group >= len(captures) {
				out.WriteRune('$')
				i--
				continue
			}
			if value, ok := captures[group].(goja.String); ok {
				write(value, 0, value.Length())
			}
			i += digits - 1
		case c == '<' && !goja.IsUndefined(groups):
			end := i + 1
			for end < length && text.CharAt(end) != '>' {
				end++
			}
			if end == length {
				out.WriteUTF8String("$<")
				continue
			}
			name := text.Substring(i+1, end)
			if value := get(groups.(*goja.Object), name.String()); !goja.IsUndefined(value) {
				text := w.toString(value)
				write(text, 0, text.Length())
			}
			i = end
		default:
			out.WriteRune('$')
			i--
		}
	}
}

// ReplaceNothing is replaceAll of strings where what is replaced is nothing: what stands for it
// goes before each code unit, and to the end. The world need not be installed.
func (w *World) ReplaceNothing(s goja.String, with goja.Value) goja.Value {
	r := &replacement{w: w, s: s}
	if f, ok := goja.AssertFunction(with); ok {
		r.f = f
	} else {
		r.text = w.toString(with)
	}
	nothing := []goja.Value{w.vm.ToValue("")}
	for at := range s.Length() + 1 {
		r.match(nothing, goja.Undefined(), at, at)
	}
	return r.finish()
}
