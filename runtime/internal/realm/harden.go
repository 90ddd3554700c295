package realm

import (
	"errors"

	"github.com/dop251/goja"
)

var (
	asyncProgram     = program("async", `(async () => {})`)
	generatorProgram = program("generator", `(function* () {})`)
)

// harden takes away what makes code from strings, before anything of the
// script runs: eval, and the constructors of functions, which lead from every
// function to one. Without generators in the source nothing leads to theirs.
func (r *Realm) harden(generators bool) error {
	refuse := r.vm.ToValue(func(goja.ConstructorCall) *goja.Object { panic(r.noCode()) }).(*goja.Object)
	functions := refuse.Prototype() // what every function inherits from
	if err := errors.Join(
		refuse.DefineDataProperty("prototype", functions, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE),
		refuse.DefineDataProperty("name", r.vm.ToValue("Function"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	); err != nil {
		return err
	}
	prototypes := []*goja.Object{functions}
	programs := []*goja.Program{asyncProgram()}
	if generators {
		programs = append(programs, generatorProgram())
	}
	for _, p := range programs {
		value, err := r.vm.RunProgram(p)
		if err != nil {
			return err
		}
		prototypes = append(prototypes, value.(*goja.Object).Prototype())
	}
	for _, p := range prototypes {
		if err := p.DefineDataProperty("constructor", refuse, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	global := r.vm.GlobalObject()
	return errors.Join(
		global.DefineDataProperty("Function", refuse, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		global.Delete("eval"),
	)
}

// noCode is the error of whoever tries.
func (r *Realm) noCode() goja.Value {
	const message = "code cannot be made from strings here; write it in the tool file"
	object, err := r.vm.New(r.vm.Get("EvalError"), r.vm.ToValue(message))
	if err != nil {
		return r.vm.NewTypeError(message)
	}
	return object
}
