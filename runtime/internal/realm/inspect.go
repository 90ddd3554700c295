package realm

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/web"
)

// The bounds of what a log shows of a Map, a Set or a typed array.
const (
	maxEntries = 100
	maxWithin  = 4
)

// inspect writes a value for a person.
func (r *Realm) inspect(v goja.Value) string { return r.inspectWithin(v, 0) }

func (r *Realm) inspectWithin(v goja.Value, depth int) string {
	object, ok := v.(*goja.Object)
	if !ok {
		return inspectPrimitive(v, depth)
	}
	switch object.ClassName() {
	case "Function":
		return "[function " + text(object.Get("name")) + "]"
	case "Error":
		t := r.describe(object)
		lines := []string{t.Name + ": " + t.Message}
		for _, p := range t.Stack {
			lines = append(lines, "    at "+placeText(r.from.shown(p.File, r.start.Name), p))
		}
		return strings.Join(lines, "\n")
	case "RegExp":
		return object.String()
	}
	if shown, ok := r.inspectKind(object, depth); ok {
		return shown
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

func inspectPrimitive(v goja.Value, depth int) string {
	if symbol, ok := v.(*goja.Symbol); ok {
		return "Symbol(" + symbol.String() + ")"
	}
	switch x := v.Export().(type) {
	case *big.Int:
		return x.String() + "n"
	case float64:
		if x == 0 && math.Signbit(x) {
			return "-0"
		}
	case string:
		if depth > 0 {
			if encoded, ok := scalar(v); ok {
				return string(encoded)
			}
		}
	}
	return v.String()
}

func isBigInt(v goja.Value) bool {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return false
	}
	_, ok := v.Export().(*big.Int)
	return ok
}

// inspectKind writes what JSON would show as {} or as a long list.
func (r *Realm) inspectKind(object *goja.Object, depth int) (string, bool) {
	kind := web.KindOf(object)
	if depth > maxWithin {
		return "[" + kind + "]", true
	}
	var items []string
	more := 0
	add := func(text func() string) bool {
		if len(items) >= maxEntries {
			more++
		} else {
			items = append(items, text())
		}
		return !r.stopped.Load()
	}
	switch kind {
	case "Map":
		r.vm.ForOf(object, func(entry goja.Value) bool {
			pair := entry.ToObject(r.vm)
			return add(func() string {
				return r.inspectWithin(pair.Get("0"), depth+1) + " => " + r.inspectWithin(pair.Get("1"), depth+1)
			})
		})
		return listing(fmt.Sprintf("Map(%d)", len(items)+more), "{", items, more, "}"), true
	case "Set":
		r.vm.ForOf(object, func(item goja.Value) bool {
			return add(func() string { return r.inspectWithin(item, depth+1) })
		})
		return listing(fmt.Sprintf("Set(%d)", len(items)+more), "{", items, more, "}"), true
	case "ArrayBuffer":
		buffer, _ := object.Export().(goja.ArrayBuffer)
		return fmt.Sprintf("ArrayBuffer { byteLength: %d }", len(buffer.Bytes())), true
	case "View":
		if r.web != nil && r.web.IsBuffer(object) {
			return web.InspectBytes(object), true
		}
		n := 0
		if length := object.Get("length"); length != nil {
			n = int(length.ToInteger())
		}
		for i := range min(n, maxEntries) {
			item := object.Get(fmt.Sprint(i))
			if item == nil {
				break
			}
			items = append(items, r.inspectWithin(item, depth+1))
		}
		name := "TypedArray"
		if class, ok := object.Get("constructor").(*goja.Object); ok {
			name = text(class.Get("name"))
		}
		return listing(fmt.Sprintf("%s(%d)", name, n), "[", items, n-len(items), "]"), true
	}
	return "", false
}

func listing(name, open string, items []string, more int, end string) string {
	if more > 0 {
		items = append(items, fmt.Sprintf("… %d more", more))
	}
	if len(items) == 0 {
		return name + " " + open + end
	}
	return name + " " + open + " " + strings.Join(items, ", ") + " " + end
}

func text(v goja.Value) string {
	if v == nil || goja.IsUndefined(v) {
		return ""
	}
	return v.String()
}
