package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// Compile checks a source and prepares it to run; the same source again is the same
// program. The check runs where scripts run: in a worker, within [MaxCheckTime] and the
// smallest memory limit of a run; in one of [Options.Cells]; or in this process, where
// nothing can stop it.
//
// The error is a *[CompileError] or a *[SourceSizeError], or the cause of ctx when it has
// ended.
func (r *Runner) Compile(ctx context.Context, source Source) (*Program, error) {
	if err := source.check(); err != nil {
		return nil, err
	}
	if !r.begin() {
		return nil, ErrClosed
	}
	defer r.active.Done()
	return r.compile(ctx, source, source.program())
}

// compile compiles a source whose size was checked into a program that has its name.
func (r *Runner) compile(ctx context.Context, source Source, program *Program) (*Program, error) {
	within := source.maxCheck()
	if known, err := r.compiled.get(program.known, within); err != nil || known != nil && known.given.same(source.Import) {
		return known, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.checking, func() { cancel(ErrClosed) })() //nolint:contextcheck // it ends with both
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	check := program.check(string(source.Body), source.FunctionBody)
	check.Shapes = source.FunctionBody // no other check warns of them
	if check.Imports = source.Import != nil; check.Imports {
		// What it will import is not known yet, and the worker that checks it may run it.
		program.key += fmt.Sprintf(" %d", r.checked.Add(1))
		check.Digest = program.key
	}
	program.given = &given{read: source.Import, texts: map[string]string{}}
	checked, flaws, err := r.cells.check(ctx, check, program.given, within)
	switch {
	case ctx.Err() != nil && (err != nil || len(flaws) > 0):
		return nil, context.Cause(ctx)
	case err != nil:
		bad := &CompileError{Problems: []Problem{{Pos: Position{File: source.Name}, Msg: err.Error()}}}
		_ = errors.As(err, &bad.unchecked)
		var failed *checkError
		if errors.As(err, &failed) {
			bad.Busy = failed.starved
			if failed.same && !program.given.any() {
				r.compiled.fail(program.known, bad, within)
			}
		}
		return nil, bad
	case len(flaws) > 0:
		bad := &CompileError{source: check.Source}
		for _, f := range flaws {
			bad.Problems = append(bad.Problems, Problem{Pos: program.place(f), Msg: f.Msg})
			bad.excerpts = append(bad.excerpts, program.given.excerpt(f))
		}
		if !program.given.any() { // it may be another file's fault
			r.compiled.fail(program.known, bad, MaxCheckTime)
		}
		return nil, bad
	}
	program.source, program.checked = check.Source, checked
	program.imported()
	r.compiled.put(program)
	return program, nil
}

// check is the question whether a source is this program.
func (p *Program) check(source string, body bool) wire.Check {
	return wire.Check{Name: p.name, Digest: p.key, Source: source, Body: body, Module: path.Ext(p.name) == ".mjs"}
}

// Warnings finds what is probably a mistake: calls that are not awaited, names that nothing
// declares, calls of host tools that no rule in allow names, and arguments that they do not take.
func (r *Runner) Warnings(ctx context.Context, p *Program, allow []hostapi.Rule) (warnings []Problem, err error) {
	if !r.begin() {
		return nil, ErrClosed
	}
	defer r.active.Done()
	check := p.check(p.source, p.checked.LineOffset > 0)
	check.Warn, check.Imports, check.Arguments, check.Required = true, p.given.any(), map[string][]string{}, map[string][][]string{}
	for _, rule := range allow {
		check.Granted = append(check.Granted, rule.Tool)
		about := r.registry.Describe(rule.Tool)
		if names := takes(about); names != nil {
			check.Arguments[rule.Tool] = names
		}
		check.Required[rule.Tool] = needs(about)
	}
	checked, _, err := r.cells.check(ctx, check, p.given.again(), MaxCheckTime)
	for _, w := range checked.Warnings {
		warnings = append(warnings, Problem{Pos: p.place(w), Msg: w.Msg + r.advice(w.Msg)})
	}
	return warnings, err
}

// advice is what the host knows to say of a warning.
func (r *Runner) advice(warning string) string {
	there := hint("ReferenceError", warning, "")
	if member, ok := strings.CutPrefix(warning, realm.NoMember); ok {
		there = hint("TypeError", "Object has no member '"+member+"'", "ctx."+member)
	}
	if tool, ok := strings.CutPrefix(warning, realm.NotGranted); ok {
		if tool, _, ok = strings.Cut(tool, ","); ok && !slices.Contains(r.registry.Names(), tool) {
			if near := spelling.Nearest(tool, r.registry.Names()); near != "" {
				there = "did you mean " + near + "?"
			}
		}
	}
	if there == "" {
		return ""
	}
	return "; " + there
}

// needs are the arguments without which a tool takes no call, each with its other names.
func needs(about hostapi.Description) (names [][]string) {
	var schema struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(about.Input, &schema) != nil {
		return nil
	}
	for _, name := range schema.Required {
		all := []string{name}
		for other, of := range about.Aliases {
			if of == name {
				all = append(all, other)
			}
		}
		names = append(names, all)
	}
	return names
}

// takes are the names of the arguments of a tool; nil if it may take others.
func takes(about hostapi.Description) (names []string) {
	var schema map[string]json.RawMessage
	var properties map[string]json.RawMessage
	if json.Unmarshal(about.Input, &schema) != nil || string(schema["additionalProperties"]) != "false" || schema["patternProperties"] != nil ||
		json.Unmarshal(schema["properties"], &properties) != nil {
		return nil
	}
	names = slices.AppendSeq(slices.Collect(maps.Keys(properties)), maps.Keys(about.Aliases))
	slices.Sort(names)
	return names
}

// compile compiles the source of a run that has no program yet.
func (e *execution) compile() error {
	if e.request.Source == nil {
		return nil
	}
	program, err := e.runner.compile(e.life, *e.request.Source, e.program)
	if err == nil {
		e.program = program
	}
	return err
}

// notCompiled is the ending of a run that has no program.
func (e *execution) notCompiled(err error) ending {
	var bad *CompileError
	switch {
	case errors.As(err, &bad) && bad.unchecked != nil:
		return e.noCell(bad.unchecked)
	case bad != nil:
		return ending{why: whySource, cause: err}
	}
	if e.life.Err() == nil { // the runner is being closed
		return ending{why: whyCancelled, cause: err}
	}
	end := e.cancelled()
	end.doing = "; its source was being checked"
	return end
}

// begin registers work that Close waits for; false if the runner was closed.
func (r *Runner) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.active.Add(1)
	}
	return !r.closed
}
