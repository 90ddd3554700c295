package realm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// The bounds of an error that is reported.
const (
	maxMessage = 8 << 10
	maxPlaces  = 32
)

// thrown turns an error that ended a run into a throw. Reading a thrown value runs code of
// the script, so it happens here and not in the host.
func (r *Realm) thrown(err error) *wire.Throw {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	var exception *goja.Exception
	var rejection *rejected
	switch {
	case errors.Is(err, errStopped), errors.As(err, &interrupted), r.stopped.Load():
		return &wire.Throw{Cause: wire.CauseInterrupted}
	case errors.As(err, &overflow):
		return &wire.Throw{Cause: wire.CauseStack, Name: "RangeError",
			Message: fmt.Sprintf("more than %d calls are nested", maxCallStack), Stack: r.places(overflow.Stack())}
	case errors.Is(err, errPending):
		return &wire.Throw{Cause: wire.CausePending, Name: "Error", Message: err.Error()}
	case errors.As(err, &rejection):
		return r.describeSafely(rejection.reason, nil)
	case errors.As(err, &exception):
		return r.describeSafely(exception.Value(), exception.Stack())
	}
	return &wire.Throw{Cause: wire.CauseThrown, Name: "Error", Message: err.Error()}
}

// panicked turns a recovered panic into a throw.
func (r *Realm) panicked(p any) *wire.Throw {
	err, ok := p.(error)
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	if ok && (errors.As(err, &interrupted) || errors.As(err, &overflow)) {
		return r.thrown(err)
	}
	if tooLong(p) { // in an operator, say, where no script can catch it
		return &wire.Throw{Cause: wire.CauseThrown, Name: "RangeError", Message: outOfRange}
	}
	return &wire.Throw{Cause: wire.CausePanic, Message: panicText(p)}
}

// notJSON is the throw of a run whose value could not be written as JSON.
func (r *Realm) notJSON(err error) *wire.Throw {
	t := r.thrown(err)
	if t.Cause == wire.CauseThrown {
		t.Cause = wire.CauseNotJSON
		if flaw := (*flawError)(nil); errors.As(err, &flaw) {
			t.Name = "TypeError"
		}
		if errors.Is(err, errNoJSON) {
			t.Name, t.Message = "TypeError", "the value that run returned is not JSON; return an object, an array, text or a number"
		}
	}
	return t
}

// describeSafely describes a value whose getters can throw or never return.
func (r *Realm) describeSafely(v goja.Value, stack []goja.StackFrame) (t *wire.Throw) {
	defer func() {
		if p := recover(); p != nil { // Try does not catch a stop or a stack overflow
			t = r.panicked(p)
		}
	}()
	err := r.vm.Try(func() { t = r.describe(v) })
	if err == nil {
		if len(t.Stack) == 0 {
			t.Stack = r.places(stack)
		}
		return t
	}
	if r.stopped.Load() {
		return &wire.Throw{Cause: wire.CauseInterrupted}
	}
	return &wire.Throw{Cause: wire.CauseThrown, Name: "Error",
		Message: "it threw a value that throws when it is read", Stack: r.places(stack)}
}

// describe reads a thrown value.
func (r *Realm) describe(v goja.Value) *wire.Throw {
	t := &wire.Throw{Cause: wire.CauseThrown}
	object, ok := v.(*goja.Object)
	if !ok {
		t.Name, t.Message = "Error", "it threw "+clip.Head(text(v), maxMessage)
		if v == nil || goja.IsUndefined(v) {
			t.Message = "it threw undefined"
		}
		return t
	}
	t.Seq = r.refusals[object]
	if data, ok := r.failures[object]; ok {
		t.Cause, t.Data = wire.CauseFailed, data
	}
	t.Name = clip.Head(text(object.Get("name")), 200)
	t.Message = clip.Head(text(object.Get("message")), maxMessage)
	if t.Name == "TypeError" && strings.HasPrefix(t.Message, "Cannot read property '") && strings.HasSuffix(t.Message, "' of undefined") {
		t.Message += " or null" // the engine says undefined of both
	}
	if errs, ok := object.Get("errors").(*goja.Object); ok && t.Name == "AggregateError" && t.Message == "" {
		t.Message = clip.Head(r.several(errs), maxMessage)
	}
	if t.Name == "" && t.Message == "" {
		t.Name = "Error"
		t.Message = "it threw " + clip.Head(r.inspectPlain(object), maxMessage)
	}
	if t.Name == "" {
		t.Name = "Error"
	}
	t.Stack = r.parseStack(text(object.Get("stack")))
	return t
}

// several are the first errors that an AggregateError without words holds.
func (r *Realm) several(errs *goja.Object) string {
	const most = 3
	var said []string
	n := errs.Get("length").ToInteger()
	for i := range min(n, most) {
		one := errs.Get(strconv.FormatInt(i, 10))
		said = append(said, clip.Head(text(one), maxMessage/most))
	}
	if n > most {
		said = append(said, fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(said, "; ")
}

func (r *Realm) inspectPlain(object *goja.Object) string {
	encoded, err := r.toJSON(object)
	if err == nil {
		return string(encoded)
	}
	mustPropagate(err)
	return "an object"
}

// places returns the frames in the author's file.
func (r *Realm) places(stack []goja.StackFrame) []wire.Place {
	var out []wire.Place
	for _, f := range stack {
		if f.SrcName() != r.start.Name || len(out) == maxPlaces {
			continue
		}
		p := f.Position()
		if number, written := r.from.file(p.Filename, r.start.Name); written {
			out = append(out, wire.Place{Func: f.FuncName(), File: number, Line: p.Line - r.start.LineOffset, Col: p.Column})
		}
	}
	return out
}

// framePlace matches what follows the file in a line of a stack.
var framePlace = pattern(`^:(\d+):(\d+)\(\d+\)\)?$`)

// parseStack reads the stack of an error. The script can replace that text, so it is only
// shown, and decides nothing.
func (r *Realm) parseStack(stack string) []wire.Place {
	var out []wire.Place
	for line := range strings.SplitSeq(clip.Head(stack, 64<<10), "\n") {
		line, isFrame := strings.CutPrefix(strings.TrimLeft(line, " \t"), "at ")
		if !isFrame || len(out) == maxPlaces {
			continue
		}
		for name, number := range r.from.names(r.start.Name) {
			if p, ok := placeIn(line, name); ok && p.Line > r.start.LineOffset {
				p.File, p.Line = number, p.Line-r.start.LineOffset
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// placeIn reads a line of a stack whose file has a name.
func placeIn(line, name string) (p wire.Place, ok bool) {
	at := strings.LastIndex(line, name)
	if at < 0 {
		return p, false
	}
	m := framePlace().FindStringSubmatch(line[at+len(name):])
	function, named := strings.CutSuffix(line[:at], " (")
	if m == nil || !named && at > 0 {
		return p, false
	}
	row, err1 := strconv.Atoi(m[1])
	col, err2 := strconv.Atoi(m[2])
	return wire.Place{Func: clip.Head(function, 200), Line: row, Col: col}, err1 == nil && err2 == nil
}

func placeText(name string, p wire.Place) string {
	place := fmt.Sprintf("%s:%d:%d", name, p.Line, p.Col)
	if p.Func != "" {
		return p.Func + " (" + place + ")"
	}
	return place
}
