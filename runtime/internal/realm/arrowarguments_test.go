package realm_test

import "testing"

// TestArgumentsInArrowFunctions are those of the function around, also if nothing else uses them.
func TestArgumentsInArrowFunctions(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"function g(x, y) { return [7].map(() => arguments[1]) } return g(1, 2)":                                                                                     "[2]",
		"function g() { return (() => arguments.length)() } return g(1, 2)":                                                                                          "2",
		"function g() { 'use strict'; return (() => () => [...arguments])()() } return g(1, 2)":                                                                      "[1,2]",
		"const f = (fn) => function () { return Promise.resolve().then(() => fn.apply(this, arguments)) }; return f((a, b) => a + b)(1, 2)":                          "3",
		"function g(x, y = () => arguments.length) { return y() } return g(1)":                                                                                       "1",
		"function g(x, y = 5) { return (() => arguments.length + y)() } return g(1)":                                                                                 "6",
		"class A { constructor() { this.n = (() => arguments[1])() } m() { return (() => ({arguments}).arguments.length)() } } return [new A(1, 2).n, new A().m(3)]": "[2,1]",
		"function* g() { yield (() => arguments[0])() } return [...g(4)]":                                                                                            "[4]",
		"function g(arguments) { return (() => arguments)() } return g(3)":                                                                                           "3",
		"function g() { let arguments = 8; return (() => arguments)() } return g(3)":                                                                                 "8",
	} {
		if got := runForm(t, body, true, "{}", nil); got.value != want {
			t.Errorf("%s: %s %+v; want %s", body, got.value, got.throw, want)
		}
	}
}
