package shell

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reading is a call as rules that deny or ask see it: every command in it, even within
// substitutions.
type reading struct {
	work
	text     string // the line that places refer to
	commands []command
	why      *unclear // why there may be other commands
}

// command is a command before a shell has expanded it.
type command struct {
	name  string
	words []shape
	more  bool // it gets further words from its input
	at    place
}

func newReading(ctx context.Context) *reading {
	return &reading{work: work{ctx: ctx, left: mostWork}}
}

func (r *reading) refuse(why *unclear) { r.why = cmp.Or(r.why, why) }

// maxLines is how deep a line may be nested in a word of another line.
const maxLines = 4

// line reads the commands of a line.
func (r *reading) line(line string, depth int) {
	defer func() {
		if p := recover(); p != nil { // the parser is not ours
			r.refuse(opaque(place{}, "the parser failed on it"))
		}
	}()
	if depth > maxLines {
		r.refuse(opaque(place{}, "lines in lines, more than %d deep", maxLines))
		return
	}
	if problem := legible(line); problem != nil {
		r.refuse(problem)
		return
	}
	if !r.spend(8 * len(line)) {
		r.refuse(tooMuch(place{}))
		return
	}
	for i, variant := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
		file, err := syntax.NewParser(syntax.Variant(variant), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
		if err != nil {
			if i == 0 { // only bash runs what only bash can parse
				r.refuse(syntaxError(err))
			}
			return
		}
		v := &visitor{reading: r, reader: reader{line: line}, depth: depth}
		syntax.Walk(file, v.visit)
		if len(v.reader.problems) > 0 {
			r.refuse(v.reader.problems[0])
		}
	}
}

// visitor collects the commands of a parsed line.
type visitor struct {
	reading *reading
	reader  reader // checks comments, and collects problems
	depth   int
}

func (v *visitor) visit(node syntax.Node) bool {
	refuse := func(format string, args ...any) { v.reader.refuse(opaque(placeOf(node.Pos()), format, args...)) }
	switch n := node.(type) {
	case *syntax.Comment:
		v.reader.comment(n)
	case *syntax.CallExpr:
		v.assigns(n.Assigns)
		if len(n.Args) > 0 {
			words := make([]shape, len(n.Args))
			for i, arg := range n.Args {
				words[i] = shapeOf(arg)
			}
			v.reading.command(words, placeOf(n.Pos()), v.depth)
		}
	case *syntax.TimeClause:
		v.reading.commands = append(v.reading.commands, command{name: "time", words: plainShapes([]string{"time"}), more: true, at: placeOf(n.Pos())})
	case *syntax.DeclClause:
		v.assigns(n.Args)
		v.declares(n)
		for _, arg := range n.Args {
			if arg.Value != nil && arg.Name == nil {
				if option := shapeOf(arg.Value); !option.isPlain() || strings.HasPrefix(option.text(), "-") && strings.ContainsAny(option.text(), "in") {
					refuse("%s with options that compute or give other names", n.Variant.Value)
				} else {
					v.reading.given(n.Variant.Value, []shape{option}, placeOf(n.Pos()), v.depth)
				}
			}
		}
	case *syntax.WordIter:
		v.sets(n.Name.Value, n)
	case *syntax.CoprocClause:
		if n.Name != nil {
			v.sets(n.Name.Lit(), n)
		}
	case *syntax.LetClause:
		v.reading.commands = append(v.reading.commands, command{name: "let", words: plainShapes([]string{"let"}), more: true, at: placeOf(n.Pos())})
		refuse("arithmetic, which can run commands")
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop:
		refuse("arithmetic, which can run commands")
	case *syntax.BinaryTest:
		if slices.Contains([]syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr}, n.Op) {
			refuse("arithmetic, which can run commands; write [ ] in place of [[ ]]")
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			refuse("%s, which can run commands", n.Op)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
			v.sets(n.Param.Value, n)
		}
		if n.Index != nil || n.Slice != nil || n.Excl || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
			refuse("an expansion that computes")
		}
		// Shells differ on quotes in it, and it may hold a substitution that is no node.
		if source := v.reader.source(n); strings.ContainsAny(source, "'`\\") || strings.Contains(source, "<(") || strings.Contains(source, ">(") {
			refuse("an expansion with quotes or a substitution in it")
		}
	case *syntax.Redirect:
		switch {
		case n.Op == syntax.RdrAll || n.Op == syntax.AppAll:
			refuse("%s, which sh reads otherwise", n.Op)
		case n.N != nil && strings.ContainsAny(n.N.Value, "[{"):
			refuse("a descriptor that is computed")
		case n.Hdoc != nil && strings.Contains(v.reader.source(n.Hdoc), "\\\n"):
			refuse("a here-document with a line that is continued")
		}
	}
	return true
}

// sets notes a variable that gets a value which nobody knows.
func (v *visitor) sets(name string, at syntax.Node) {
	v.reading.sets(name, unknown, placeOf(at.Pos()), v.depth)
}

// declares notes export, declare and their kin as the commands that they are.
func (v *visitor) declares(n *syntax.DeclClause) {
	words := plainShapes([]string{n.Variant.Value})
	for _, arg := range n.Args {
		word := shape{chunks: []string{""}}
		if arg.Value != nil {
			word = shapeOf(arg.Value)
		}
		if arg.Name != nil && !arg.Naked {
			word.chunks = append([]string{arg.Name.Value + "=" + word.chunks[0]}, word.chunks[1:]...)
		} else if arg.Name != nil {
			word.chunks[0] = arg.Name.Value
		}
		words = append(words, word)
	}
	v.reading.commands = append(v.reading.commands, command{name: n.Variant.Value, words: words, at: placeOf(n.Pos())})
}

func (v *visitor) assigns(assigns []*syntax.Assign) {
	for _, a := range assigns {
		if a.Name != nil {
			value := shape{chunks: []string{""}}
			switch {
			case a.Append || a.Array != nil:
				value = unknown
			case a.Value != nil:
				value = shapeOf(a.Value)
			}
			v.reading.sets(a.Name.Value, value, placeOf(a.Pos()), v.depth)
		}
		if a.Index != nil || a.Array != nil && slices.ContainsFunc(a.Array.Elems, func(e *syntax.ArrayElem) bool { return e.Index != nil }) {
			v.reader.refuse(opaque(placeOf(a.Pos()), "an index that is computed, which can run commands"))
		}
	}
}
