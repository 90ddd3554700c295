package realm

import (
	"errors"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// jsonName is the name of a property.
type jsonName struct {
	text string
	odd  goja.Value // if it has half of a surrogate pair
}

func (n jsonName) value(vm *goja.Runtime) goja.Value {
	if n.odd != nil {
		return n.odd
	}
	return vm.ToValue(n.text)
}

func jsonNameOf(v goja.Value) jsonName {
	text := wideText(v)
	if !utf8.ValidString(text) {
		return jsonName{text, v}
	}
	return jsonName{text: text}
}

var (
	namesProgram = program("names", `((keys) => (object) => keys(object))(Object.keys)`)
	readProgram  = program("read", `((object, key) => object[key])`)
)

// namesOf are the names of an object's own enumerable properties.
func (r *Realm) namesOf(object *goja.Object) []jsonName {
	keys := object.Keys()
	names := make([]jsonName, len(keys))
	for i, key := range keys {
		if strings.ContainsRune(key, utf8.RuneError) { // perhaps half of a surrogate pair
			return r.oddNamesOf(object)
		}
		names[i].text = key
	}
	return names
}

func (r *Realm) oddNamesOf(object *goja.Object) (names []jsonName) {
	list := r.must(namesProgram(), object).ToObject(r.vm)
	for i := range list.Get("length").ToInteger() {
		names = append(names, jsonNameOf(list.Get(strconv.FormatInt(i, 10))))
	}
	return names
}

func (r *Realm) property(object *goja.Object, name jsonName) goja.Value {
	if name.odd != nil {
		return r.must(readProgram(), object, name.odd)
	}
	return object.Get(name.text)
}

// must calls one of our functions, and throws what it throws.
func (r *Realm) must(p *goja.Program, args ...goja.Value) goja.Value {
	f, err := r.function(p)
	var value goja.Value
	if err == nil {
		value, err = f(goja.Undefined(), args...)
	}
	if err != nil {
		panic(err)
	}
	return value
}

func isText(v goja.Value) bool {
	_, ok := v.(goja.String)
	return ok
}

// isNumeric reports whether a value is a number.
func isNumeric(v goja.Value) bool {
	switch v.(type) {
	case nil, *goja.Object, *goja.Symbol, goja.String:
		return false
	}
	kind := v.ExportType()
	return kind == integerType || kind == floatType
}

var (
	integerType = reflect.TypeFor[int64]()
	floatType   = reflect.TypeFor[float64]()
	bigIntType  = reflect.TypeFor[*big.Int]()
)

// replaceJSON makes JSON.parse and JSON.stringify ours.
func (r *Realm) replaceJSON() error {
	owner, ok := r.vm.Get("JSON").(*goja.Object)
	if !ok {
		return errors.New("there is no JSON")
	}
	return errors.Join(r.replaceNative(owner, "parse", 2, r.callParse), r.replaceNative(owner, "stringify", 3, r.callStringify))
}

func (r *Realm) replaceNative(owner *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) error {
	native := r.named(name, f)
	return errors.Join(
		native.DefineDataProperty("length", r.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		owner.DefineDataProperty(name, native, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}
