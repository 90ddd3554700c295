package realm

import (
	"errors"
	"strings"

	"github.com/dop251/goja"
)

// replaceBigInt makes BigInt refuse what it should: the engine gave 0n without an argument, and took an
// object that is a text which is no number, such as a function or a list, for a number that is no integer.
func (r *Realm) replaceBigInt() error {
	class, ok := r.vm.Get("BigInt").(*goja.Object)
	if !ok {
		return errors.New("there is no BigInt")
	}
	call, ok := directly(class)
	if !ok {
		return errors.New("the class BigInt is no function")
	}
	return r.replaceClass("BigInt", class, &goja.ProxyTrapConfig{
		Apply: func(_ *goja.Object, this goja.Value, arguments []goja.Value) goja.Value {
			if len(arguments) == 0 {
				return must(call(this, goja.Undefined()))
			}
			if o, ok := arguments[0].(*goja.Object); ok {
				return must(call(this, r.primitive(o)))
			}
			return must(call(this, arguments...))
		},
	})
}

// stripBigInts takes from BigInts the length and the name that the engine gives them.
func (r *Realm) stripBigInts() error {
	prototype, ok := r.vm.Get("BigInt").(*goja.Object).Get("prototype").(*goja.Object)
	if !ok {
		return errors.New("the class BigInt has no prototype")
	}
	return errors.Join(prototype.Delete("length"), prototype.Delete("name"))
}

// hasBigInts reports whether a source may have BigInts.
func hasBigInts(source string) bool {
	return mayHaveBigInts(source) || strings.Contains(source, "BigInt") || strings.Contains(source, "BigU")
}
