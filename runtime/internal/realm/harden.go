package realm

import (
	"errors"

	"github.com/dop251/goja"
)

var (
	asyncProgram     = program("async", `(async () => {})`)
	generatorProgram = program("generator", `(function* () {})`)
)

// harden removes what makes code from strings, before the script runs: eval, and the
// constructors that can be reached from every function. suit removes that of generators.
func (r *Realm) harden() error {
	refuse := r.vm.ToValue(func(goja.ConstructorCall) *goja.Object {
		panic(r.newError("EvalError", "code cannot be made from strings here; write it in the tool file"))
	}).(*goja.Object)
	functions := refuse.Prototype() // what every function inherits from
	global := r.vm.GlobalObject()
	r.noFunction = refuse
	return errors.Join(
		refuse.DefineDataProperty("prototype", functions, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE),
		refuse.DefineDataProperty("name", r.vm.ToValue("Function"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		functions.DefineDataProperty("constructor", refuse, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE),
		r.hardenFrom(asyncProgram()),
		global.DefineDataProperty("Function", refuse, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		global.Delete("eval"),
	)
}

// hardenFrom removes the constructor of the kind of function that a program evaluates to.
// The constructor of generators can be reached only if the source has one.
func (r *Realm) hardenFrom(p *goja.Program) error {
	value, err := r.vm.RunProgram(p)
	if err != nil {
		return err
	}
	return value.(*goja.Object).Prototype().DefineDataProperty("constructor", r.noFunction, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// newError makes an error of one of the language's classes.
func (r *Realm) newError(class, message string) goja.Value {
	object, err := r.vm.New(r.vm.Get(class), r.vm.ToValue(message))
	if err != nil { // the script replaced the class
		return r.vm.NewTypeError(message)
	}
	return object
}
