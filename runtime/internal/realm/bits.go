package realm

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The engine turns a number of 2^63 or more into 32 bits that are all zero, or all one on other
// processors. Its remainder is right for every number, so that the operands of operators on bits
// become x % 4294967296, unless they cannot be as large.

const (
	wordSize = int64(1) << 32
	// engineMost is how large an operand may be, with some room.
	engineMost = 1 << 62
)

// bits lowers an operator on bits, and what makes a number of a text. It needs the bounds.
func (l *lowering) bits(node any) {
	switch e := node.(type) {
	case *ast.BinaryExpression:
		if onBits(e.Operator) {
			e.Left, e.Right = l.words(e.Operator, e.Left, e.Right)
			return
		}
		if n, ok := integer(e.Right); ok && makesNumber(e.Operator, n) {
			e.Left = l.numeric(e.Left)
		} else if n, ok := integer(e.Left); ok && n == 1 && e.Operator == operators.MULTIPLY {
			e.Right = l.numeric(e.Right)
		}
	case *ast.UnaryExpression:
		switch {
		case e.Operator == operators.MINUS:
			e.Operand = l.negated(e.Operand)
		case e.Operator == operators.PLUS:
			e.Operand = l.numeric(e.Operand)
		case !l.values.bigints || !l.values.big(e.Operand):
			e.Operand = l.word(e.Operand, false)
		}
	case *ast.ExpressionStatement:
		if countsVariable(e.Expression) {
			e.Expression = l.counted(e.Expression)
		} else {
			l.stored(e)
		}
	case *ast.ForStatement:
		e.Update = l.counted(e.Update)
	case *ast.NewExpression:
		if !l.values.known(e.Callee.(*ast.Identifier)) {
			l.elements(e.ArgumentList)
		}
	case *ast.CallExpression:
		method := e.Callee.(*ast.DotExpression)
		if length := listLength(e); length != nil {
			length.Value = l.numeric(length.Value)
			return
		}
		if l.values.known(method.Left.(*ast.Identifier)) {
			return
		}
		if method.Identifier.Name == "of" {
			l.eachWord(e.ArgumentList)
		} else {
			l.elements(e.ArgumentList)
		}
	case *ast.AssignExpression:
		if !isPlace(e.Left) { // what is there cannot be read before
			e.Right = l.wordBeside(e.Operator, e.Left, e.Right)
			return
		}
		left, right := l.words(e.Operator, e.Left, e.Right)
		if left != e.Left {
			e.Operator, e.Right = operators.ASSIGN, joined(e.Operator, left, right)
		} else {
			e.Right = right
		}
	}
}

// wordBeside gives the right operand of an operator on bits whose left one stays.
func (l *lowering) wordBeside(operator operators.Token, a, b ast.Expression) ast.Expression {
	none := operator == operators.UNSIGNED_SHIFT_RIGHT
	if l.bigints && !none && l.values.big(b) {
		return b
	}
	return l.word(b, none || isBounded(l.values.bound(a)))
}

// hasBits reports whether bits lowers a node.
func hasBits(node any) bool {
	switch e := node.(type) {
	case *ast.BinaryExpression:
		if onBits(e.Operator) {
			return true
		}
		n, ok := integer(e.Right)
		first, known := integer(e.Left)
		return ok && makesNumber(e.Operator, n) || known && first == 1 && e.Operator == operators.MULTIPLY
	case *ast.UnaryExpression:
		return e.Operator == operators.BITWISE_NOT || e.Operator == operators.PLUS || e.Operator == operators.MINUS && !isNumberLiteral(e)
	case *ast.AssignExpression:
		return onBits(e.Operator)
	case *ast.ForStatement:
		return e.Update != nil && !countsFromNumber(e) && slices.ContainsFunc(rowOf(e.Update), countsVariable)
	case *ast.ExpressionStatement:
		if countsVariable(e.Expression) {
			return true
		}
		set, ok := e.Expression.(*ast.AssignExpression)
		return ok && isElement(set.Left) && !onBits(set.Operator)
	case *ast.NewExpression:
		return isWordArray(e.Callee)
	case *ast.CallExpression:
		method, ok := e.Callee.(*ast.DotExpression)
		return listLength(e) != nil || ok && isWordArray(method.Left) && (method.Identifier.Name == "of" || method.Identifier.Name == "from" && len(e.ArgumentList) == 1)
	}
	return false
}

func isWordArray(e ast.Expression) bool {
	name, ok := e.(*ast.Identifier)
	return ok && wordArrays[name.Name]
}

// elements lowers those of an array literal that a typed array is made of.
func (l *lowering) elements(arguments []ast.Expression) {
	if len(arguments) == 0 {
		return
	}
	if list, ok := arguments[0].(*ast.ArrayLiteral); ok {
		l.eachWord(list.Value)
	}
}

func (l *lowering) eachWord(list []ast.Expression) {
	for i, e := range list {
		if _, many := e.(*ast.SpreadElement); e != nil && !many {
			list[i] = l.word(e, true)
		}
	}
}

func isElement(e ast.Expression) bool {
	_, ok := e.(*ast.BracketExpression)
	return ok
}

// stored lowers what an element of a typed array is set to, where nothing else takes it.
func (l *lowering) stored(statement *ast.ExpressionStatement) {
	set := statement.Expression.(*ast.AssignExpression)
	element := set.Left.(*ast.BracketExpression)
	if !l.values.isWords(element.Left, false) {
		return
	}
	switch set.Operator {
	case operators.ASSIGN, operators.LOGICAL_OR, operators.LOGICAL_AND, operators.COALESCE:
		set.Right = l.kept(element.Member, set.Right)
	case operators.PLUS, operators.MINUS, operators.MULTIPLY, operators.EXPONENT:
		value := joined(set.Operator, set.Left, set.Right)
		if isPlace(set.Left) && l.values.bound(value) > engineMost {
			set.Operator, set.Right = operators.ASSIGN, l.kept(element.Member, value)
		}
	}
}

// kept is what to set a property of a typed array to. It is an element where the key is a number:
// other properties take anything. Where the key can be read but once, only a number that the
// engine gets wrong becomes another one.
func (l *lowering) kept(key, value ast.Expression) ast.Expression {
	switch {
	case l.values.bound(value) <= engineMost, isTextLiteral(key):
		return value
	case isBounded(l.values.bound(key)), l.isNumber(key):
		return l.word(value, true)
	case !isStill(key):
		return l.call(elementName, value)
	case isVariable(value):
		return &ast.ConditionalExpression{Test: isOfType(key, "number"), Consequent: l.word(value, true), Alternate: value}
	}
	return l.call(elementName, key, value)
}

func isTextLiteral(e ast.Expression) bool {
	_, ok := e.(*ast.StringLiteral)
	return ok
}

func onBits(operator operators.Token) bool {
	switch operator {
	case operators.AND, operators.OR, operators.EXCLUSIVE_OR, operators.SHIFT_LEFT, operators.SHIFT_RIGHT, operators.UNSIGNED_SHIFT_RIGHT:
		return true
	}
	return false
}

// makesNumber reports whether an operator with a number on its right does nothing but make a
// number: x * 1, x / 1, x - 0.
func makesNumber(operator operators.Token, n int64) bool {
	return n == 1 && (operator == operators.MULTIPLY || operator == operators.SLASH) || n == 0 && operator == operators.MINUS
}

// words gives both operands of an operator on bits.
func (l *lowering) words(operator operators.Token, a, b ast.Expression) (left, right ast.Expression) {
	if l.bigints && operator != operators.UNSIGNED_SHIFT_RIGHT && (l.values.big(a) || l.values.big(b)) {
		return a, b
	}
	if l.counts && l.tellsOrder(a, b) {
		return l.inOrder(a, b)
	}
	none := operator == operators.UNSIGNED_SHIFT_RIGHT // which BigInts do not have
	numberA, numberB := isBounded(l.values.bound(a)), isBounded(l.values.bound(b))
	return l.word(a, none || numberB), l.word(b, none || numberA)
}

// tellsOrder reports whether operands may tell that the left one is made a number before the right
// one is read, as x % 4294967296 does.
func (l *lowering) tellsOrder(a, b ast.Expression) bool {
	if isBounded(l.values.bound(a)) {
		return false
	}
	if isBounded(l.values.bound(b)) {
		return !isStill(b)
	}
	return l.bigints || !isVariable(b)
}

// inOrder gives operands that are both read before one is made a number. A call keeps the right
// one for the next, between which nothing runs.
func (l *lowering) inOrder(a, b ast.Expression) (left, right ast.Expression) {
	at := b.Idx0()
	shifts := int64(0)
	if l.isCall(b, shiftName) {
		b, shifts = b.(*ast.CallExpression).ArgumentList[0], 1
	}
	return l.call(wordsName, a, b, numeral(at, shifts)), l.call(secondName, numeral(at, int64(0)))
}

// word gives an operand. If it has to be a number, a BigInt throws a TypeError either way.
func (l *lowering) word(e ast.Expression, number bool) ast.Expression {
	if l.values.bound(e) <= engineMost || l.isCall(e, shiftName) {
		return e
	}
	rest := joined(operators.REMAINDER, e, numeral(e.Idx0(), wordSize))
	switch {
	case !l.bigints || number:
		return rest
	case isVariable(e): // an object may be a BigInt too
		other := &ast.ConditionalExpression{Test: isOfType(e, "bigint"), Consequent: e, Alternate: l.call(wordName, e)}
		return &ast.ConditionalExpression{Test: isOfType(e, "number"), Consequent: rest, Alternate: other}
	}
	return l.call(wordName, e)
}

// numeric gives what + makes a number of. The engine knows no texts in other bases of more than
// 63 bits.
func (l *lowering) numeric(e ast.Expression) ast.Expression {
	if isBounded(l.values.bound(e)) || l.isNumber(e) || isDecimal(e) {
		return e
	}
	if isVariable(e) {
		return &ast.ConditionalExpression{Test: isOfType(e, "number"), Consequent: e, Alternate: l.call(textName, e)}
	}
	return l.call(textName, e)
}

// isDecimal reports whether an expression is a date, or a text that a number was written as.
func isDecimal(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.NewExpression:
		return nameOf(e.Callee) == "Date"
	case *ast.CallExpression:
		method, ok := e.Callee.(*ast.DotExpression)
		return ok && (method.Identifier.Name == "toFixed" || method.Identifier.Name == "toPrecision" || method.Identifier.Name == "getTime")
	}
	return false
}

// isOfType is typeof e === kind.
func isOfType(e ast.Expression, kind string) ast.Expression {
	at := e.Idx0()
	return joined(operators.STRICT_EQUAL, &ast.UnaryExpression{Operator: operators.TYPEOF, Idx: at, Operand: e}, textLiteral(at, kind))
}

// isPlace reports whether an expression that is assigned to can be read before, with nothing
// done twice.
func isPlace(e ast.Expression) bool {
	isStillThing := func(e ast.Expression) bool {
		_, this := e.(*ast.ThisExpression)
		return this || isVariable(e)
	}
	switch e := e.(type) {
	case *ast.Identifier:
		return true
	case *ast.DotExpression:
		return isStillThing(e.Left)
	case *ast.PrivateDotExpression:
		return isStillThing(e.Left)
	case *ast.BracketExpression:
		return isStillThing(e.Left) && isStill(e.Member)
	}
	return false
}

func (l *lowering) isCall(e ast.Expression, name string) bool {
	call, ok := e.(*ast.CallExpression)
	return ok && nameOf(call.Callee) == name+ownSuffix
}

func textLiteral(at file.Idx, text string) ast.Expression {
	return &ast.StringLiteral{Idx: at, Literal: `"` + text + `"`, Value: unistring.NewFromString(text)}
}
