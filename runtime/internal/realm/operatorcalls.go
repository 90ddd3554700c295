package realm

import (
	"math"
	"math/big"
	"reflect"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// operatorsProgram declares what lowered operators call, which scripts cannot name, and gives a
// function that sets it.
var operatorsProgram = sync.OnceValue(func() *goja.Program {
	tree, err := parse(ownPrefix+"operators", `let equal, shift, word, words, second, element, text, product, step, power;
		(...f) => { [equal, shift, word, words, second, element, text, product, step, power] = f }`)
	if err != nil {
		panic(err)
	}
	syntax.Each(tree, func(node any) {
		if name, ok := node.(*ast.Identifier); ok && len(name.Name) > len("f") {
			name.Name = ownPrefix + name.Name
		}
	}, nil)
	compiled, err := goja.CompileAST(tree, true)
	if err != nil {
		panic(err)
	}
	return compiled
})

// installOperators gives a program what its lowered operators call.
func (r *Realm) installOperators() error {
	set, err := r.function(operatorsProgram())
	if err == nil {
		words, second := r.words()
		var calls []goja.Value
		for _, f := range []func(goja.FunctionCall) goja.Value{r.equal, r.shift, r.word, words, second, r.element, r.text, r.product, r.step, r.powers()} {
			calls = append(calls, r.vm.ToValue(f))
		}
		_, err = set(goja.Undefined(), calls...)
	}
	return err
}

// equal is a == b. The engine's is right with a number on the left, or else an object.
func (r *Realm) equal(call goja.FunctionCall) goja.Value {
	a, b := call.Arguments[0], call.Arguments[1]
	equal := a.StrictEquals(b)
	if _, text := a.(goja.String); text && !equal {
		_, both := b.(goja.String)
		return r.vm.ToValue(!both && equals(a, b))
	}
	return r.vm.ToValue(equal || equals(a, b))
}

func equals(a, b goja.Value) bool {
	a, isNumberA := asNumber(a)
	b, isNumberB := asNumber(b)
	_, isObjectB := b.(*goja.Object)
	if _, text := a.(goja.String); text && b.ExportType() == bigIntType { // of the engine only the right one may have white space
		return b.Equals(a)
	}
	if !isNumberA && (isNumberB || isObjectB) {
		return b.Equals(a)
	}
	return a.Equals(b)
}

// asNumber gives a boolean as a number, and says whether a value is one.
func asNumber(v goja.Value) (_ goja.Value, is bool) {
	switch v.(type) {
	case *goja.Object, goja.String, *goja.Symbol:
		return v, false
	}
	switch kind := v.ExportType(); {
	case kind == nil:
		return v, false
	case kind.Kind() == reflect.Bool:
		return v.ToNumber(), true
	default:
		return v, kind.Kind() == reflect.Int64 || kind.Kind() == reflect.Float64
	}
}

// shift bounds how far something is shifted.
func (r *Realm) shift(call goja.FunctionCall) goja.Value {
	return r.bounded(r.numeric(call.Arguments[0]))
}

func (r *Realm) bounded(by goja.Value) goja.Value {
	n, ok := by.Export().(*big.Int)
	if !ok {
		return r.narrowed(by)
	}
	if n.IsUint64() || n.IsInt64() {
		return by
	}
	bound := new(big.Int).Lsh(big.NewInt(int64(n.Sign())), shiftBits)
	return r.vm.ToValue(bound)
}

// shiftBits is the logarithm of how far everything is shifted out of a BigInt.
const shiftBits = 63

// word gives a BigInt as it is, and what else is a number as one that the engine takes 32 bits of
// well.
func (r *Realm) word(call goja.FunctionCall) goja.Value {
	return r.narrowed(r.numeric(call.Arguments[0]))
}

// words gives the left one of two operands as word does, and keeps the right one for second. The
// last argument says whether it tells how far to shift.
func (r *Realm) words() (first, second func(goja.FunctionCall) goja.Value) {
	var kept goja.Value
	first = func(call goja.FunctionCall) goja.Value {
		a := r.narrowed(r.numeric(call.Arguments[0]))
		b := r.numeric(call.Arguments[1])
		if call.Arguments[2].ToBoolean() {
			b = r.bounded(b)
		}
		kept = r.narrowed(b)
		return a
	}
	return first, func(goja.FunctionCall) goja.Value { return kept }
}

// element gives what a property of a typed array is set to, which is an element if its key is a
// number. It is given the key, where that is known, and the value.
func (r *Realm) element(call goja.FunctionCall) goja.Value {
	value := call.Arguments[len(call.Arguments)-1]
	switch known := len(call.Arguments) > 1; {
	case known && isNumeric(call.Arguments[0]):
		return r.narrowed(r.numeric(value))
	case !known && isNumeric(value):
		return r.narrowed(value)
	}
	return value
}

func (r *Realm) narrowed(n goja.Value) goja.Value {
	if n.ExportType() == floatType && math.Abs(n.ToFloat()) >= 1<<63 {
		return r.vm.ToValue(wordOf(n.ToFloat()))
	}
	return n
}

// text gives what the engine makes a number of, as it should.
func (r *Realm) text(call goja.FunctionCall) goja.Value { return r.numeric(call.Arguments[0]) }

// product is a * b, where what makes numbers of the factors may count.
func (r *Realm) product(call goja.FunctionCall) goja.Value {
	a := r.numeric(call.Arguments[0])
	b := r.numeric(call.Arguments[1])
	if x, ok := bigIntOf(a); ok {
		if y, ok := bigIntOf(b); ok {
			return r.vm.ToValue(new(big.Int).Mul(x, y))
		}
	}
	if a.ExportType() == bigIntType || b.ExportType() == bigIntType {
		panic(r.newError("TypeError", "Cannot mix BigInt and other types, use explicit conversions"))
	}
	return r.vm.ToValue(a.ToFloat() * b.ToFloat())
}
