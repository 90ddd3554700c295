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
// What stands for them throws, and has the properties that the language gives it.
func (r *Realm) harden() error {
	refuse := r.vm.ToValue(func(goja.ConstructorCall) *goja.Object { panic(r.noCode()) }).(*goja.Object)
	eval := r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		if _, code := f.Argument(0).Export().(string); !code {
			return f.Argument(0)
		}
		panic(r.noCode())
	}).(*goja.Object)
	functions := refuse.Prototype() // what every function inherits from
	global := r.vm.GlobalObject()
	r.noFunction = refuse
	return errors.Join(
		r.shaped(refuse, "Function", functions),
		functions.DefineDataProperty("constructor", refuse, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		r.hardenFrom("AsyncFunction", asyncProgram()),
		global.DefineDataProperty("Function", refuse, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		r.shaped(eval, "eval", nil),
		global.DefineDataProperty("eval", eval, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}

// hardenFrom removes the constructor of the kind of function that a program evaluates to.
// The constructor of generators can be reached only if the source has one.
func (r *Realm) hardenFrom(name string, p *goja.Program) error {
	value, err := r.vm.RunProgram(p)
	if err != nil {
		return err
	}
	refuse := r.vm.ToValue(func(goja.ConstructorCall) *goja.Object { panic(r.noCode()) }).(*goja.Object)
	prototype := value.(*goja.Object).Prototype()
	return errors.Join(
		r.shaped(refuse, name, prototype),
		refuse.SetPrototype(r.noFunction),
		prototype.DefineDataProperty("constructor", refuse, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}

// shaped gives a function of one parameter its name, and its prototype if it is a constructor.
func (r *Realm) shaped(f *goja.Object, name string, prototype *goja.Object) error {
	var err error
	if prototype != nil {
		err = f.DefineDataProperty("prototype", prototype, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	}
	return errors.Join(err,
		f.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		f.DefineDataProperty("length", r.vm.ToValue(1), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}

// noCode is the error of eval and Function.
func (r *Realm) noCode() goja.Value {
	return r.newError("EvalError", "code cannot be made from strings here; write it in the tool file")
}

// newError makes an error of one of the language's classes.
func (r *Realm) newError(class, message string) goja.Value {
	object, err := r.vm.New(r.vm.Get(class), r.vm.ToValue(message))
	if err != nil { // the script replaced the class
		return r.vm.NewTypeError(message)
	}
	return object
}
