package shell

import (
	"context"
	"errors"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi"
)

// linePlan is what a call that patterns decide on will run.
type linePlan struct {
	list     list     // the line, to be written anew; nil for an argv
	argv     []string // the argv; nil for a line
	commands []simple
}

// Subjects implements [hostapi.Plan].
func (p *linePlan) Subjects() []hostapi.Subject {
	subjects := make([]hostapi.Subject, len(p.commands))
	for i, command := range p.commands {
		subjects[i] = command
	}
	return subjects
}

// Plan implements [hostapi.Scoper]. Its subjects are the simple commands of the
// line, as words without their quotes. The line does not run as it was given: it is
// written anew from these words, each in single quotes. So only what was decided on
// runs, whatever a shell would have made of the line. An argv is one subject, and
// runs unchanged.
//
// A line can be written anew if it consists of simple commands of literal words, in
// pipelines, lists (&&, ||, ;, & and newlines), groups, subshells, if, while, until
// and after !, with redirections to and from /dev/null and between the descriptors
// 0, 1 and 2. Comments are left out. Any other line is opaque: the error is a
// *[hostapi.OpaqueError] that says where, and what to write instead.
//
//   - a command name that is empty, or a command that runs others or changes
//     the shell: env, xargs, timeout, sudo, sh -c, eval, exec, export, find -exec, …
//   - expansions: $variables, substitutions, arithmetic, globs, braces, ~, $'…'
//   - redirections of files, here-documents
//   - assignments, functions, for, case, [[ ]], (( )), select, time, coproc
//   - what bash and sh read differently: &>, |&, <<<, …
//   - control characters, more than 16 KiB, or bad syntax
//
// A call that sets env is opaque too.
func (t *Tool) Plan(_ context.Context, call hostapi.Call) (hostapi.Plan, error) {
	args, err := t.decode(call.Args)
	if err != nil {
		return nil, err
	}
	if len(args.Env) > 0 {
		return nil, &hostapi.OpaqueError{Reason: "it sets env, which can change what a command does"}
	}
	plan, problems := planned(args)
	if len(problems) > 0 {
		first := unclear{at: problems[0].at.characters(args.Command), reason: problems[0].reason}
		return nil, &hostapi.OpaqueError{Reason: first.Error()}
	}
	return plan, nil
}

// planned is the plan of a line or an argv; nil where there are problems.
func planned(args arguments) (*linePlan, []*unclear) {
	if args.Command == "" {
		command := newSimple(slices.Clone(args.Argv), place{})
		if why := command.clear(); why != nil {
			return nil, []*unclear{why}
		}
		return &linePlan{argv: command.words, commands: []simple{command}}, nil
	}
	found, problems := read(args.Command)
	if len(problems) > 0 {
		return nil, problems
	}
	return &linePlan{list: found, commands: found.commands()}, nil
}

// decided puts what a plan says into a command; the line is not parsed again.
// remove deletes what was made for that.
func (t *Tool) decided(plan hostapi.Plan, command *Command) (remove func(), err error) {
	remove = func() {}
	if plan == nil { // no pattern decided
		return remove, nil
	}
	p, ok := plan.(*linePlan)
	if !ok {
		return remove, errors.New("the plan is of another tool; nothing was run")
	}
	command.Line, command.Argv = p.list.written(), slices.Clone(p.argv)
	if slices.ContainsFunc(p.commands, func(s simple) bool { return s.git != nil }) {
		return t.readGit(p, command)
	}
	return remove, nil
}
