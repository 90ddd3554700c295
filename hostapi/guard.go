package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// PanicError is a panic of a tool. It fails one call.
type PanicError struct {
	Tool string
	// Method is the method that panicked, such as "Plan", or "Handle.Close" for one
	// of a value that the tool returned.
	Method string
	// Value is the value of the panic, as text.
	Value string
}

// Error implements error.
func (e *PanicError) Error() string {
	if e.Method == methodAround {
		return fmt.Sprintf("an Around of the host panicked: %s; this is a bug in the host", e.Value)
	}
	return fmt.Sprintf("tool %q panicked in %s: %s; this is a bug of the tool", e.Tool, e.Method, e.Value)
}

// guarded turns a tool's panics into errors. All methods of tools, and of values they
// return, are called here.
type guarded struct {
	tool   Tool
	name   string
	layers []Tool // the tool, and the tools that it decorates
}

// power is [As] for a tool that was unwrapped when it was registered.
func power[T any](g guarded) (power T, ok bool) {
	for _, layer := range g.layers {
		if power, ok = layer.(T); ok {
			return power, true
		}
	}
	return power, false
}

// maxLayers is how often a tool is unwrapped at most.
const maxLayers = 64

func (g *guarded) unwrapped() (err error) {
	defer g.caught("Unwrap", &err)
	for tool := g.tool; tool != nil && len(g.layers) < maxLayers; {
		g.layers = append(g.layers, tool)
		wrapper, ok := tool.(Unwrapper)
		if !ok {
			break
		}
		tool = wrapper.Unwrap()
	}
	return nil
}

// caught turns a panic into an error; it is for defer.
func (g guarded) caught(method string, err *error) {
	if p := recover(); p != nil {
		*err = &PanicError{Tool: g.name, Method: method, Value: fmt.Sprint(p)}
	}
}

func (g guarded) patternEffect(pattern string) (effect Effect, err error) {
	defer g.caught("PatternEffect", &err)
	if narrower, ok := power[Narrower](g); ok {
		effect = narrower.PatternEffect(pattern)
	}
	return effect, nil
}

func (g *guarded) named() (err error) {
	defer g.caught("Name", &err)
	g.name = g.tool.Name()
	return nil
}

func (g guarded) validate() (err error) {
	v, ok := power[Validator](g)
	if !ok {
		return nil
	}
	defer g.caught("Validate", &err)
	return v.Validate()
}

func (g guarded) describe() (about Description, err error) {
	d, ok := power[Describer](g)
	if !ok {
		return Description{}, nil
	}
	defer g.caught("Describe", &err)
	return d.Describe(), nil
}

func (g guarded) grantNames() (names []string, err error) {
	granter, ok := power[Granter](g)
	if !ok {
		return nil, nil
	}
	defer g.caught("GrantNames", &err)
	return granter.GrantNames(), nil
}

func (g guarded) grantedBy(args json.RawMessage) (names []string, err error) {
	granter, ok := power[Granter](g)
	if !ok {
		return nil, nil
	}
	defer g.caught("GrantedBy", &err)
	return granter.GrantedBy(args), nil
}

func (g guarded) check(args json.RawMessage) (err error) {
	c, ok := power[Checker](g)
	if !ok {
		return nil
	}
	defer g.caught("Check", &err)
	return c.Check(args)
}

func (g guarded) checkPattern(pattern string) (err error) {
	scoper, ok := power[Scoper](g)
	if !ok {
		return errNoPattern
	}
	defer g.caught("CheckPattern", &err)
	return scoper.CheckPattern(pattern)
}

func (g guarded) plan(ctx context.Context, call Call) (plan Plan, err error) {
	scoper, ok := power[Scoper](g)
	if !ok {
		return nil, errNoPattern
	}
	defer g.caught("Plan", &err)
	return scoper.Plan(ctx, call)
}

// concerns reports whether a rule can be about the tool's calls.
func (g guarded) concerns(rule Rule) (concerned bool, err error) {
	toucher, ok := power[Toucher](g)
	if !ok {
		return rule.Tool == g.name, nil
	}
	defer g.caught("Concerns", &err)
	return toucher.Concerns(rule), nil
}

func (g guarded) touches(ctx context.Context, call Call, rule Rule) (touched bool, err error) {
	toucher, _ := power[Toucher](g) // the caller has checked that it is one
	defer g.caught("Touches", &err)
	return toucher.Touches(ctx, call, rule)
}

func (g guarded) preview(ctx context.Context, call Call) (text string, ok bool, err error) {
	previewer, ok := power[Previewer](g)
	if !ok {
		return "", false, nil
	}
	defer g.caught("Preview", &err)
	text, err = previewer.Preview(ctx, call)
	return text, true, err
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
	confiner, ok := power[Confiner](g)
	if !ok {
		return nil, nil
	}
	defer g.caught("Confinement", &err)
	return confiner.Confinement(), nil
}

// close closes the tool itself, if it is an [io.Closer].
func (g guarded) close() (err error) {
	closer, ok := power[io.Closer](g)
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

// starter is the tool itself, if it is one. The Start of a decorated tool would bypass
// the decorator's Invoke.
func (g guarded) starter() (Starter, bool) {
	starter, ok := g.tool.(Starter)
	return starter, ok
}

func (g guarded) start(ctx context.Context, call Call) (handle Handle, result Result, err error) {
	defer g.caught("Start", &err)
	starter, _ := g.starter() // the call was decided for one
	return starter.Start(ctx, call)
}

func (g guarded) wait(ctx context.Context, handle Handle) (result Result, err error) {
	defer g.caught("Handle.Wait", &err)
	return handle.Wait(ctx)
}

func (g guarded) end(ctx context.Context, handle Ender) (result Result, err error) {
	defer g.caught("Ender.End", &err)
	return handle.End(ctx)
}

func (g guarded) operate(ctx context.Context, handle Handle, operation string, args json.RawMessage) (result Result, err error) {
	defer g.caught("Handle.Operate", &err)
	return handle.Operate(ctx, operation, args)
}

func (g guarded) closeHandle(handle Handle) (err error) {
	defer g.caught("Handle.Close", &err)
	return handle.Close()
}
