package realm

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

//go:embed generators.js
var generatorsSource string

//go:embed generatorsasync.js
var generatorsAsyncSource string

var (
	generatorsProgram      = program("generators", generatorsSource)
	generatorsAsyncProgram = program("generatorsasync", generatorsAsyncSource)
)

// generatorNames are those that lowered generators call, without their prefix.
var generatorNames = [...]string{"yield", "delegate", "pass", "leave", "finish", "checked", "async", "await", "star", "looped"}

// generatorNamesProgram declares these, and gives a function that sets them to the properties of
// two objects.
var generatorNamesProgram = sync.OnceValue(func() *goja.Program {
	var names, sets strings.Builder
	for i, name := range generatorNames {
		fmt.Fprintf(&names, "let v%d; ", i)
		fmt.Fprintf(&sets, "v%d = all.%s; ", i, name)
	}
	tree, err := parse(ownPrefix+"names", names.String()+"(all) => { "+sets.String()+"}")
	if err != nil {
		panic(err)
	}
	syntax.Each(tree, func(node any) {
		var i int
		if name, ok := node.(*ast.Identifier); ok {
			if n, _ := fmt.Sscanf(name.Name.String(), "v%d", &i); n == 1 {
				name.Name = identifier(ownPrefix+generatorNames[i], name.Idx).Name
			}
		}
	}, nil)
	compiled, err := goja.CompileAST(tree, true)
	if err != nil {
		panic(err)
	}
	return compiled
})

// installGenerators gives a program what its lowered generators call.
func (r *Realm) installGenerators(async bool) error {
	kit, err := r.made(generatorsProgram(), r.generatorNatives())
	if err != nil {
		return err
	}
	if async {
		more, err := r.made(generatorsAsyncProgram(), kit)
		if err != nil {
			return err
		}
		for _, name := range more.Keys() {
			if err := kit.Set(name, more.Get(name)); err != nil {
				return err
			}
		}
	}
	set, err := r.function(generatorNamesProgram())
	if err == nil {
		_, err = set(goja.Undefined(), kit)
	}
	return err
}

// made is the object that one of our programs makes of another.
func (r *Realm) made(p *goja.Program, of goja.Value) (*goja.Object, error) {
	f, err := r.function(p)
	if err != nil {
		return nil, err
	}
	value, err := f(goja.Undefined(), of)
	if err != nil {
		return nil, err
	}
	return value.ToObject(r.vm), nil
}

// generatorNatives are the natives of generators.js.
func (r *Realm) generatorNatives() goja.Value {
	one, ended := r.vm.NewObject(), r.vm.NewObject()
	var pending goja.Value // what the generator yields that is about to ask for it
	no := r.vm.ToValue(false)
	set := func(o *goja.Object, name string, value goja.Value) {
		if err := o.Set(name, value); err != nil {
			panic(err)
		}
	}
	set(ended, "done", r.vm.ToValue(true))
	start := func(call goja.FunctionCall) goja.Value { pending = call.Argument(0); return one }
	next := func(call goja.FunctionCall) goja.Value {
		if value := pending; value != nil {
			pending = nil
			result := r.vm.NewObject()
			set(result, "value", value)
			set(result, "done", no)
			return result
		}
		set(ended, "value", call.Argument(0))
		return ended
	}
	self := func(call goja.FunctionCall) goja.Value { return call.This }
	nextOf := func(call goja.FunctionCall) goja.Value {
		inner := call.Argument(0)
		f, ok := goja.AssertFunction(call.Argument(1))
		return r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			if !ok {
				panic(r.newError("TypeError", "next of the iterator is not a function"))
			}
			result := must(f(inner, call.Argument(0)))
			if _, object := result.(*goja.Object); !object {
				panic(r.newError("TypeError", "Iterator result "+text(result)+" is not an object"))
			}
			return result
		})
	}
	natives := r.vm.NewObject()
	for name, value := range map[string]any{"iterator": one, "start": start, "self": self, "nextOf": nextOf} {
		if err := natives.Set(name, value); err != nil {
			panic(err)
		}
	}
	for _, err := range []error{one.SetPrototype(nil), ended.SetPrototype(nil), one.Set("next", next), one.SetSymbol(goja.SymIterator, self)} {
		if err != nil {
			panic(err)
		}
	}
	return natives
}
