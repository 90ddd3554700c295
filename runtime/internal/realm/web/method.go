package web

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dop251/goja"
	nodeerrors "github.com/dop251/goja_nodejs/errors"
)

// method adds a function that scripts see, with its name and length.
func (w *World) method(object *goja.Object, name string, length int, f function) {
	value := w.vm.ToValue(f).(*goja.Object)
	_ = value.DefineDataProperty("name", w.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	if length > 0 {
		_ = value.DefineDataProperty("length", w.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	_ = object.Set(name, value)
}

// fail throws an error of a class of the language, with a code of Node's.
func (w *World) fail(class, code, message string) {
	constructor, ok := w.vm.Get(class).(*goja.Object)
	if !ok { // the script replaced the class
		panic(w.vm.NewTypeError("%s", message))
	}
	panic(nodeerrors.NewError(w.vm, constructor, code, "%s", message))
}

// wrongType refuses an argument.
func (w *World) wrongType(name, expected string, got goja.Value) {
	w.fail("TypeError", "ERR_INVALID_ARG_TYPE", fmt.Sprintf("The %q argument must be %s. Received %s", name, expected, describe(got)))
}

// outOfRange refuses a number.
func (w *World) outOfRange(name, expected string, got goja.Value) {
	w.fail("RangeError", "ERR_OUT_OF_RANGE", fmt.Sprintf("The value of %q is out of range. It must be %s. Received %s", name, expected, got))
}

// describe is what an argument is, for a message; it runs no code of the script.
func describe(v goja.Value) string {
	switch x := v.(type) {
	case *goja.Object:
		return "an object of class " + x.ClassName()
	case *goja.Symbol:
		return "a symbol"
	}
	switch x := v.Export().(type) {
	case nil:
		return v.String()
	case string:
		if len(x) > 28 {
			x = x[:25] + "..."
		}
		return "type string (" + strconv.Quote(x) + ")"
	case bool:
		return "type boolean (" + v.String() + ")"
	}
	return "type number (" + v.String() + ")"
}

// isNumber reports whether a value is a number, not an object of one.
func isNumber(v goja.Value) bool {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return false
	}
	switch v.Export().(type) {
	case int64, float64:
		return true
	}
	return false
}

// isString reports whether a value is a string, not an object of one.
func isString(v goja.Value) bool {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return false
	}
	_, ok := v.Export().(string)
	return ok
}

// integer is a required integer from 0 to most.
func (w *World) integer(v goja.Value, name string, most int) int {
	if !isNumber(v) {
		w.wrongType(name, "of type number", v)
	}
	n := v.ToFloat()
	if n != math.Trunc(n) {
		w.outOfRange(name, "an integer", v)
	}
	if n < 0 || n > float64(most) {
		w.outOfRange(name, fmt.Sprintf(">= 0 && <= %d", most), v)
	}
	return int(n)
}

// clamped is an index that counts from the end if it is negative.
func clamped(v goja.Value, length, missing int) int {
	if goja.IsUndefined(v) {
		return missing
	}
	n := math.Trunc(v.ToNumber().ToFloat()) // reads texts well
	switch {
	case math.IsNaN(n):
		return 0
	case n < 0:
		return int(max(n+float64(length), 0))
	}
	return int(min(n, float64(length)))
}
