package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// compound reads a compound command of lists. Those that set a variable, define
// something or compute cannot be written anew.
func (r *reader) compound(command syntax.Command) compound {
	at := placeOf(command.Pos())
	switch c := command.(type) {
	case *syntax.Subshell:
		return r.between(at, []string{"(", ")"}, c.Stmts)
	case *syntax.Block:
		return r.between(at, []string{"{", "}"}, c.Stmts)
	case *syntax.WhileClause:
		word := "while"
		if c.Until {
			word = "until"
		}
		return r.between(at, []string{word, "do", "done"}, c.Cond, c.Do)
	case *syntax.IfClause:
		return r.conditions(at, c)
	}
	r.refuse(opaque(at, "%s", unwritten(command)))
	return compound{}
}

// unwritten is why a compound command cannot be written anew.
func unwritten(command syntax.Command) string {
	switch c := command.(type) {
	case *syntax.ForClause:
		return "a loop over words; write its commands one after another, or loop in the script"
	case *syntax.CaseClause:
		return "case; decide in the script"
	case *syntax.FuncDecl:
		return "it defines a function; write its commands where they are used"
	case *syntax.DeclClause:
		return c.Variant.Value + " changes the shell's variables; write values where they are used"
	case *syntax.ArithmCmd, *syntax.LetClause:
		return "arithmetic, which can run commands; compute in the script"
	case *syntax.TestClause:
		return "[[ ]], which can run commands; write [ ]"
	case *syntax.TimeClause:
		return "time, which sh does not know; the result says how long the call took"
	case *syntax.CoprocClause:
		return "a coprocess, which sh does not know"
	}
	return "a form of command that no pattern covers"
}

// conditions reads an if with its elif and else.
func (r *reader) conditions(at place, c *syntax.IfClause) compound {
	words := []string{"if"}
	var lists [][]*syntax.Stmt
	for ; c != nil; c = c.Else {
		if len(c.Cond) > 0 { // not an else
			words = append(words, "then")
			lists = append(lists, c.Cond)
		}
		lists = append(lists, c.Then)
		switch {
		case c.Else == nil:
			words = append(words, "fi")
		case len(c.Else.Cond) > 0:
			words = append(words, "elif")
		default:
			words = append(words, "else")
		}
	}
	return r.between(at, words, lists...)
}

// between reads lists between reserved words.
func (r *reader) between(at place, words []string, lists ...[]*syntax.Stmt) compound {
	out := compound{words: words}
	for i, stmts := range lists {
		if len(stmts) == 0 {
			r.refuse(opaque(at, "nothing follows %s", words[i]))
			continue
		}
		out.lists = append(out.lists, r.list(stmts))
	}
	return out
}

// redirect allows redirections that read and write no file.
func (r *reader) redirect(redir *syntax.Redirect) redirect {
	out := redirect{descriptor: "1", operator: redir.Op.String(), target: r.source(redir.Word)}
	switch {
	case redir.N != nil:
		out.descriptor = redir.N.Value
	case redir.Op == syntax.RdrIn || redir.Op == syntax.DplIn:
		out.descriptor = "0"
	case strings.HasPrefix(out.operator, "<<") || strings.HasPrefix(out.operator, "&>"): // refused; shown as it was written
		out.descriptor = ""
	}
	target, problem := text(redir.Word)
	if why := out.unwritten(target); why != "" {
		problem = opaque(placeOf(redir.Pos()), "%s", why)
	}
	if copies := strings.HasSuffix(out.operator, "&"); copies && problem == nil && joined(r.source(redir.Word)) != target {
		problem = opaque(placeOf(redir.Word.Pos()), "a descriptor in quotes or behind a backslash, which shells read differently; write it plainly")
	}
	rest := joined(r.line[redir.Word.End().Offset():])
	if problem == nil && (strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, ">")) {
		problem = opaque(placeOf(redir.Word.Pos()), "a redirection right before another, which shells read differently; put a blank between them")
	}
	if r.refuse(problem); problem == nil {
		out.target = target
	}
	return out
}

// joined is source with continued lines joined.
func joined(source string) string { return strings.ReplaceAll(source, "\\\n", "") }

// unwritten is why a redirection to a target cannot be written anew; "" where it can.
func (r redirect) unwritten(target string) string {
	switch r.operator {
	case "<<", "<<-", "<<<":
		return "a here-document; give its text as the stdin of the call"
	case "&>", "&>>":
		return r.operator + ", which sh does not know; write >/dev/null 2>&1"
	case ">", ">>", "<", ">&", "<&":
	default:
		return "the redirection " + r.operator + ", which no pattern covers"
	}
	copies := strings.HasSuffix(r.operator, "&")
	switch {
	case copies && !standard(target) && target != "-", !standard(r.descriptor):
		return "a redirection of other descriptors than 0, 1 and 2, which no pattern covers"
	case copies || target == "/dev/null":
		return ""
	case r.operator == "<":
		return "a redirection from a file, which no pattern can name; name the file to the program, or give its text as the stdin of the call"
	}
	return "a redirection to a file, which no pattern can name; write what the call returns with the tool write"
}

// standard reports whether every command has a descriptor of this number.
func standard(descriptor string) bool {
	return descriptor == "0" || descriptor == "1" || descriptor == "2"
}
