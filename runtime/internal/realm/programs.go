package realm

import (
	"errors"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	syntaxes "github.com/scriptrun/scriptrun/runtime/internal/lower"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/lang"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/regexps"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// Programs keeps the program that was compiled last: a cell runs one program as long as
// it lives. The zero value is empty. It is for one goroutine at a time.
type Programs struct {
	digest  string
	program compiled
}

// compiled is a program and the expression that yields its entry; a nil one if the program
// does.
type compiled struct {
	body, entry *goja.Program
	from        *places
	operators   bool            // it calls ours
	generators  bool            // there may be generator functions in it
	left        bool            // there are lowered ones
	leftAsync   bool            // and async ones among them
	expressions bool            // there are regular expressions in it, or what makes some
	lastMatch   bool            // it may ask RegExp for the last match
	dates       bool            // it may make dates
	number      bool            // it may call Number
	bigint      bool            // it may call BigInt
	bigints     bool            // there may be BigInts in it
	gropes      bool            // it may reach properties by names that it does not have
	lengths     []sizedFunction // those that it may call
	mendings    []mending
	parts       lang.Parts // what it names that the engine lacks
}

// Keep keeps a program that [Check] has compiled.
func (p *Programs) Keep(digest string, c Checked) { p.digest, p.program = digest, c.program }

func (p *Programs) get(start wire.Start) (compiled, error) {
	if p.program.body != nil && p.digest == start.Digest {
		return p.program, nil
	}
	if start.Source == "" {
		return compiled{}, errors.New("the cell does not have the program " + start.Digest)
	}
	tree, err := parse(start.Name, start.Source)
	if err != nil {
		return compiled{}, err
	}
	checked := Checked{Source: start.Source, Entry: start.Entry, CommonJS: start.CommonJS, Strict: start.Strict}
	if start.Map != "" {
		if checked.from, err = readPlaces(start.Name, syntaxes.Map(start.Map)); err != nil {
			return compiled{}, err
		}
	}
	p.digest = start.Digest
	p.program, err = compileTree(tree, checked)
	return p.program, err
}

// Check is [Check] in a process that can be killed. It keeps the program.
func (p *Programs) Check(c wire.Check, give Giver) wire.Checked {
	checked, flaws := check(c, give, true)
	p.Keep(c.Digest, checked)
	return answer(checked, flaws)
}

func compileTree(tree *ast.Program, c Checked) (_ compiled, err error) {
	defer recovered(&err)
	source := c.Source
	mendDeadCode(tree)
	mendPrivateIn(tree, source)
	mendLiterals(tree, source)
	operators, texts, err := lower(tree, source)
	if err != nil {
		return compiled{}, err
	}
	callIndirectly(tree, source)
	lowerFinally(tree, source)
	nameArguments(tree, source)
	left, leftAsync, err := lowerGenerators(tree, source, c.from)
	if err != nil {
		return compiled{}, err
	}
	literals, err := regexps.Rewrite(source, tree)
	if err != nil {
		return compiled{}, err
	}
	groping := gropes(tree, source)
	c.from.apply(tree)
	var call *goja.Program
	switch {
	case c.from != nil && c.Strict && !c.CommonJS:
		wrap(tree, c.Entry)
	case c.CommonJS:
		mendDeadEnds(tree)
		call, err = goja.Compile(ownPrefix+"entry", commonJSEntry, false)
	default:
		mendDeadEnds(tree)
		call, err = goja.Compile(ownPrefix+"entry", c.Entry, false)
	}
	if err != nil {
		return compiled{}, err
	}
	body, err := goja.CompileAST(tree, c.Strict)
	if err != nil {
		return compiled{}, err
	}
	return compiled{body: body, entry: call, from: c.from, operators: operators, generators: mayGenerate(source), left: left, leftAsync: leftAsync, lengths: sizedIn(source), mendings: append(mendingsIn(source), texts...), parts: lang.In(source),
		expressions: literals > 0 || groping || regexps.Mentioned(source), gropes: groping, dates: strings.Contains(source, "Date"), number: callsClass(source, "Number"), bigint: callsClass(source, "BigInt"), bigints: hasBigInts(source),
		lastMatch: regexps.AsksForLast(source) || groping && strings.Contains(source, "RegExp")}, nil
}

// callIndirectly turns eval(…) into (0, eval)(…). It refuses code either way; around a direct
// call, the engine keeps variables in another manner, and can fail in a constructor of a class
// that extends another.
func callIndirectly(tree *ast.Program, source string) {
	if !strings.Contains(source, "eval") {
		return
	}
	syntax.Each(tree, func(node any) {
		if call, ok := node.(*ast.CallExpression); ok {
			if name, ok := call.Callee.(*ast.Identifier); ok && name.Name == "eval" {
				zero := &ast.NumberLiteral{Idx: name.Idx, Literal: "0", Value: int64(0)}
				call.Callee = &ast.SequenceExpression{Sequence: []ast.Expression{zero, name}}
			}
		}
	}, nil)
}

// mayGenerate reports whether a source may have a generator function, which needs an
// asterisk. Those in the first comment and in ** do not count.
func mayGenerate(source string) bool {
	code := strings.ReplaceAll(source[headerEnd(source):], "**", "")
	return strings.Contains(code, "*")
}

// commonJSEntry finds the entry of a CommonJS file.
const commonJSEntry = `typeof module.exports === "function" ? module.exports : module.exports.run || module.exports.default`
