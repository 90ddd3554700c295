package shell

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/scriptrun/scriptrun/hostapi"
)

// maxAnalysed is the longest line that is analysed, in bytes; it also bounds
// how deep the analysis can go.
const maxAnalysed = 16 << 10

// linePlan is a line, or an argv, as its simple commands.
type linePlan struct{ commands []simple }

// Subjects implements [hostapi.Plan].
func (p *linePlan) Subjects() []hostapi.Subject {
	subjects := make([]hostapi.Subject, len(p.commands))
	for i, command := range p.commands {
		subjects[i] = command
	}
	return subjects
}

// Plan implements [hostapi.Scoper]. Its subjects are every simple command of the line, in
// pipelines, lists, groups, subshells, conditions, loops and substitutions, as
// its words with quotes taken away. An argument with a $(command) in it is
// covered only by a last * of a pattern; the commands in it are subjects too.
//
// What a line does must be plain from its text. It cannot be analysed, and the
// error is a *[hostapi.OpaqueError], where it has
//
//   - a command name that is computed, or a command that runs others or changes
//     the shell: env, xargs, timeout, sudo, sh -c, eval, exec, export, find -exec, …
//   - $variables, arithmetic, globs, braces, ~, $'…', `…`, process substitution
//   - assignments, functions, [[ ]], (( )), select, coproc
//   - a redirection other than to and from /dev/null, between descriptors, and
//     here-documents of a plain delimiter
//   - control characters, more than 16 KiB, or bad syntax
//
// Likewise a call that sets env. An argv is one subject, under the same rules.
func (t *Tool) Plan(_ context.Context, call hostapi.Call) (plan hostapi.Plan, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser is not ours; what it chokes on is refused
			plan, err = nil, opaque("the parser failed on it")
		}
	}()
	args, err := t.decode(call.Args)
	if err != nil {
		return nil, err
	}
	if len(args.Env) > 0 {
		return nil, opaque("it sets env, which can change what a command does")
	}
	var found []simple
	if args.Command != "" {
		found, err = simpleCommands(args.Command)
	} else {
		found, err = argvCommand(args.Argv)
	}
	if err != nil {
		return nil, err
	}
	return &linePlan{found}, nil
}

func opaque(format string, args ...any) error {
	return &hostapi.OpaqueError{Reason: fmt.Sprintf(format, args...)}
}

// argvCommand is the one command of an argv.
func argvCommand(argv []string) ([]simple, error) {
	var command simple
	for _, text := range argv {
		command.words = append(command.words, word{text: text})
	}
	if err := command.plain(); err != nil {
		return nil, err
	}
	return []simple{command}, nil
}

// simpleCommands lists the simple commands of a shell line.
func simpleCommands(line string) ([]simple, error) {
	if len(line) > maxAnalysed {
		return nil, opaque("the line has %d bytes, more than the %d that are analysed", len(line), maxAnalysed)
	}
	if !utf8.ValidString(line) {
		return nil, opaque("it is not UTF-8")
	}
	for _, r := range line {
		// Shells and locales disagree on what these are.
		if r != '\n' && r != '\t' && r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)) {
			return nil, opaque("the character %U is in it", r)
		}
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, opaque("it is not a shell line: %v", err)
	}
	a := &analysis{line: line}
	if err := a.list(file.Stmts, file.Last); err != nil {
		return nil, err
	}
	return a.found, nil
}

// analysis walks a line. It knows what it allows; any other node is opaque.
type analysis struct {
	line  string
	found []simple
	depth int // of command substitutions
}

func (a *analysis) list(stmts []*syntax.Stmt, last []syntax.Comment) error {
	if a.depth > 0 && len(last) > 0 {
		return opaque("a comment in a substitution")
	}
	for _, stmt := range stmts {
		if err := a.stmt(stmt); err != nil {
			return err
		}
	}
	return nil
}

func (a *analysis) stmt(stmt *syntax.Stmt) error {
	if stmt == nil {
		return nil
	}
	if a.depth > 0 && len(stmt.Comments) > 0 {
		return opaque("a comment in a substitution")
	}
	if stmt.Coprocess || stmt.Disown {
		return opaque("a coprocess")
	}
	for _, redirect := range stmt.Redirs {
		if err := a.redirect(redirect); err != nil {
			return err
		}
	}
	if stmt.Cmd == nil {
		return nil
	}
	return a.command(stmt.Cmd)
}

func (a *analysis) command(command syntax.Command) error {
	switch c := command.(type) {
	case *syntax.CallExpr:
		return a.call(c)
	case *syntax.BinaryCmd:
		if err := a.stmt(c.X); err != nil {
			return err
		}
		return a.stmt(c.Y)
	case *syntax.Subshell:
		return a.list(c.Stmts, c.Last)
	case *syntax.Block:
		return a.list(c.Stmts, c.Last)
	case *syntax.TimeClause:
		return a.stmt(c.Stmt)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			if err := a.list(c.Cond, c.CondLast); err != nil {
				return err
			}
			if err := a.list(c.Then, append(c.ThenLast, c.Last...)); err != nil {
				return err
			}
		}
		return nil
	case *syntax.WhileClause:
		if err := a.list(c.Cond, c.CondLast); err != nil {
			return err
		}
		return a.list(c.Do, c.DoLast)
	case *syntax.ForClause:
		return a.loop(c)
	case *syntax.CaseClause:
		return a.choice(c)
	case *syntax.FuncDecl:
		return opaque("it defines a function")
	case *syntax.DeclClause:
		return opaque("%s changes the shell's variables", c.Variant.Value)
	case *syntax.ArithmCmd, *syntax.LetClause:
		return opaque("arithmetic, which can run commands")
	case *syntax.TestClause:
		return opaque("[[ ]], which can run commands")
	case *syntax.CoprocClause:
		return opaque("a coprocess")
	}
	return opaque("it has a form of command that is not known here")
}

// loop is for x in words. The variable must be one that changes nothing else.
func (a *analysis) loop(c *syntax.ForClause) error {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || c.Braces {
		return opaque("a loop other than for x in words")
	}
	for _, r := range words.Name.Value {
		if r < 'a' || r > 'z' {
			return opaque("the loop sets %s; name the variable in lower case letters", words.Name.Value)
		}
	}
	if words.Name.Value == "histchars" {
		return opaque("the loop sets histchars")
	}
	for _, item := range words.Items {
		if _, err := a.word(item); err != nil {
			return err
		}
	}
	return a.list(c.Do, c.DoLast)
}

func (a *analysis) choice(c *syntax.CaseClause) error {
	if a.depth > 0 || c.Braces {
		return opaque("case in a substitution")
	}
	if _, err := a.word(c.Word); err != nil {
		return err
	}
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			if err := a.data(pattern.Parts); err != nil {
				return err
			}
		}
		if err := a.list(item.Stmts, item.Last); err != nil {
			return err
		}
	}
	return nil
}

// call is a simple command.
func (a *analysis) call(c *syntax.CallExpr) error {
	if len(c.Assigns) > 0 {
		return opaque("it sets a variable")
	}
	if len(c.Args) == 0 {
		return opaque("a command without a name")
	}
	var command simple
	for _, arg := range c.Args {
		w, err := a.word(arg)
		if err != nil {
			return err
		}
		command.words = append(command.words, w)
	}
	if err := command.plain(); err != nil {
		return err
	}
	a.found = append(a.found, command)
	return nil
}

// redirect allows what reads and writes no file.
func (a *analysis) redirect(r *syntax.Redirect) error {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		return opaque("a redirection that sets a variable")
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return a.hereDocument(r)
	case syntax.WordHdoc:
		_, err := a.word(r.Word)
		return err
	}
	target, err := a.word(r.Word)
	if err != nil {
		return err
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if !target.computed && target.text != "" && strings.Trim(strings.TrimSuffix(target.text, "-"), "0123456789") == "" {
			return nil
		}
	}
	if !target.computed && target.text == "/dev/null" {
		return nil
	}
	return opaque("the redirection %s of a file, which no rule can name", r.Op)
}

// hereDocument allows those whose end no two shells can disagree on.
func (a *analysis) hereDocument(r *syntax.Redirect) error {
	if a.depth > 0 {
		return opaque("a here-document in a substitution")
	}
	delimiter, quoted := "", false
	if len(r.Word.Parts) == 1 {
		switch part := r.Word.Parts[0].(type) {
		case *syntax.Lit:
			delimiter = part.Value
		case *syntax.SglQuoted:
			if !part.Dollar {
				delimiter, quoted = part.Value, true
			}
		}
	}
	for _, c := range delimiter {
		if !(c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			delimiter = ""
			break
		}
	}
	if delimiter == "" {
		return opaque("a here-document whose delimiter is not a plain word")
	}
	if r.Hdoc == nil || quoted {
		return nil
	}
	if strings.Contains(a.line, "\\\n") { // which may join its last line to another
		return opaque("a line that goes on beside a here-document; quote its delimiter")
	}
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "\\") {
			return opaque("a backslash in a here-document; quote its delimiter")
		}
	}
	return a.data(r.Hdoc.Parts)
}
