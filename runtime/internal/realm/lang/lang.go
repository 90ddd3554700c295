package lang

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

//go:embed *.js
var sources embed.FS

// Parts is a set of families of additions; the zero value is empty.
type Parts uint32

// The families, in the order in which they are installed.
const (
	symbols Parts = 1 << iota
	iterators
	newIterators
	collections
	promises
	arrays
	texts
	weak
	legacy
	numbers
	failures
	buffers
	disposal
	typed
	locale
	everything Parts = 1<<iota - 1
	proxied    Parts = 1 << (iota - 1) // nothing is added
)

// families are the programs, each a function of (kit, globalThis, natives).
var families = []struct {
	part    Parts
	program func() *goja.Program
	native  func(*goja.Runtime, func() bool) *goja.Object
}{
	{symbols, program("symbols.js"), nil},
	{iterators, program("iterator.js"), nil},
	{newIterators, program("iteratormore.js"), nil},
	{collections, program("collections.js"), nil},
	{promises, program("promise.js"), nil},
	{arrays, program("arrays.js"), nil},
	{texts, program("strings.js"), nil},
	{weak, program("weak.js"), nil},
	{legacy, program("legacy.js"), nil},
	{numbers, program("numbers.js"), numberNatives},
	{failures, program("errors.js"), nil},
	{buffers, program("buffers.js"), bufferNatives},
	{disposal, program("disposal.js"), nil},
	{typed, program("typed.js"), nil},
	{proxied, program("proxied.js"), proxyNatives},
	{locale, program("intl.js"), intlNatives},
	{locale, program("intlnumber.js"), nil},
	{locale, program("intldate.js"), nil},
	{locale, program("intllist.js"), nil},
}

var kit = program("kit.js")

// program compiles a file at its first use.
func program(file string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program {
		text, err := sources.ReadFile(file)
		if err != nil {
			panic(err)
		}
		return goja.MustCompile("scriptrun:"+strings.TrimSuffix(file, ".js"), string(text), true)
	})
}

// Localizes reports whether the functions that know locales are among the parts. The engine
// has them too, and gets them wrong.
func (p Parts) Localizes() bool { return p&locale != 0 }

// Install adds parts to a realm whose script has not run yet. What can take long asks stopped
// now and then.
func Install(vm *goja.Runtime, parts Parts, stopped func() bool) error {
	if parts == 0 {
		return nil
	}
	tools, err := call(vm, kit())
	if err != nil {
		return err
	}
	for _, family := range families {
		if parts&family.part == 0 {
			continue
		}
		native := goja.Undefined()
		if family.native != nil {
			native = family.native(vm, stopped)
		}
		if _, err := call(vm, family.program(), tools, vm.GlobalObject(), native); err != nil {
			return err
		}
	}
	return nil
}

func call(vm *goja.Runtime, p *goja.Program, args ...goja.Value) (goja.Value, error) {
	value, err := vm.RunProgram(p)
	if err != nil {
		return nil, err
	}
	f, ok := goja.AssertFunction(value)
	if !ok {
		return nil, errors.New("a part of the language is not a function")
	}
	value, err = f(goja.Undefined(), args...)
	if err != nil {
		return nil, fmt.Errorf("a part of the language: %w", err)
	}
	return value, nil
}
