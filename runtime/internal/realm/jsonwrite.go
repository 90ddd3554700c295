package realm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// jsonWriter is one call of JSON.stringify. The engine's own indents too deep behind an empty
// array, compares each object with all that are around it, nests without end, and does not
// look whether the run is over.
type jsonWriter struct {
	r           *Realm
	out         []byte // UTF-8, in which halves of surrogate pairs are as three bytes
	replacer    goja.Callable
	listed      bool
	names       []jsonName // if listed, the properties that are written
	gap, indent string
	around      map[*goja.Object]bool // the objects that are being written
	parts       int
}

// callStringify is JSON.stringify.
func (r *Realm) callStringify(f goja.FunctionCall) (text goja.Value) {
	nested := r.nested
	defer func() {
		r.nested = nested
		switch p := recover(); p {
		case nil:
		case errStopped:
			text = goja.Undefined() // the engine stops at its next instruction
		default:
			panic(p)
		}
	}()
	w := &jsonWriter{r: r, around: map[*goja.Object]bool{}}
	w.replace(f.Argument(1))
	w.space(f.Argument(2))
	value := f.Argument(0)
	var root *goja.Object
	if w.replacer != nil {
		root = r.vm.NewObject()
		_ = root.DefineDataProperty("", value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE) // of a new object
	}
	if !w.value(root, jsonName{}, value) {
		return goja.Undefined()
	}
	if !utf8.Valid(w.out) {
		return goja.StringFromUTF16(appendWide(nil, string(w.out)))
	}
	return r.vm.ToValue(string(w.out))
}

// replace takes the second argument: a function, or the names of the properties to write.
func (w *jsonWriter) replace(v goja.Value) {
	object, ok := v.(*goja.Object)
	if !ok {
		return
	}
	if call, ok := goja.AssertFunction(object); ok {
		w.replacer = call
		return
	}
	if _, array := w.r.arrayOrProxy(object); !array {
		return
	}
	w.listed = true
	seen := map[string]bool{}
	for i, n := int64(0), object.Get("length").ToInteger(); i < n; i++ {
		w.turn()
		item := object.Get(strconv.FormatInt(i, 10))
		switch item := item.(type) {
		case nil, *goja.Symbol:
			continue
		case *goja.Object:
			if class := item.ClassName(); class != "Number" && class != "String" {
				continue
			}
		default:
			if !isNumeric(item) && !isText(item) {
				continue
			}
		}
		if name := jsonNameOf(item.ToString()); !seen[name.text] {
			seen[name.text] = true
			w.names = append(w.names, name)
		}
	}
}

// space takes the third argument.
func (w *jsonWriter) space(v goja.Value) {
	if object, ok := v.(*goja.Object); ok {
		switch object.ClassName() {
		case "Number":
			v = object.ToNumber()
		case "String":
			v = object.ToString()
		}
	}
	switch {
	case isNumeric(v):
		w.gap = strings.Repeat(" ", int(min(max(v.ToInteger(), 0), 10)))
	case isText(v):
		text, _ := v.ToString().(goja.String)
		w.gap = wideText(text.Substring(0, min(text.Length(), 10)))
	}
}

// turn asks now and then whether the run is over.
func (w *jsonWriter) turn() {
	if w.parts++; w.parts&0x3ff == 0 && w.r.stopped.Load() {
		panic(errStopped)
	}
}

// value writes the value of a property, unless it is nothing that JSON has.
func (w *jsonWriter) value(holder *goja.Object, name jsonName, v goja.Value) bool {
	w.turn()
	v = w.replaced(holder, name, v)
	if object, ok := v.(*goja.Object); ok {
		switch object.ClassName() {
		case "Number":
			v = object.ToNumber()
		case "String":
			v = object.ToString()
			if _, symbol := v.(*goja.Symbol); symbol {
				panic(w.r.newError("TypeError", "Cannot convert a Symbol value to a string"))
			}
			if !isText(v) { // toString of a script may return a number
				v = w.r.vm.ToValue(v.String())
			}
		case "Boolean":
			v = w.r.vm.ToValue(object.Export())
		case "RawJSON":
			w.out = append(w.out, wideText(object.Get("rawJSON"))...)
			return true
		default:
			if object.ExportType() == bigIntType {
				v = w.r.vm.ToValue(object.Export())
				break
			}
			_, function := goja.AssertFunction(object)
			if !function {
				w.object(object)
			}
			return !function
		}
	}
	switch {
	case v == nil, goja.IsUndefined(v):
		return false
	case goja.IsNull(v):
		w.out = append(w.out, "null"...)
	case isText(v):
		w.text(v)
	case isNumeric(v):
		if x := v.ToFloat(); math.IsNaN(x) || math.IsInf(x, 0) {
			w.out = append(w.out, "null"...)
		} else {
			w.out = append(w.out, v.String()...)
		}
	case isBigInt(v):
		panic(w.r.newError("TypeError", "Do not know how to serialize a BigInt"))
	default:
		if _, symbol := v.(*goja.Symbol); symbol {
			return false
		}
		w.out = append(w.out, v.String()...) // true or false
	}
	return true
}

var methodProgram = program("method", "(v) => v.toJSON")

// replaced is what toJSON and the replacer make of a value.
func (w *jsonWriter) replaced(holder *goja.Object, name jsonName, v goja.Value) goja.Value {
	var method goja.Value
	if object, ok := v.(*goja.Object); ok {
		method = object.Get("toJSON")
	} else if v != nil && isBigInt(v) { // a getter gets it as it is
		get, err := w.r.function(methodProgram())
		if err != nil {
			panic(err)
		}
		method = w.call(get, goja.Undefined(), v)
	}
	if convert, ok := goja.AssertFunction(method); ok {
		v = w.call(convert, v, name.value(w.r.vm))
	}
	if w.replacer == nil {
		return v
	}
	if v == nil {
		v = goja.Undefined()
	}
	return w.call(w.replacer, holder, name.value(w.r.vm), v)
}

func (w *jsonWriter) call(f goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	v, err := f(this, args...)
	if err != nil {
		panic(err)
	}
	return v
}

func (w *jsonWriter) object(object *goja.Object) {
	if w.around[object] {
		panic(w.r.newError("TypeError", "Converting circular structure to JSON"))
	}
	if w.r.nested++; w.r.nested > maxJSONDepth {
		panic(w.r.newError("RangeError", fmt.Sprintf("the value is nested more than %d deep", maxJSONDepth)))
	}
	w.around[object] = true
	back := w.indent
	w.indent += w.gap
	if _, array := w.r.arrayOrProxy(object); array {
		w.out = append(w.out, '[')
		w.items(object)
		w.close(']', '[', back)
	} else {
		w.out = append(w.out, '{')
		w.properties(object)
		w.close('}', '{', back)
	}
	w.indent = back
	delete(w.around, object)
	w.r.nested--
}

// close writes the last bracket, in a line of its own unless there is nothing.
func (w *jsonWriter) close(end, open byte, back string) {
	if w.gap != "" && w.out[len(w.out)-1] != open {
		w.out = append(append(w.out, '\n'), back...)
	}
	w.out = append(w.out, end)
}

// separate begins an item.
func (w *jsonWriter) separate(first bool) {
	if !first {
		w.out = append(w.out, ',')
	}
	if w.gap != "" {
		w.out = append(append(w.out, '\n'), w.indent...)
	}
}

func (w *jsonWriter) items(array *goja.Object) {
	for i, n := int64(0), array.Get("length").ToInteger(); i < n; i++ {
		w.separate(i == 0)
		key := strconv.FormatInt(i, 10)
		if !w.value(array, jsonName{text: key}, array.Get(key)) {
			w.out = append(w.out, "null"...)
		}
	}
}

func (w *jsonWriter) properties(object *goja.Object) {
	names := w.names
	if !w.listed {
		names = w.r.namesOf(object)
	}
	first := true
	for _, name := range names {
		before := len(w.out)
		w.separate(first)
		if name.odd != nil {
			w.text(name.odd)
		} else {
			w.quote(name.text)
		}
		w.out = append(w.out, ':')
		if w.gap != "" {
			w.out = append(w.out, ' ')
		}
		if w.value(object, name, w.r.property(object, name)) {
			first = false
		} else {
			w.out = w.out[:before]
		}
	}
}

func (w *jsonWriter) text(v goja.Value) { w.quote(wideText(v)) }

// quote writes a text in which halves of surrogate pairs are three bytes.
func (w *jsonWriter) quote(text string) {
	w.out = append(w.out, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0xed {
			continue
		}
		if c == 0xed && text[i+1] < 0xa0 {
			continue
		}
		w.out = append(w.out, text[from:i]...)
		from = i + 1
		if at := strings.IndexByte("\"\\\b\f\n\r\t", c); at >= 0 {
			w.out = append(w.out, '\\', `"\bfnrt`[at])
			continue
		}
		unit := int(c)
		if c == 0xed { // half of a surrogate pair
			unit = 0xd000 | int(text[i+1]&0x3f)<<6 | int(text[i+2]&0x3f)
			i += 2
			from = i + 1
		}
		w.out = fmt.Appendf(w.out, `\u%04x`, unit)
	}
	w.out = append(append(w.out, text[from:]...), '"')
}
