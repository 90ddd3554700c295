package shell

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// A rule that denies or asks matches more than one that grants. It is about every command
// that has its words in order, with any words between them. Single letters of options
// match in any order, and a word that the shell computes may match anything. A line that
// could run a command without showing it is opaque, and counts as touched.
//
// This sees what the line tells a shell and programs that are known to run others. It
// does not see what other programs do: a line that writes a script and runs it passes.
// The sandbox confines that.

// Concerns implements [hostapi.Toucher].
func (t *Tool) Concerns(rule hostapi.Rule) bool { return rule.Tool == toolName }

// Touches implements [hostapi.Toucher].
func (t *Tool) Touches(ctx context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	r, _ := call.Keep(func() any {
		r := newReading(ctx)
		args, err := t.decode(call.Args)
		switch {
		case err != nil:
			r.refuse(opaque(place{}, "%v", err))
		case args.Command == "":
			r.command(plainShapes(args.Argv), place{}, 0)
		default:
			r.text = args.Command
			r.line(args.Command, 0)
		}
		for _, name := range slices.Sorted(maps.Keys(args.Env)) {
			if !withheld(name) { // else no command gets it: env of a call is not trusted
				r.sets(name, shape{chunks: []string{args.Env[name]}}, place{}, 0)
			}
		}
		return r
	}).(*reading)
	return r.touches(ctx, rule.Pattern)
}

// Concerns implements [hostapi.Toucher]: rules about bash apply to git, too.
func (g *Git) Concerns(rule hostapi.Rule) bool {
	return rule.Tool == g.Name() || rule.Tool == toolName && rule.Pattern != ""
}

// Touches implements [hostapi.Toucher].
func (g *Git) Touches(ctx context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	r, _ := call.Keep(func() any {
		r := newReading(ctx)
		if args, err := gitArgs(call.Args); err != nil {
			r.refuse(opaque(place{}, "%v", err))
		} else {
			r.command(plainShapes(append([]string{"git"}, args.Args...)), place{}, 0)
		}
		return r
	}).(*reading)
	pattern := rule.Pattern
	if rule.Tool != toolName {
		pattern = "git " + pattern
	}
	return r.touches(ctx, pattern)
}

// touches reports whether a pattern matches one of the commands. The error is an
// *[hostapi.OpaqueError] if it may match one.
func (r *reading) touches(ctx context.Context, pattern string) (bool, error) {
	w := wantedBy(ctx, pattern)
	why := r.why
	for _, c := range r.commands {
		if c.name != w.program && !w.wild {
			continue
		}
		found, sure := w.meetsCommand(c)
		switch {
		case ctx.Err() != nil:
			return true, context.Cause(ctx)
		case !w.enough():
			return true, &hostapi.OpaqueError{Reason: tooMuch(c.at).Error()}
		case found && sure:
			return true, nil
		case found:
			why = cmp.Or(why, opaque(c.at, "a word of %s is computed", c.name))
		}
	}
	if ctx.Err() != nil {
		return true, context.Cause(ctx)
	}
	if why == nil {
		return false, nil
	}
	at := unclear{at: why.at.characters(r.text), reason: why.reason}
	return true, &hostapi.OpaqueError{Reason: at.Error()}
}

// wanted is the pattern of a rule that denies or asks.
type wanted struct {
	work
	program string   // the last part of its path
	wild    bool     // and it has a *
	flags   string   // single letters of options
	words   []string // further words, in order
}

func wantedBy(ctx context.Context, pattern string) *wanted {
	w := &wanted{work: work{ctx: ctx, left: mostWork}, program: "*", wild: true}
	fields := strings.Fields(pattern)
	if len(fields) == 0 {
		return w
	}
	w.program = base(fields[0])
	w.wild = strings.Contains(w.program, "*")
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

// mostWork bounds the bytes that are compared for one rule, and the words that are read
// for one call. Either takes some milliseconds.
const mostWork = 2 << 20

// work counts what is left of it.
type work struct {
	ctx  context.Context
	left int
}

// spend uses some up, and reports whether there was enough and the run goes on.
func (w *work) spend(amount int) bool {
	w.left = max(0, w.left-amount-1)
	return w.enough() && w.ctx.Err() == nil
}

func (w *work) enough() bool { return w.left > 0 }

func tooMuch(at place) *unclear { return opaque(at, "more than can be analysed; write it shorter") }

// cluster reports whether a word is one or more single-letter options.
func cluster(word string) bool {
	return len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// meetsCommand reports whether a command may match, and whether that is sure: no word
// that counts is computed.
func (w *wanted) meetsCommand(c command) (found, sure bool) {
	if !w.spend(len(c.name)*(1+len(w.program)*strings.Count(w.program, "*"))) || !meets([]string{c.name}, w.program) {
		return false, false
	}
	args := c.words[1:]
	sure = true
	for _, flag := range w.flags {
		if slices.ContainsFunc(args, func(s shape) bool { return s.isPlain() && s.flagged(flag) }) {
			continue
		}
		if sure = false; !c.more && !slices.ContainsFunc(args, func(s shape) bool { return s.flagged(flag) }) {
			return false, false
		}
	}
	left := w.words
	for _, s := range args {
		switch {
		case len(left) == 0:
			return true, sure
		case !w.spend(s.size() * (1 + len(left[0])*strings.Count(left[0], "*"))):
			return false, false
		case s.many:
			return true, false
		case meets(s.chunks, left[0]), strings.HasPrefix(left[0], "--") && s.shortens(left[0]):
			sure = sure && s.isPlain()
			left = left[1:]
		}
		if value := s.value(); value != "" && len(left) > 0 && meets([]string{value}, left[0]) {
			left = left[1:]
		}
	}
	return len(left) == 0 || c.more, sure && len(left) == 0
}
