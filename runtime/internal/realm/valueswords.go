package realm

import (
	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// isWords reports whether an expression is a typed array of integers of 32 bits or fewer, perhaps
// one that takes larger ones for the largest.
func (v *values) isWords(e ast.Expression, clamped bool) bool {
	id, ok := e.(*ast.Identifier)
	return ok && v.isWordsVariable(id, clamped, 0)
}

// isWordsVariable looks at each variable once, and no further than through a few others.
func (v *values) isWordsVariable(id *ast.Identifier, clamped bool, depth int) bool {
	const furthest = 4
	name := v.of[id]
	if depth > furthest || !v.settled(name) {
		return false
	}
	asked := wordsAsked{name, clamped}
	known, again := v.words[asked]
	if again {
		return known
	}
	if v.words == nil {
		v.words = map[wordsAsked]bool{}
	}
	v.words[asked] = false // to those that it is given
	v.words[asked] = v.givenWords(name, clamped, depth)
	return v.words[asked]
}

// wordsAsked is what is asked of a variable: whether it is a typed array, perhaps a clamped one.
type wordsAsked struct {
	of      *variable
	clamped bool
}

// givenWords reports whether a variable is given nothing but such arrays.
func (v *values) givenWords(name *variable, clamped bool, depth int) bool {
	some := false
	for _, given := range v.given[name] {
		if given == nil {
			continue // nothing can be stored in undefined
		}
		if !v.makesWords(given, clamped, depth) {
			return false
		}
		some = true
	}
	return some
}

// makesWords reports whether what a variable is given is such an array.
func (v *values) makesWords(e ast.Expression, clamped bool, depth int) bool {
	switch e := e.(type) {
	case *ast.AssignExpression:
		return e.Operator == operators.ASSIGN && v.makesWords(e.Right, clamped, depth)
	case *ast.Identifier:
		return v.isWordsVariable(e, clamped, depth+1)
	case *ast.NewExpression:
		return v.isWordsClass(e.Callee, clamped)
	case *ast.CallExpression:
		method, ok := e.Callee.(*ast.DotExpression)
		switch {
		case !ok:
		case v.isWordsClass(method.Left, clamped):
			return method.Identifier.Name == "from" || method.Identifier.Name == "of"
		case wordMethods[method.Identifier.Name]:
			return v.makesWords(method.Left, clamped, depth)
		}
	}
	return false
}

func (v *values) isWordsClass(e ast.Expression, clamped bool) bool {
	class, ok := e.(*ast.Identifier)
	return ok && (wordArrays[class.Name] || clamped && class.Name == "Uint8ClampedArray") && !v.known(class)
}

// wordMethods are those of typed arrays that give one of their kind.
var wordMethods = map[unistring.String]bool{
	"fill": true, "subarray": true, "slice": true, "map": true, "filter": true, "sort": true, "reverse": true,
	"copyWithin": true, "toSorted": true, "toReversed": true, "with": true,
}

var wordArrays = map[unistring.String]bool{
	"Int8Array": true, "Uint8Array": true, "Int16Array": true, "Uint16Array": true, "Int32Array": true, "Uint32Array": true,
}
