package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// PanicError is a panic of a tool: a bug of the tool, and one failed call.
type PanicError struct {
	Tool string
	// Method is what panicked, such as "Plan"; or "Handle.Close", for a method
	// of something that the tool returned.
	Method string
	// Value is what it panicked with, as text.
	Value string
}

// Error implements error.
func (e *PanicError) Error() string {
	return fmt.Sprintf("tool %q panicked in %s: %s; this is a bug of the tool", e.Tool, e.Method, e.Value)
}

// guarded is a tool whose panics are errors. Nothing else calls a tool's
// methods, nor those of what a tool returns.
type guarded struct {
	tool Tool
	name string
}

// caught turns a panic into an error; it is for defer.
func (g guarded) caught(method string, err *error) {
	if p := recover(); p != nil {
		*err = &PanicError{Tool: g.name, Method: method, Value: fmt.Sprint(p)}
	}
}

func (g *guarded) named() (err error) {
	defer g.caught("Name", &err)
	g.name = g.tool.Name()
	return nil
}

func (g guarded) validate() (err error) {
	v, ok := g.tool.(Validator)
	if !ok {
		return nil
	}
	defer g.caught("Validate", &err)
	return v.Validate()
}

func (g guarded) describe() (about Description, err error) {
	d, ok := g.tool.(Describer)
	if !ok {
		return Description{}, nil
	}
	defer g.caught("Describe", &err)
	return d.Describe(), nil
}

func (g guarded) grantNames() (names []string, err error) {
	granter, ok := g.tool.(Granter)
	if !ok {
		return nil, nil
	}
	defer g.caught("GrantNames", &err)
	return granter.GrantNames(), nil
}

func (g guarded) grantedBy(args json.RawMessage) (names []string, err error) {
	granter, ok := g.tool.(Granter)
	if !ok {
		return nil, nil
	}
	defer g.caught("GrantedBy", &err)
	return granter.GrantedBy(args), nil
}

func (g guarded) check(args json.RawMessage) (err error) {
	c, ok := g.tool.(Checker)
	if !ok {
		return nil
	}
	defer g.caught("Check", &err)
	return c.Check(args)
}

func (g guarded) checkPattern(pattern string) (err error) {
	scoper, ok := g.tool.(Scoper)
	if !ok {
		return errNoPattern
	}
	defer g.caught("CheckPattern", &err)
	return scoper.CheckPattern(pattern)
}

func (g guarded) plan(ctx context.Context, call Call) (plan Plan, err error) {
	scoper, ok := g.tool.(Scoper)
	if !ok {
		return nil, errNoPattern
	}
	defer g.caught("Plan", &err)
	return scoper.Plan(ctx, call)
}

func (g guarded) subjects(plan Plan) (subjects []Subject, err error) {
	defer g.caught("Plan.Subjects", &err)
	return plan.Subjects(), nil
}

func (g guarded) matches(subject Subject, pattern string) (match bool, err error) {
	defer g.caught("Subject.Match", &err)
	return subject.Match(pattern), nil
}

func (g guarded) objection(subject Subject, pattern string) (why string, err error) {
	o, ok := subject.(Objector)
	if !ok {
		return "", nil
	}
	defer g.caught("Subject.Objection", &err)
	return o.Objection(pattern), nil
}

func (g guarded) text(subject Subject) (text string, err error) {
	defer g.caught("Subject.String", &err)
	return subject.String(), nil
}

func (g guarded) confinement() (measures []Measure, err error) {
	confiner, ok := g.tool.(Confiner)
	if !ok {
		return nil, nil
	}
	defer g.caught("Confinement", &err)
	return confiner.Confinement(), nil
}

// close closes the tool itself, if it is an [io.Closer].
func (g guarded) close() (err error) {
	closer, ok := g.tool.(io.Closer)
	if !ok {
		return nil
	}
	defer g.caught("Close", &err)
	return closer.Close()
}

func (g guarded) invoke(ctx context.Context, call Call) (result Result, err error) {
	defer g.caught("Invoke", &err)
	return g.tool.Invoke(ctx, call)
}

func (g guarded) start(ctx context.Context, call Call) (handle Handle, result Result, err error) {
	defer g.caught("Start", &err)
	return g.tool.(Starter).Start(ctx, call) // the call was decided for one
}

func (g guarded) wait(ctx context.Context, handle Handle) (result Result, err error) {
	defer g.caught("Handle.Wait", &err)
	return handle.Wait(ctx)
}

func (g guarded) operate(ctx context.Context, handle Handle, operation string, args json.RawMessage) (result Result, err error) {
	defer g.caught("Handle.Operate", &err)
	return handle.Operate(ctx, operation, args)
}

func (g guarded) closeHandle(handle Handle) (err error) {
	defer g.caught("Handle.Close", &err)
	return handle.Close()
}
