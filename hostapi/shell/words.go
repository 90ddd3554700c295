package shell

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// maxAnalysed is the longest line that is analysed, in bytes. It bounds the depth of
// the parser too.
const maxAnalysed = 16 << 10

// maxNested is how deep compound commands may be nested.
const maxNested = 32

// read parses a line that bash and a POSIX shell must read alike. Where there are
// problems the line cannot be written anew, and the statements are only for people
// to look at. A line of comments alone is an empty list.
func read(line string) (found list, problems []*unclear) {
	defer func() {
		if p := recover(); p != nil { // the parser is not ours
			found, problems = nil, []*unclear{opaque(place{}, "the parser failed on it")}
		}
	}()
	if why := legible(line); why != nil {
		return nil, []*unclear{why}
	}
	found, problems = readAs(line, syntax.LangBash)
	if len(problems) > 0 {
		return found, problems
	}
	// The host's shell may be either. A difference is harmless, since the line is
	// written anew, but would run something that its author did not mean.
	posix, problems := readAs(line, syntax.LangPOSIX)
	if len(problems) == 0 && found.written() != posix.written() {
		problems = []*unclear{opaque(place{}, "bash and sh read it differently; keep to what both share")}
	}
	return found, problems
}

// legible refuses lines that shells may read differently in any case.
func legible(line string) *unclear {
	if len(line) > maxAnalysed {
		return opaque(place{}, "the line has %d bytes; at most %d are analysed", len(line), maxAnalysed)
	}
	if !utf8.ValidString(line) {
		return opaque(place{}, "it is not UTF-8")
	}
	for offset, r := range line {
		// Shells and locales disagree on what these are.
		if r != '\n' && r != '\t' && r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)) {
			before := line[:offset]
			at := place{line: 1 + strings.Count(before, "\n"), column: offset - strings.LastIndexByte(before, '\n')}
			return opaque(at, "the character %U; take it out", r)
		}
	}
	return nil
}

func readAs(line string, variant syntax.LangVariant) (list, []*unclear) {
	file, err := syntax.NewParser(syntax.Variant(variant), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, []*unclear{syntaxError(err)}
	}
	r := &reader{line: line}
	syntax.Walk(file, func(node syntax.Node) bool {
		if c, ok := node.(*syntax.Comment); ok {
			r.comment(c)
		}
		return true
	})
	found := r.list(file.Stmts)
	if len(r.problems) == 0 {
		found.place(whereabouts{})
		for _, command := range found.commands() {
			r.refuse(command.placed())
		}
	}
	return found, r.problems
}

func syntaxError(err error) *unclear {
	var wrong syntax.ParseError
	var foreign syntax.LangError
	switch {
	case errors.As(err, &wrong):
		return opaque(placeOf(wrong.Pos), "it is not a shell line: %s", wrong.Text)
	case errors.As(err, &foreign):
		return opaque(placeOf(foreign.Pos), "sh does not know %s", foreign.Feature)
	}
	return opaque(place{}, "it is not a shell line: %v", err)
}

// reader turns the parser's tree into ours. Any node that it does not know is a
// problem.
type reader struct {
	line     string
	depth    int
	problems []*unclear
}

// refuse records a problem, unless it is nil.
func (r *reader) refuse(problem *unclear) {
	if problem != nil {
		r.problems = append(r.problems, problem)
	}
}

// comment refuses comments that the parser and the shells may not all see, or not
// end at the same place.
func (r *reader) comment(c *syntax.Comment) {
	before := r.line[:c.Hash.Offset()]
	switch {
	case strings.HasSuffix(strings.TrimSuffix(c.Text, "\n"), "\\"):
		r.refuse(opaque(placeOf(c.Hash), "a comment that ends in a backslash, which shells read differently; take the backslash out"))
	case before != "" && !strings.ContainsAny(before[len(before)-1:], " \t\n;&|()"), strings.HasSuffix(before, "\\\n"):
		r.refuse(opaque(placeOf(c.Hash), "a # that may begin a comment or not; quote it, or put a blank before it"))
	}
}

func (r *reader) list(stmts []*syntax.Stmt) (out list) {
	if r.depth++; r.depth > maxNested {
		r.refuse(opaque(placeOf(stmts[0].Pos()), "commands are nested more than %d deep", maxNested))
		return nil
	}
	defer func() { r.depth-- }()
	for _, stmt := range stmts {
		if stmt.Coprocess || stmt.Disown {
			r.refuse(opaque(placeOf(stmt.Semicolon), "a coprocess, which sh does not know"))
		}
		out = append(out, statement{pipelines: r.pipelines(stmt, ""), background: stmt.Background})
	}
	return out
}

// pipelines flattens a && b || c, which the parser nests to the left.
func (r *reader) pipelines(stmt *syntax.Stmt, operator string) []pipeline {
	binary, ok := stmt.Cmd.(*syntax.BinaryCmd)
	if !ok || binary.Op != syntax.AndStmt && binary.Op != syntax.OrStmt {
		return []pipeline{{operator: operator, negated: stmt.Negated, parts: r.parts(stmt)}}
	}
	if stmt.Negated || len(stmt.Redirs) > 0 {
		r.refuse(opaque(placeOf(stmt.Pos()), "a list under ! or a redirection; put it in ( )"))
	}
	return append(r.pipelines(binary.X, operator), pipeline{operator: binary.Op.String(), negated: binary.Y.Negated, parts: r.parts(binary.Y)})
}

// parts flattens a | b | c.
func (r *reader) parts(stmt *syntax.Stmt) []part {
	binary, ok := stmt.Cmd.(*syntax.BinaryCmd)
	if !ok {
		return []part{r.part(stmt)}
	}
	switch {
	case binary.Op == syntax.PipeAll:
		r.refuse(opaque(placeOf(binary.OpPos), "|&, which sh does not know; write 2>&1 |"))
	case binary.Op != syntax.Pipe || len(stmt.Redirs) > 0 || binary.X.Negated || binary.Y.Negated:
		r.refuse(opaque(placeOf(binary.OpPos), "a %s that is not between commands; put them in ( )", binary.Op))
	}
	return append(r.parts(binary.X), r.parts(binary.Y)...)
}

func (r *reader) part(stmt *syntax.Stmt) (p part) {
	switch c := stmt.Cmd.(type) {
	case nil:
		r.refuse(opaque(placeOf(stmt.Pos()), "a redirection without a command; name one, such as true"))
	case *syntax.CallExpr:
		p.simple = r.call(c)
	default:
		p.compound = r.compound(c)
	}
	for _, redir := range stmt.Redirs {
		p.redirects = append(p.redirects, r.redirect(redir))
	}
	return p
}

// call is a simple command.
func (r *reader) call(c *syntax.CallExpr) *simple {
	at := placeOf(c.Pos())
	if len(c.Assigns) > 0 {
		r.refuse(opaque(at, "it sets a variable; write the value where it is used"))
	}
	if len(c.Args) == 0 {
		return nil
	}
	words := make([]string, len(c.Args))
	before := len(r.problems)
	for i, arg := range c.Args {
		words[i] = r.word(arg)
	}
	command := newSimple(words, at)
	if len(r.problems) == before { // else the words are not final
		r.refuse(command.clear())
	}
	return &command
}

// word is the text of a word, or its source if shells compute it.
func (r *reader) word(w *syntax.Word) string {
	s, problem := text(w)
	if problem == nil {
		return s
	}
	r.refuse(problem)
	return r.source(w)
}

// source is the text of a node in the line.
func (r *reader) source(node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from > to || to > len(r.line) {
		return ""
	}
	return r.line[from:to]
}
