package realm

import (
	"math"

	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// values knows how large the numbers in variables can be. The zero value knows none.
type values struct {
	scopes  scopes
	of      map[*ast.Identifier]*variable  // what names stand for; nil is none of the source's
	names   []*variable                    // that are declared, in the order of the source
	given   map[*variable][]ast.Expression // what they are given; nil is undefined
	unknown map[*variable]bool             // they may be given anything
	bounds  map[*variable]float64          // what settle found
	memo    map[ast.Expression]float64     // bounds of expressions
	asked   map[*variable]bool             // by isBig, which must end
	words   map[wordsAsked]bool            // what isWords found
	left    int                            // steps that isBig may still take
	with    bool                           // names may be properties
	bigints bool                           // there may be BigInts
}

// steps is how often something is taken to be added to a variable at most. What is added is mostly
// far smaller than its bound, and what limits the sums has room for twice as much.
const steps = 1 << 28

// read looks at a whole source.
func (v *values) read(tree *ast.Program) {
	v.scopes = scopes{declared: map[any][]*variable{}, visible: map[string][]*variable{}}
	v.of, v.given, v.unknown, v.asked = map[*ast.Identifier]*variable{}, map[*variable][]ast.Expression{}, map[*variable]bool{}, map[*variable]bool{}
	v.scopes.each(tree, func(node any, around []any) { v.scopes.declare("", node, around) })
	v.scopes.each(tree, func(node any, _ []any) { v.note(node) })
	v.settle()
}

// note looks at a node of the source.
func (v *values) note(node any) {
	switch n := node.(type) {
	case *ast.Identifier:
		v.of[n] = v.named(n)
	case *ast.Binding:
		v.give(n.Target, n.Initializer)
		if name := v.named(n.Target); name != nil {
			v.names = append(v.names, name)
		}
	case *ast.AssignExpression:
		v.give(n.Left, n)
	case *ast.UnaryExpression:
		if n.Operator == operators.INCREMENT || n.Operator == operators.DECREMENT {
			v.give(n.Operand, n)
		}
	case *ast.ParameterList:
		for _, b := range n.List {
			v.forget(b.Target)
		}
		v.forget(n.Rest)
	case *ast.ForIntoVar:
		v.forget(n.Binding.Target)
	case *ast.ForDeclaration:
		v.forget(n.Target)
	case *ast.ForIntoExpression:
		v.forget(n.Expression)
	case *ast.CatchStatement:
		v.forget(n.Parameter)
	case *ast.FunctionDeclaration:
		v.forget(n.Function.Name)
	case *ast.FunctionLiteral:
		v.forget(n.Name)
	case *ast.ClassDeclaration:
		v.forget(n.Class.Name)
	case *ast.ClassLiteral:
		v.forget(n.Name)
	case *ast.ArrayPattern, *ast.ObjectPattern:
		syntax.Each(n, v.forget, nil)
	case *ast.WithStatement:
		v.with = true
	}
}

// named is the variable that a name stands for where the source is read; nil if it is none of
// the source's.
func (v *values) named(e any) *variable {
	if found := v.scopes.known(e); found.name != "" {
		return found
	}
	return nil
}

func (v *values) give(target, value ast.Expression) {
	if name := v.named(target); name != nil {
		v.given[name] = append(v.given[name], value)
	}
}

// forget notes that a name may be given anything.
func (v *values) forget(target any) {
	if short, ok := target.(*ast.PropertyShort); ok {
		target = &short.Name
	}
	if id, ok := target.(*ast.Identifier); ok && id != nil {
		if name := v.named(id); name != nil {
			v.unknown[name] = true
		}
	}
}

// settle finds the bounds of all variables, which can depend on each other.
func (v *values) settle() {
	const patience, end = 5, 20 // rounds until what grows has no bound, and until nothing has
	v.bounds = make(map[*variable]float64, len(v.names))
	for _, name := range v.names {
		if v.with || v.unknown[name] {
			v.bounds[name] = math.Inf(1)
		} else {
			v.bounds[name] = 0
		}
	}
	for round, changed := 0, true; changed; round++ {
		changed, v.memo = false, map[ast.Expression]float64{} // once nothing changes, it is right
		for _, name := range v.names {
			if was := v.bounds[name]; !math.IsInf(was, 1) {
				now := v.variable(name)
				if round > end || now > was && round > patience {
					now = math.Inf(1)
				}
				if now > was {
					v.bounds[name], changed = now, true
				}
			}
		}
	}
}

// variable is the bound of a variable, by what is known of the others.
func (v *values) variable(name *variable) float64 {
	most, added := 0.0, 0.0
	for _, e := range v.given[name] {
		if set, ok := e.(*ast.AssignExpression); ok {
			if e = set.Right; set.Operator != operators.ASSIGN {
				e = joined(set.Operator, set.Left, set.Right)
			}
		}
		times, more := v.growth(e, name)
		switch {
		case times == 0:
			most = math.Max(most, more)
		case times == 1:
			added += more
		default:
			return math.Inf(1)
		}
	}
	return most + added*steps
}

// growth is how often a variable is in a sum that it is given, and the bound of the rest.
func (v *values) growth(e ast.Expression, name *variable) (times, rest float64) {
	switch e := e.(type) {
	case nil:
		return 0, 0
	case *ast.Identifier:
		if v.of[e] == name {
			return 1, 0
		}
	case *ast.BinaryExpression:
		if e.Operator == operators.PLUS || e.Operator == operators.MINUS {
			timesA, restA := v.growth(e.Left, name)
			timesB, restB := v.growth(e.Right, name)
			return timesA + timesB, restA + restB
		}
	case *ast.UnaryExpression:
		if e.Operator == operators.INCREMENT || e.Operator == operators.DECREMENT {
			times, rest = v.growth(e.Operand, name)
			return times, rest + 1
		}
	}
	return 0, v.bound(e)
}

// bound is what the absolute value of an expression does not exceed; it is infinite if nothing is
// known, or the expression may be anything but a number, a boolean, null or undefined. NaN and
// infinities do not count.
func (v *values) bound(e ast.Expression) float64 {
	switch e := e.(type) {
	case *ast.Identifier:
		if bound, ok := v.bounds[v.of[e]]; ok {
			return bound
		}
		return math.Inf(1)
	case *ast.NumberLiteral, *ast.StringLiteral:
		return v.boundOf(e)
	}
	bound, ok := v.memo[e]
	if !ok {
		if bound = v.boundOf(e); v.memo != nil {
			v.memo[e] = bound
		}
	}
	return bound
}

func (v *values) boundOf(e ast.Expression) float64 {
	switch e := e.(type) {
	case *ast.NumberLiteral:
		switch n := e.Value.(type) {
		case int64:
			return math.Abs(float64(n))
		case float64:
			return math.Abs(n)
		}
	case *ast.BooleanLiteral, *ast.NullLiteral:
		return 1
	case *ast.UnaryExpression:
		return v.boundOfUnary(e)
	case *ast.BinaryExpression:
		return v.boundOfBinary(e.Operator, e.Left, e.Right)
	case *ast.ConditionalExpression:
		return math.Max(v.bound(e.Consequent), v.bound(e.Alternate))
	case *ast.SequenceExpression:
		return v.bound(e.Sequence[len(e.Sequence)-1])
	case *ast.AssignExpression:
		if e.Operator == operators.ASSIGN {
			return v.bound(e.Right)
		}
		return v.boundOfBinary(e.Operator, e.Left, e.Right)
	case *ast.DotExpression:
		if e.Identifier.Name == "length" || e.Identifier.Name == "byteLength" {
			return 1 << 53
		}
	case *ast.BracketExpression:
		if v.isWords(e.Left, true) {
			return 1 << 32
		}
	case *ast.CallExpression:
		return v.boundOfCall(e)
	}
	return math.Inf(1)
}

func (v *values) boundOfUnary(e *ast.UnaryExpression) float64 {
	switch e.Operator {
	case operators.NOT, operators.DELETE, operators.VOID:
		return 1
	case operators.PLUS, operators.MINUS:
		return v.bound(e.Operand)
	case operators.INCREMENT, operators.DECREMENT:
		return v.bound(e.Operand) + 1
	case operators.BITWISE_NOT:
		if !v.bigints || isBounded(v.bound(e.Operand)) {
			return 1 << 31
		}
	}
	return math.Inf(1)
}

func (v *values) boundOfBinary(operator operators.Token, left, right ast.Expression) float64 {
	a, b := v.bound(left), v.bound(right)
	bound := math.Inf(1)
	switch operator {
	case operators.AND, operators.OR, operators.EXCLUSIVE_OR, operators.SHIFT_LEFT, operators.SHIFT_RIGHT:
		if !v.bigints || isBounded(a) || isBounded(b) {
			bound = 1 << 31
		}
	case operators.UNSIGNED_SHIFT_RIGHT:
		bound = 1 << 32
	case operators.PLUS, operators.MINUS:
		bound = a + b
	case operators.MULTIPLY:
		bound = a * b
	case operators.SLASH:
		if n, ok := integer(right); ok && n != 0 {
			bound = a / math.Abs(float64(n))
		}
	case operators.REMAINDER:
		bound = math.Min(a, b)
	case operators.LOGICAL_AND, operators.LOGICAL_OR, operators.COALESCE:
		bound = math.Max(a, b)
	case operators.EQUAL, operators.NOT_EQUAL, operators.STRICT_EQUAL, operators.STRICT_NOT_EQUAL,
		operators.LESS, operators.LESS_OR_EQUAL, operators.GREATER, operators.GREATER_OR_EQUAL, operators.IN, operators.INSTANCEOF:
		bound = 1
	}
	if math.IsNaN(bound) { // 0 times anything
		return math.Inf(1)
	}
	return bound
}

// smallResults are methods that give small numbers, whatever they are called on, with a bound.
var smallResults = map[unistring.String]float64{
	"charCodeAt": 1 << 16, "codePointAt": 1 << 21,
	"getInt8": 1 << 8, "getUint8": 1 << 8, "getInt16": 1 << 16, "getUint16": 1 << 16, "getInt32": 1 << 32, "getUint32": 1 << 32,
}

func (v *values) boundOfCall(call *ast.CallExpression) float64 {
	callee, ok := call.Callee.(*ast.DotExpression)
	if !ok {
		return math.Inf(1)
	}
	if bound, ok := smallResults[callee.Identifier.Name]; ok {
		return bound
	}
	if owner, ok := callee.Left.(*ast.Identifier); !ok || owner.Name != "Math" || v.known(owner) {
		return math.Inf(1)
	}
	switch callee.Identifier.Name {
	case "imul", "clz32", "random":
		return 1 << 32
	case "floor", "ceil", "round", "trunc", "abs":
		if len(call.ArgumentList) == 1 {
			return v.bound(call.ArgumentList[0]) + 1
		}
	}
	return math.Inf(1)
}

// known reports whether a source gives a name a meaning of its own.
func (v *values) known(name *ast.Identifier) bool { return v.with || v.of[name] != nil }

// settled reports whether it is known what a variable is given.
func (v *values) settled(name *variable) bool {
	return name != nil && !v.with && !v.unknown[name] && len(v.given[name]) > 0
}

func isBounded(bound float64) bool { return !math.IsInf(bound, 1) }
