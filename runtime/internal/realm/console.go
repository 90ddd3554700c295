package realm

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// console makes the console object. Each call is one log entry, with strings as they are,
// errors with their stack, and other values as JSON.
func (r *Realm) console() goja.Value {
	c := r.vm.NewObject()
	for _, level := range []string{"log", "info", "warn", "error", "debug"} {
		_ = c.Set(level, func(f goja.FunctionCall) goja.Value {
			parts := make([]string, len(f.Arguments))
			for i, arg := range f.Arguments {
				parts[i] = r.inspect(arg)
			}
			r.log(level, strings.Join(parts, " "))
			return goja.Undefined()
		})
	}
	return c
}

// log emits one entry. An entry longer than half of the host's limit for all entries keeps a
// quarter of the limit at each end.
func (r *Realm) log(level, text string) {
	head := wire.Log{Level: level, Bytes: int64(len(text)), Text: text}
	if quarter := int(min(r.start.MaxOutputBytes, wire.MaxHead/8) / 4); len(text) > 2*quarter {
		head.Text, head.Tail = clip.Head(text, quarter), clip.Tail(text, quarter)
	}
	if frame, err := wire.New(wire.KindLog, head, nil); err == nil {
		r.emit(frame)
	}
}

// inspect writes a value for a person.
func (r *Realm) inspect(v goja.Value) string {
	object, ok := v.(*goja.Object)
	if !ok {
		return v.String()
	}
	switch object.ClassName() {
	case "Function":
		return "[function " + text(object.Get("name")) + "]"
	case "Error":
		t := r.describe(object)
		lines := []string{t.Name + ": " + t.Message}
		for _, p := range t.Stack {
			lines = append(lines, "    at "+placeText(r.start.Name, p))
		}
		return strings.Join(lines, "\n")
	}
	encoded, err := r.toJSON(object)
	if err == nil {
		return string(encoded)
	}
	mustPropagate(err)
	if flaw := r.flaw(object); flaw != nil {
		return object.String() + " (" + flaw.text + ")"
	}
	return object.String()
}

func text(v goja.Value) string {
	if v == nil || goja.IsUndefined(v) {
		return ""
	}
	return v.String()
}
