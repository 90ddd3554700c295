package realm

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// Names of what lowered operators call. No source can have them.
const (
	equalName   = ownPrefix + "equal"
	shiftName   = ownPrefix + "shift"
	wordName    = ownPrefix + "word"
	wordsName   = ownPrefix + "words"
	secondName  = ownPrefix + "second"
	elementName = ownPrefix + "element"
	textName    = ownPrefix + "text"
	productName = ownPrefix + "product"
	powerName   = ownPrefix + "power"
	ownSuffix   = ":" // of those that the program itself declares
)

// lowering writes operators anew that the engine gets wrong, in place, so that what is usual
// stays as fast as it is.
type lowering struct {
	bigints bool   // there may be BigInts
	counts  bool   // objects may tell how often they are made numbers
	values  values // of variables
	read    bool   // the values are known
	onBits  []any  // nodes that wait until the values are known

	exponents []any                         // nodes that wait until all others are lowered
	calls     map[unistring.String]file.Idx // what lowered operators call, and the place of the first
}

// leave lowers a node whose operands were lowered.
func (l *lowering) leave(node any) {
	if hasBits(node) {
		l.onBits = append(l.onBits, node)
	}
	if l.isExponent(node) {
		l.exponents = append(l.exponents, node)
	}
	switch e := node.(type) {
	case *ast.ForStatement:
		l.step(e)
	case *ast.BinaryExpression:
		switch e.Operator {
		case operators.EQUAL, operators.NOT_EQUAL:
			l.equality(e)
		case operators.MULTIPLY:
			l.product(e)
		case operators.SHIFT_LEFT, operators.SHIFT_RIGHT:
			e.Right = l.shift(e.Right)
		}
	case *ast.AssignExpression:
		switch e.Operator {
		case operators.MULTIPLY:
			l.assignedProduct(e)
		case operators.SHIFT_LEFT, operators.SHIFT_RIGHT:
			e.Right = l.shift(e.Right)
		}
	}
}

// finish lowers what needs all values.
func (l *lowering) finish(tree *ast.Program) {
	if len(l.onBits) > 0 {
		l.readValues(tree)
	}
	for _, node := range l.onBits {
		l.bits(node)
	}
}

// readValues finds what variables are given, once.
func (l *lowering) readValues(tree *ast.Program) {
	if !l.read {
		l.read = true
		l.values.read(tree)
	}
}

// equality lowers a == b, in which the engine reads a text as a number in a poor way if it is on
// the left: "1.0" == 1 was false. On the right it reads texts well.
func (l *lowering) equality(e *ast.BinaryExpression) {
	if isNothingLiteral(e.Left) || isNothingLiteral(e.Right) {
		return
	}
	e.Left, e.Right = withoutBoolean(e.Left), withoutBoolean(e.Right)
	switch {
	case l.isNumber(e.Left), isPlainText(e.Left), isPlainText(e.Right):
	case isNumberLiteral(e.Right), isVariable(e.Left) && l.isNumber(e.Right) && isStill(e.Right):
		e.Left, e.Right = e.Right, e.Left // nothing tells the order of these
	default:
		strict := operators.STRICT_EQUAL
		if e.Operator == operators.NOT_EQUAL {
			strict = operators.STRICT_NOT_EQUAL
		}
		at := e.Idx0()
		e.Left = l.call(equalName, e.Left, e.Right)
		e.Operator, e.Right = strict, &ast.BooleanLiteral{Idx: at, Literal: "true", Value: true}
	}
}

// product lowers a * b of integers, which the engine gives no sign if it is zero, so that it is
// slower only then. What is not known, and not in a variable, is left alone.
func (l *lowering) product(e *ast.BinaryExpression) {
	if better := l.betterProduct(e.Left, e.Right); better != nil {
		*e = *better
	}
}

func (l *lowering) assignedProduct(e *ast.AssignExpression) {
	if !isVariable(e.Left) {
		return
	}
	if better := l.betterProduct(e.Left, e.Right); better != nil {
		e.Operator, e.Right = operators.ASSIGN, better
	}
}

// betterProduct is a product whose sign is right if it is zero; nil if the engine's is as good.
func (l *lowering) betterProduct(a, b ast.Expression) *ast.BinaryExpression {
	factor, known := integer(a)
	other := b
	if !known {
		factor, known = integer(b)
		other = a
	}
	product := joined(operators.MULTIPLY, a, b)
	switch {
	case known && (factor > 0 || factor == -1):
		return nil
	case known && factor == 0:
		return joined(operators.SLASH, other, numeral(b.Idx0(), infinity))
	case known && isVariable(other) && !l.counts:
		return joined(operators.LOGICAL_OR, product, joined(operators.SLASH, other, numeral(b.Idx0(), factor)))
	case known:
		return joined(operators.SLASH, joined(operators.MULTIPLY, other, numeral(b.Idx0(), -factor)), numeral(b.Idx0(), int64(-1)))
	case !isVariable(a) || !isVariable(b) || a.(*ast.Identifier).Name == b.(*ast.Identifier).Name:
		return nil
	}
	// Of integers it makes fractions, with whose signs the engine is right.
	var exact ast.Expression = joined(operators.MULTIPLY, joined(operators.SLASH, a, numeral(a.Idx0(), huge)), joined(operators.SLASH, b, numeral(b.Idx0(), huge)))
	if l.bigints {
		exact = &ast.ConditionalExpression{Test: isOfType(a, "bigint"), Consequent: joined(operators.MULTIPLY, a, b), Alternate: exact}
	}
	product = joined(operators.LOGICAL_OR, product, exact)
	if !l.counts {
		return product
	}
	both := joined(operators.LOGICAL_AND, isOfType(a, "number"), isOfType(b, "number"))
	once := &ast.ConditionalExpression{Test: both, Consequent: product, Alternate: l.call(productName, a, b)}
	return joined(operators.COALESCE, once, numeral(a.Idx0(), int64(0))) // it is never null
}

// countsConversions reports whether a source may have objects that can tell how often they are
// made numbers.
func countsConversions(source string) bool {
	if strings.Contains(source, "valueOf") || strings.Contains(source, "toPrimitive") {
		return true
	}
	const name = "toString"
	return strings.Count(source, name) > strings.Count(source, "."+name)
}

// shift bounds how far a BigInt is shifted: the engine looks at the lowest 64 bits alone.
func (l *lowering) shift(by ast.Expression) ast.Expression {
	if _, known := by.(*ast.NumberLiteral); known || !l.bigints {
		return by
	}
	return l.call(shiftName, by)
}

func (l *lowering) call(name unistring.String, arguments ...ast.Expression) ast.Expression {
	at := arguments[0].Idx0()
	if _, again := l.calls[name]; !again {
		l.calls[name] = at
	}
	return &ast.CallExpression{
		Callee:          &ast.Identifier{Name: name + ownSuffix, Idx: at},
		LeftParenthesis: at, ArgumentList: arguments, RightParenthesis: arguments[len(arguments)-1].Idx1(),
	}
}

// declare declares what is called, behind the directives: the engine finds it faster there.
func (l *lowering) declare(tree *ast.Program) {
	directives := slices.IndexFunc(tree.Body, func(s ast.Statement) bool {
		statement, ok := s.(*ast.ExpressionStatement)
		if ok {
			_, ok = statement.Expression.(*ast.StringLiteral)
		}
		return !ok
	})
	for name, at := range l.calls {
		value := &ast.Identifier{Name: name, Idx: at}
		constant := &ast.LexicalDeclaration{Idx: at, Token: operators.CONST, List: []*ast.Binding{
			{Target: &ast.Identifier{Name: name + ownSuffix, Idx: at}, Initializer: value},
		}}
		tree.Body = slices.Insert(tree.Body, directives, ast.Statement(constant))
	}
}

// isNumber reports whether an expression gives a number, whatever its operands are.
func (l *lowering) isNumber(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.UnaryExpression:
		switch e.Operator {
		case operators.PLUS:
			return true
		case operators.MINUS, operators.BITWISE_NOT, operators.INCREMENT, operators.DECREMENT:
			return !l.bigints || isNumberLiteral(e)
		}
	case *ast.BinaryExpression:
		switch e.Operator {
		case operators.MINUS, operators.MULTIPLY, operators.SLASH, operators.REMAINDER, operators.EXPONENT,
			operators.AND, operators.OR, operators.EXCLUSIVE_OR, operators.SHIFT_LEFT, operators.SHIFT_RIGHT:
			return !l.bigints
		case operators.UNSIGNED_SHIFT_RIGHT:
			return true
		}
	}
	return isNumberLiteral(e)
}

// isNumberLiteral reports whether an expression is a number, perhaps with a sign, and no BigInt.
func isNumberLiteral(e ast.Expression) bool {
	if sign, ok := e.(*ast.UnaryExpression); ok && (sign.Operator == operators.MINUS || sign.Operator == operators.PLUS) {
		e = sign.Operand
	}
	n, ok := e.(*ast.NumberLiteral)
	if !ok {
		return false
	}
	_, big := n.Value.(*big.Int)
	return !big
}

// integer is the value of a literal that is an integer, perhaps with a sign; -0 is none.
func integer(e ast.Expression) (n int64, ok bool) {
	if sign, negative := e.(*ast.UnaryExpression); negative && sign.Operator == operators.MINUS {
		n, ok = integer(sign.Operand)
		return -n, ok && n > 0
	}
	literal, ok := e.(*ast.NumberLiteral)
	if !ok {
		return 0, false
	}
	switch v := literal.Value.(type) {
	case int64:
		return v, true
	case float64:
		return int64(v), v == float64(int64(v)) && v < 1<<53
	}
	return 0, false
}

// isPlainText reports whether an expression is a text that is no number, or one that is written
// as the language writes it.
func isPlainText(e ast.Expression) bool {
	if kind, ok := e.(*ast.UnaryExpression); ok {
		return kind.Operator == operators.TYPEOF
	}
	literal, ok := e.(*ast.StringLiteral)
	if !ok {
		return false
	}
	text := literal.Value.String()
	if text == "" || text == "0" {
		return true
	}
	if first := text[0]; first|0x20 >= 'a' && first|0x20 <= 'z' {
		return true
	}
	const safe = 15 // digits
	return text[0] != '0' && len(text) <= safe && strings.Trim(text, "0123456789") == ""
}

// isNothingLiteral reports whether an expression is null or undefined, which equal no number.
func isNothingLiteral(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.NullLiteral:
		return true
	case *ast.Identifier:
		return e.Name == "undefined"
	case *ast.UnaryExpression:
		return e.Operator == operators.VOID
	}
	return false
}

// isStill reports whether an expression changes nothing.
func isStill(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.Identifier, *ast.NumberLiteral:
		return true
	case *ast.DotExpression:
		return e.Identifier.Name == "length" && isStill(e.Left)
	case *ast.UnaryExpression:
		return (e.Operator == operators.MINUS || e.Operator == operators.PLUS) && isStill(e.Operand)
	case *ast.BinaryExpression:
		return isStill(e.Left) && isStill(e.Right)
	}
	return false
}

func isVariable(e ast.Expression) bool {
	_, ok := e.(*ast.Identifier)
	return ok
}

// withoutBoolean gives true and false as 1 and 0, which equal the same.
func withoutBoolean(e ast.Expression) ast.Expression {
	if b, ok := e.(*ast.BooleanLiteral); ok {
		if b.Value {
			return numeral(b.Idx, int64(1))
		}
		return numeral(b.Idx, int64(0))
	}
	return e
}

// Numbers with which a product becomes a zero, or a fraction of the same sign.
const huge = 1e300

var infinity = math.Inf(1)

func numeral(at file.Idx, value any) ast.Expression {
	return &ast.NumberLiteral{Idx: at, Literal: "1", Value: value}
}

func joined(operator operators.Token, left, right ast.Expression) *ast.BinaryExpression {
	return &ast.BinaryExpression{Operator: operator, Left: left, Right: right}
}
