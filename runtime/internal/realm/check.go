package realm

import (
	"errors"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/regexps"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// Checked is a source that is a program, lowered to what the engine supports. It has the
// lines and columns of the original, except for LineOffset.
type Checked struct {
	Source     string
	Entry      string // a global binding, or a property of module.exports
	CommonJS   bool
	Strict     bool
	LineOffset int

	// Map leads from Source to the original, if its syntax was lowered.
	Map string
	// Files are those that Map leads to besides the original, by their paths from its folder.
	Files []string

	Warnings []Flaw // of calls that are not awaited, if they were asked for

	file    bool        // the source is a file, although it could have been a function's body
	export  string      // what the entry is exported as, if the source has other files in it
	edits   []wire.Edit // from the original to Source
	from    *places     // Map
	program compiled
}

const (
	bodyHead = "async function run(ctx, inputs) {\n"
	bodyTail = "\n}"
)

const (
	noEntry  = "there is no entry; write export default async function run(ctx, inputs) { … }"
	noModule = "; module.exports is for files that export nothing by export"
)

// Check parses a source and finds its entry, in a process that must survive: it refuses
// what is known to cost the engine too much. With flaws, Checked is not valid. It calls give
// only if c.Imports is set.
func Check(c wire.Check, give Giver) (Checked, []Flaw) {
	if flaw := multiplies(c.Source); flaw != nil {
		return Checked{}, []Flaw{*flaw}
	}
	return check(c, give, false)
}

// check does the check. killable says that the process can be killed if it costs too much.
func check(c wire.Check, give Giver, killable bool) (Checked, []Flaw) {
	src := c.Source
	if at := tooDeep(src); at >= 0 {
		return Checked{}, []Flaw{flawAt(src, at, "brackets are nested more than 2,000 deep here")}
	}
	if isTypeScript(c.Name) && !c.Body {
		return checkLowered(c, give, killable)
	}
	checked, flaws := checkPlain(c, killable)
	if lowers(c, flaws) {
		return checkLowered(c, give, killable)
	}
	return checked, flaws
}

// checkPlain checks a source as it is.
func checkPlain(c wire.Check, killable bool) (Checked, []Flaw) {
	if !c.Body {
		return checkFile(c, Checked{}, killable)
	}
	src := c.Source
	if strings.Contains(src, "run") || strings.Contains(src, "export") {
		file, flaws := checkFile(c, Checked{}, killable)
		if file.file = true; len(flaws) == 0 {
			return file, nil
		}
		if body, other := checkBody(c, killable); len(other) == 0 || other[0].Msg != exportInside {
			return body, other
		}
		return Checked{}, flaws
	}
	return checkBody(c, killable)
}

// checkFile checks a file with an entry. out says how it was lowered.
func checkFile(c wire.Check, out Checked, killable bool) (Checked, []Flaw) {
	src := c.Source
	m := &moduleSource{name: c.Name, original: src, lowered: []byte(src), exports: map[string]string{}}
	program, flaws := m.parse()
	if len(flaws) > 0 {
		return Checked{}, flaws
	}
	if c.Body && len(m.exports) == 0 && !declaresOnly(program) {
		return Checked{}, []Flaw{flawAt(src, 0, "it exports nothing, and does more than declare")}
	}
	out.Source, out.Strict, out.edits = string(m.lowered), c.Module || len(m.exports) > 0, m.edits
	top := topLevel(program)
	switch {
	case out.export != "": // a name in a bundle can be that of another file
		out.Entry = m.exports[out.export]
	case m.exports["default"] != "":
		out.Entry = m.exports["default"]
	case m.exports["run"] != "":
		out.Entry = m.exports["run"]
	case top.commonJS:
		out.Entry, out.CommonJS = "run", true
	case top.names["run"]:
		out.Entry = "run"
	default:
		return Checked{}, []Flaw{flawAt(src, headerEnd(src), noEntry)}
	}
	if !out.CommonJS && !top.names[out.Entry] {
		return Checked{}, []Flaw{flawAt(src, 0, "it exports "+out.Entry+", which is not defined at the top level")}
	}
	if c.Warn || c.Shapes {
		out.Warnings = out.warn(src, program, 0, c)
	}
	return out.compile(src, program, killable)
}

// Compiled reports whether the check compiled the source. Otherwise the run compiles it.
func (c Checked) Compiled() bool { return c.program.body != nil }

// compile finds errors that the parser does not see, such as two declarations of one name.
// The engine computes constants when it compiles, and BigInts can be arbitrarily large. If
// the process cannot be killed, a source that may have BigInts is compiled when it runs.
func (c Checked) compile(original string, tree *ast.Program, killable bool) (Checked, []Flaw) {
	if !killable {
		if flaw := costly(original, tree); flaw != nil {
			return Checked{}, []Flaw{*flaw}
		}
		if mayHaveBigInts(c.Source) {
			return c, nil
		}
	}
	var err error
	if c.program, err = compileTree(tree, c); err == nil {
		return c, nil
	}
	at, msg := 0, err.Error()
	var bad *goja.CompilerSyntaxError
	var literal *regexps.LiteralError
	var unclear *orderError
	var misplaced *generatorError
	switch {
	case errors.As(err, &unclear):
		at = unclear.Idx - 1
	case errors.As(err, &misplaced):
		at = misplaced.Idx - 1
	case errors.As(err, &bad):
		at, msg = bad.Offset, strings.TrimPrefix(bad.Message, "SyntaxError: ")
	case errors.As(err, &literal):
		at = literal.Idx - 1
	}
	if c.LineOffset > 0 && at > 0 {
		at -= len(bodyHead)
	}
	return Checked{}, []Flaw{flawAt(original, at, explain(original, max(at, 0), msg))}
}

// mayHaveBigInts reports whether a source has a literal such as 1n, perhaps in a string or a
// comment.
func mayHaveBigInts(source string) bool {
	var first byte // of the word that i is in; 0 outside of words
	for i := range len(source) {
		switch c := source[i]; {
		case !inWord(c):
			first = 0
		case first == 0:
			first = c
		case c == 'n' && '0' <= first && first <= '9' && endsDigits(source[i-1]):
			return true
		}
	}
	return false
}

func inWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func endsDigits(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func checkBody(c wire.Check, killable bool) (Checked, []Flaw) {
	src := c.Source
	wrapped := bodyHead + src + bodyTail
	program, err := parse(c.Name, wrapped)
	if err != nil {
		at, msg := firstError(wrapped, err)
		return Checked{}, []Flaw{flawAt(src, at-len(bodyHead), explain(wrapped, at, msg)+unclosed(src, at-len(bodyHead), msg))}
	}
	if _, ok := program.Body[0].(*ast.FunctionDeclaration); !ok || len(program.Body) != 1 {
		return Checked{}, []Flaw{flawAt(src, len(src), "a } closes more than was opened")}
	}
	out := Checked{Source: wrapped, Entry: "run", LineOffset: 1}
	if c.Warn || c.Shapes {
		out.Warnings = out.warn(src, program, len(bodyHead), c)
	}
	return out.compile(src, program, killable)
}

// firstError is the place and the message of the first error.
func firstError(src string, err error) (offset int, msg string) {
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return offsetOf(src, list[0].Position.Line, list[0].Position.Column), list[0].Message
	}
	var failed *engineError
	if errors.As(err, &failed) {
		return failed.place(src)
	}
	return 0, err.Error()
}

// declaresOnly reports whether a program does nothing at its top level but declare and
// export. Code that somebody gave as the body of a function is a file then, if it has an
// entry: as a body it would do nothing.
func declaresOnly(program *ast.Program) bool {
	for _, statement := range program.Body {
		switch s := statement.(type) {
		case *ast.FunctionDeclaration, *ast.ClassDeclaration, *ast.VariableStatement, *ast.LexicalDeclaration, *ast.EmptyStatement:
		case *ast.ExpressionStatement:
			assign, ok := s.Expression.(*ast.AssignExpression)
			if _, text := s.Expression.(*ast.StringLiteral); !text && (!ok || !isExports(assign.Left)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// headerEnd is the offset of the code after comments and space, found without parsing.
func headerEnd(src string) int {
	at := 0
	for {
		trimmed := strings.TrimLeft(src[at:], " \t\r\n\ufeff")
		at = len(src) - len(trimmed)
		var skip int
		switch {
		case strings.HasPrefix(trimmed, "/*"):
			skip = strings.Index(trimmed, "*/") + 2
		case strings.HasPrefix(trimmed, "//"):
			skip = strings.IndexByte(trimmed, '\n') + 1
		}
		if skip < 2 {
			return min(at, len(src))
		}
		at += skip
	}
}

type topNames struct {
	names    map[string]bool
	commonJS bool
}

// topLevel collects the names that a program declares at its top level, and whether it
// assigns to module.exports or exports.run.
func topLevel(program *ast.Program) topNames {
	t := topNames{names: map[string]bool{}}
	bind := func(list []*ast.Binding) {
		for _, b := range list {
			if id, ok := b.Target.(*ast.Identifier); ok {
				t.names[id.Name.String()] = true
			}
		}
	}
	for _, statement := range program.Body {
		switch s := statement.(type) {
		case *ast.FunctionDeclaration:
			t.names[s.Function.Name.Name.String()] = true
		case *ast.VariableStatement:
			bind(s.List)
		case *ast.LexicalDeclaration:
			bind(s.List)
		case *ast.ExpressionStatement:
			if assign, ok := s.Expression.(*ast.AssignExpression); ok && isExports(assign.Left) {
				t.commonJS = true
			}
		}
	}
	return t
}

// isExports recognises module.exports, module.exports.run and exports.run.
func isExports(e ast.Expression) bool {
	dot, ok := e.(*ast.DotExpression)
	if !ok {
		return false
	}
	property := dot.Identifier.Name.String()
	if id, ok := dot.Left.(*ast.Identifier); ok {
		return id.Name.String() == "module" && property == "exports" ||
			id.Name.String() == "exports" && (property == "run" || property == "default")
	}
	return (property == "run" || property == "default") && isExports(dot.Left)
}
