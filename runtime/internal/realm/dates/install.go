package dates

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/intl"
)

// classProgram makes the class Date, whose instances are the engine's. It is in JavaScript, as a
// function in Go cannot tell how it was called and return a text.
var classProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("scriptrun:date", `((Original, parse, named, isDate) => {
		"use strict";
		const { apply, construct, getOwnPropertyDescriptor, defineProperty } = Reflect, { TypeError, Symbol } = globalThis;
		const isObject = (value) => typeof value === "object" && value !== null || typeof value === "function";
		const plain = (value) => {
			const exotic = value[Symbol.toPrimitive];
			if (exotic !== undefined && exotic !== null) {
				const made = apply(exotic, value, ["default"]);
				if (isObject(made)) throw new TypeError("Cannot convert object to primitive value");
				return made;
			}
			for (const name of ["valueOf", "toString"]) {
				const method = value[name];
				if (typeof method !== "function") continue;
				const made = apply(method, value, []);
				if (!isObject(made)) return made;
			}
			throw new TypeError("Cannot convert object to primitive value");
		};
		function Date(...parts) {
			if (new.target === undefined) return named(Original());
			if (parts.length === 1) {
				let value = parts[0];
				if (typeof value === "string") value = parse(value);
				else if (isObject(value) && !isDate(value)) {
					value = plain(value);
					if (typeof value === "string") value = parse(value);
				}
				if (new.target === Date) return new Original(value); // construct takes longer
				parts = [value];
			}
			return construct(Original, parts, new.target);
		}
		defineProperty(Date, "length", { value: 7 });
		const keep = { writable: true, enumerable: false, configurable: true };
		for (const name of ["now", "parse", "UTC"]) defineProperty(Date, name, getOwnPropertyDescriptor(Original, name));
		defineProperty(Date, "prototype", { value: Original.prototype, writable: false });
		defineProperty(Original.prototype, "constructor", { value: Date, ...keep });
		defineProperty(globalThis, "Date", { value: Date, ...keep });
	})`, true)
})

// corrected are the dates of one realm. The callables are the engine's functions.
type corrected struct {
	vm                      *goja.Runtime
	getTime, setTime, toISO goja.Callable
}

// Install puts ours in the place of what the engine gets wrong.
func Install(vm *goja.Runtime) error {
	class, ok := vm.Get("Date").(*goja.Object)
	if !ok {
		return errors.New("there is no Date")
	}
	prototype := class.Get("prototype").(*goja.Object)
	c := &corrected{vm: vm, getTime: method(prototype, "getTime"), setTime: method(prototype, "setTime"), toISO: method(prototype, "toISOString")}
	err := errors.Join(
		c.put(class, "parse", 1, func(f goja.FunctionCall) goja.Value { return c.parse(f.Argument(0)) }),
		c.put(prototype, "setMilliseconds", 1, c.setMilliseconds),
		c.put(prototype, "setUTCMilliseconds", 1, c.setMilliseconds),
		c.put(prototype, "toISOString", 0, c.toISOString),
		c.put(prototype, "toString", 0, c.withZone(method(prototype, "toString"))),
		c.put(prototype, "toTimeString", 0, c.withZone(method(prototype, "toTimeString"))),
	)
	made, failed := vm.RunProgram(classProgram())
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	define, _ := goja.AssertFunction(made)
	_, err = define(goja.Undefined(), class, class.Get("parse"), vm.ToValue(func(f goja.FunctionCall) goja.Value {
		return vm.ToValue(c.named(f.Argument(0).String(), vm.ToValue(time.Now().UnixMilli())))
	}), vm.ToValue(func(f goja.FunctionCall) goja.Value {
		o, ok := f.Argument(0).(*goja.Object)
		return vm.ToValue(ok && o.ClassName() == "Date")
	}))
	return err
}

func method(owner *goja.Object, name string) goja.Callable {
	f, _ := goja.AssertFunction(owner.Get(name))
	return f
}

// put replaces a function. What the property is like stays.
func (c *corrected) put(owner *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) error {
	made := c.vm.ToValue(f).(*goja.Object)
	return errors.Join(
		made.DefineDataProperty("name", c.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		made.DefineDataProperty("length", c.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		owner.DefineDataProperty(name, made, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}

// must returns a value, or throws.
func must(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(err)
	}
	return v
}

// parse is Date.parse.
func (c *corrected) parse(text goja.Value) goja.Value {
	if symbol, ok := text.(*goja.Symbol); ok {
		panic(c.vm.NewTypeError("Cannot convert " + symbol.String() + " to a string"))
	}
	ms := Parse(text.ToString().String(), time.Local)
	if math.IsNaN(ms) {
		return c.vm.ToValue(ms)
	}
	return c.vm.ToValue(int64(ms))
}

// setMilliseconds is the same in every zone, as zones differ by whole seconds.
func (c *corrected) setMilliseconds(f goja.FunctionCall) goja.Value {
	at := must(c.getTime(f.This)).ToFloat()
	ms := f.Argument(0).ToNumber().ToFloat()
	if math.IsNaN(at) {
		return c.vm.ToValue(at)
	}
	at = math.Floor(at/1000)*1000 + math.Trunc(ms)
	if !(math.Abs(at) <= maxTime) {
		at = math.NaN()
	}
	return must(c.setTime(f.This, c.vm.ToValue(at)))
}

// toISOString writes years of other than four digits with six.
func (c *corrected) toISOString(f goja.FunctionCall) goja.Value {
	text := must(c.toISO(f.This)).String()
	first := strings.IndexByte(text[1:], '-') + 1
	if text[0] != '-' && text[0] != '+' {
		return c.vm.ToValue(text)
	}
	return c.vm.ToValue(fmt.Sprintf("%c%06s%s", text[0], text[1:first], text[first:]))
}

// withZone is a function whose text ends in the name of the zone.
func (c *corrected) withZone(original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(f goja.FunctionCall) goja.Value {
		text := must(original(f.This))
		return c.vm.ToValue(c.named(text.String(), must(c.getTime(f.This))))
	}
}

// named puts the long name of the zone in the place of the short one.
func (c *corrected) named(text string, at goja.Value) string {
	open := strings.LastIndexByte(text, '(')
	if open < 0 { // Invalid Date
		return text
	}
	if name := intl.LocalName(time.UnixMilli(at.ToInteger())); name != "" {
		return text[:open+1] + name + ")"
	}
	return text
}
