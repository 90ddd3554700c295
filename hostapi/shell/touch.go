package shell

import (
	"context"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"mvdan.cc/sh/v3/syntax"
)

// A rule that denies, or asks, must not miss what it names, so that it is read the
// other way than one that grants. It is about every command that has its words in
// their order, whatever stands between them; letters of options count in any order and
// form, and a word that the line computes may be any. What could run a command that
// the line does not show is opaque, and touched.
//
// It sees what the line says. What the programs of the line do by themselves, such as
// a script that is run by its name, it does not see: that is for the sandbox.

// Concerns implements [hostapi.Toucher].
func (t *Tool) Concerns(rule hostapi.Rule) bool { return rule.Tool == toolName }

// Touches implements [hostapi.Toucher].
func (t *Tool) Touches(ctx context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	args, err := t.decode(call.Args)
	if err != nil {
		return true, &hostapi.OpaqueError{Reason: err.Error()}
	}
	wanted := wantedBy(ctx, rule.Pattern)
	var touched bool
	var why *unclear
	if args.Command == "" {
		words := make([]shape, len(args.Argv))
		for i, word := range args.Argv {
			words[i] = shape{chunks: []string{word}}
		}
		touched, why = wanted.command(words, place{})
	} else {
		touched, why = wanted.line(args.Command, 0)
	}
	if ctx.Err() != nil {
		return true, context.Cause(ctx)
	}
	if why != nil {
		at := unclear{at: why.at.characters(args.Command), reason: why.reason}
		return true, &hostapi.OpaqueError{Reason: at.Error()}
	}
	return touched, nil
}

// Concerns implements [hostapi.Toucher]: rules of bash deny what git runs, too.
func (g *Git) Concerns(rule hostapi.Rule) bool {
	return rule.Tool == g.Name() || rule.Tool == toolName && rule.Pattern != ""
}

// Touches implements [hostapi.Toucher].
func (g *Git) Touches(ctx context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	pattern := rule.Pattern
	if rule.Tool != toolName {
		pattern = "git " + pattern
	}
	args, err := gitArgs(call.Args)
	if err != nil {
		return true, &hostapi.OpaqueError{Reason: err.Error()}
	}
	words := []shape{{chunks: []string{"git"}}}
	for _, word := range args.Args {
		words = append(words, shape{chunks: []string{word}})
	}
	touched, why := wantedBy(ctx, pattern).command(words, place{})
	return touched || why != nil, nil
}

// wanted is the pattern of a rule that denies or asks.
type wanted struct {
	work    *work
	program string   // the last part of its path; may have a *
	flags   string   // single letters of options
	words   []string // further words, in order
}

func wantedBy(ctx context.Context, pattern string) wanted {
	w := wanted{work: &work{ctx: ctx, left: mostWork}, program: "*"}
	fields := strings.Fields(pattern)
	if len(fields) == 0 {
		return w
	}
	w.program = base(fields[0])
	for _, word := range fields[1:] {
		switch {
		case word == "*":
		case cluster(word):
			w.flags += word[1:]
		default:
			w.words = append(w.words, word)
		}
	}
	return w
}

// mostWork is how many bytes are compared for one rule, at most: some milliseconds.
const mostWork = 2 << 20

// work is what there is left of it.
type work struct {
	ctx  context.Context
	left int
}

// spend reports whether there was enough, and the run goes on.
func (w *work) spend(bytes int) bool {
	if w.left -= bytes + 1; w.left < 0 {
		w.left = 0
	}
	return w.left > 0 && w.ctx.Err() == nil
}

func tooMuch(at place) *unclear { return opaque(at, "more than is analysed; write it shorter") }

// cluster reports whether a word is one or more options of one letter.
func cluster(word string) bool {
	return len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// maxLines is how deep lines in words of lines are looked into.
const maxLines = 4

// line is whether some command of a line is wanted.
func (w wanted) line(line string, depth int) (touched bool, why *unclear) {
	defer func() {
		if p := recover(); p != nil { // the parser is not ours
			touched, why = true, opaque(place{}, "the parser failed on it")
		}
	}()
	if depth > maxLines {
		return true, opaque(place{}, "lines in lines, more than %d deep", maxLines)
	}
	if problem := legible(line); problem != nil {
		return true, problem
	}
	if !w.work.spend(8 * len(line)) {
		return true, tooMuch(place{})
	}
	for i, variant := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
		file, err := syntax.NewParser(syntax.Variant(variant), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
		if err != nil {
			if i > 0 {
				break // what only bash knows, bash runs
			}
			return true, syntaxError(err)
		}
		v := &toucher{wanted: w, reader: reader{line: line}, depth: depth}
		syntax.Walk(file, v.visit)
		if v.touched || len(v.reader.problems) > 0 {
			if v.touched {
				return true, nil
			}
			return true, v.reader.problems[0]
		}
	}
	return false, nil
}

// toucher looks at every command of a parsed line, those in substitutions too.
type toucher struct {
	wanted  wanted
	reader  reader // for comments, and what is unclear
	depth   int
	touched bool
}

func (v *toucher) visit(node syntax.Node) bool {
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
			touched, why := v.wanted.commandIn(words, placeOf(n.Pos()), v.depth)
			v.touched = v.touched || touched && why == nil
			v.reader.refuse(why)
		}
	case *syntax.DeclClause:
		v.assigns(n.Args)
		for _, arg := range n.Args {
			if arg.Value != nil && arg.Name == nil {
				if option := shapeOf(arg.Value); !option.isPlain() || strings.HasPrefix(option.text(), "-") && strings.ContainsAny(option.text(), "in") {
					v.reader.refuse(opaque(placeOf(n.Pos()), "%s with options that compute or give other names", n.Variant.Value))
				}
			}
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		v.reader.refuse(opaque(placeOf(node.Pos()), "arithmetic, which can run commands"))
	case *syntax.BinaryTest:
		if slices.Contains([]syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr}, n.Op) {
			v.reader.refuse(opaque(placeOf(n.Pos()), "arithmetic, which can run commands; write [ ] in place of [[ ]]"))
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			v.reader.refuse(opaque(placeOf(n.Pos()), "%s, which can run commands", n.Op))
		}
	case *syntax.ParamExp:
		if n.Index != nil || n.Slice != nil || n.Excl || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
			v.reader.refuse(opaque(placeOf(n.Pos()), "an expansion that computes"))
		}
		// Shells differ on quotes in it, and it may hold a substitution that is no node.
		if source := v.reader.source(n); strings.ContainsAny(source, "'`\\") || strings.Contains(source, "<(") || strings.Contains(source, ">(") {
			v.reader.refuse(opaque(placeOf(n.Pos()), "an expansion with quotes or a substitution in it"))
		}
	case *syntax.Redirect:
		switch {
		case n.Op == syntax.RdrAll || n.Op == syntax.AppAll:
			v.reader.refuse(opaque(placeOf(n.Pos()), "%s, which sh reads otherwise", n.Op))
		case n.N != nil && strings.ContainsAny(n.N.Value, "[{"):
			v.reader.refuse(opaque(placeOf(n.Pos()), "a descriptor that is computed"))
		case n.Hdoc != nil && strings.Contains(v.reader.source(n.Hdoc), "\\\n"):
			v.reader.refuse(opaque(placeOf(n.Pos()), "a here-document with a line that is continued"))
		}
	}
	return true
}

func (v *toucher) assigns(assigns []*syntax.Assign) {
	for _, a := range assigns {
		if a.Name != nil && risky(a.Name.Value) {
			v.reader.refuse(opaque(placeOf(a.Pos()), "%s, which shells run", a.Name.Value))
		}
		if a.Index != nil || a.Array != nil && slices.ContainsFunc(a.Array.Elems, func(e *syntax.ArrayElem) bool { return e.Index != nil }) {
			v.reader.refuse(opaque(placeOf(a.Pos()), "an index that is computed, which can run commands"))
		}
	}
}
