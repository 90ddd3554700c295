package scripttools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// check is a script that is to be checked, once all headers have been read.
type check struct {
	text *text
	spec *ScriptToolSpec // nil: what is wrong with it is told, and no more
}

// check notes that a script is to be checked, if anybody asked for its tool.
func (l *loader) check(t *text, spec *ScriptToolSpec) {
	if l.wanted == "" || spec != nil && spec.Name == l.wanted {
		l.checks = append(l.checks, check{t, spec})
	}
}

// perFile is what each script adds to the time in which those of a directory are
// checked: several times what a large one takes.
const perFile = 250 * time.Millisecond

// perImporter is what each script adds that may import: it can bring packages of megabytes.
const perImporter = time.Second

// share is what a script adds to the time of all.
func (c check) share() time.Duration {
	if bytes.Contains(c.text.body, []byte("import")) {
		return perImporter
	}
	return perFile
}

// checkAll checks the scripts side by side, in a time in proportion to how many
// there are. Those that take long come last, so that they keep no other from being
// checked; one that is not reached is a problem of its file. It ends with ctx,
// which whoever loads looks at.
func (l *loader) checkAll(ctx context.Context) {
	most := 2 * runtime.MaxCheckTime
	for _, c := range l.checks {
		most += c.share()
	}
	n := len(l.checks)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l.budget = newBudget(most, func(most time.Duration) {
		stop(fmt.Errorf("its check was not over when all %d of the directory had taken %v; name the file alone, or check what takes long in the others", n, most.Round(time.Millisecond)))
	})
	defer l.budget.stop()
	if len(l.checks) > 1 {
		l.checks = l.checkThose(ctx, l.checks, check.share)
	}
	l.checkThose(ctx, l.checks, func(check) time.Duration { return runtime.MaxCheckTime })
	l.checks = nil
}

// checkThose checks some, each for its own time at most. Those that took longer are
// given back if there is more time.
func (l *loader) checkThose(ctx context.Context, checks []check, most func(check) time.Duration) (slow []check) {
	places := make(chan struct{}, goruntime.GOMAXPROCS(0))
	found := make([][]Problem, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			found[i] = l.checkOne(ctx, c, most(c))
		})
	}
	all.Wait()
	for i, problems := range found {
		if most(checks[i]) < runtime.MaxCheckTime && len(problems) == 1 && problems[0].Pos.Line == 0 { // it was not found in the script
			slow = append(slow, checks[i])
			continue
		}
		l.problems = append(l.problems, problems...)
	}
	return slow
}

// checkOne compiles a script, at the last time it is looked at again as long as it gets no processor
// and there is time; its problems are those of the file it stands in.
func (l *loader) checkOne(ctx context.Context, c check, most time.Duration) []Problem {
	last := most == runtime.MaxCheckTime
	if c.spec != nil {
		most = min(most, checkTime(c.spec.Limits))
	}
	body := c.text.body
	if bytes.HasPrefix(body, []byte("#!")) {
		// A #! line is not JavaScript everywhere; a comment of the same length is.
		body = append([]byte("//"), body[2:]...)
	}
	var bad *runtime.CompileError
	for again := true; again; {
		began, ended := time.Now(), l.budget.run(most)
		program, err := l.runner.Compile(ctx, runtime.Source{Name: c.text.path, Body: body, MaxCheck: most, Import: l.budget.importing(importFrom(c.text.path))})
		ended()
		took := time.Since(began)
		if err != nil && !errors.As(err, &bad) {
			return []Problem{fileProblem(c.text.path, "", err, "%v", err)}
		}
		if err == nil || !bad.Busy {
			l.budget.starved(max(took-most, 0)) // so much longer than it computed
		}
		if err == nil {
			if c.spec != nil {
				c.spec.Program, c.spec.Digest = program, digestWith(c.spec.Digest, program.Imported())
			}
			return nil
		}
		again = bad.Busy && l.budget.starved(took) && last && ctx.Err() == nil
	}
	var problems []Problem
	for i, p := range bad.Problems {
		if p.Pos.Line == 0 {
			problems = append(problems, fileProblem(c.text.path, "", bad, "%s", p.Msg))
			continue
		}
		if p.Pos.File != c.text.path { // it is in a file that the script imports
			problems = append(problems, Problem{Pos: p.Pos, Msg: shortened(p.Msg), Excerpt: bad.Excerpt(i), cause: bad, of: c.text.path})
			continue
		}
		placed := c.text.problem(place{p.Pos.Line, p.Pos.Col}, "", "%s", p.Msg)
		placed.cause = bad
		problems = append(problems, placed)
	}
	return problems
}

// leastCheck is how long checking a tool file may take whatever its own time is.
const leastCheck = 250 * time.Millisecond

// checkTime is how long checking a file may take: no longer than a run of it.
func checkTime(limits runtime.Limits) time.Duration {
	if limits.Timeout == 0 {
		return runtime.MaxCheckTime
	}
	return max(limits.Timeout, leastCheck)
}
