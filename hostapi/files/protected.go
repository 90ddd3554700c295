package files

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
)

// protectedError is a path that runs outside by itself, or a folder that holds
// one.
type protectedError struct {
	given string
	by    protect.Name
	tool  string
	holds bool // by lies below given
}

// Error implements error.
func (e *protectedError) Error() string { return shown(e.given) + " " + e.reason() }

// reason says why, and what allows it.
func (e *protectedError) reason() string {
	what := "is protected"
	switch {
	case e.holds:
		what = "holds what is protected, " + shown(e.by.Path)
	case e.by.Path != e.given:
		what = "is protected, as all of " + shown(e.by.Path)
	}
	if e.by.Except == "" {
		return fmt.Sprintf("%s: %s; nothing allows it", what, e.by.Reason)
	}
	allow := fmt.Sprintf("%s = [%q]", protect.Setting, e.by.Except)
	if !e.holds {
		pattern := e.by.Path
		if pattern != e.given {
			pattern += "/**"
		}
		allow = fmt.Sprintf("a rule that names it, %s(%s), or with ", e.tool, pattern) + allow
	}
	return fmt.Sprintf("%s: %s; allow it with %s", what, e.by.Reason, allow)
}

// guard notes on a place that a tool would change whether it runs by itself.
func (t *tool) guard(ctx context.Context, at *place) error {
	if t.def.effect != hostapi.EffectWrite {
		return nil
	}
	w := t.workspace
	absolute := w.absolute(at.rel)
	by, ok := w.matches(absolute)
	holds := false
	if !ok && t.def.itself {
		by, ok = w.protected.Holds(w.real, absolute)
		holds = ok
	}
	if !ok {
		var err error
		if by, ok, err = w.guard.Led(ctx, absolute, t.def.itself); err != nil {
			return err
		}
		holds = ok && strings.HasPrefix(by.Path, at.rel+"/")
	}
	if ok {
		at.protected = &protectedError{given: at.rel, by: by, tool: t.def.name, holds: holds}
	}
	return nil
}

// startChange is startWriting for a plan. What others wrote since it was made can
// have made what it writes to part of a repository.
func (w *Workspace) startChange(ctx context.Context, p *plan) (done func(), err error) {
	if done, err = w.startWriting(ctx); err != nil {
		return nil, err
	}
	for _, at := range p.at {
		if by, ok := w.matches(w.absolute(at.rel)); ok && at.protected == nil {
			done()
			return nil, &protectedError{given: at.rel, by: by, tool: p.tool}
		}
	}
	if by := w.moved(p); by != nil {
		done()
		return nil, by
	}
	return done, nil
}

// matches is what protects a path from tools.
func (w *Workspace) matches(absolute string) (by protect.Name, ok bool) {
	if by, ok = w.protected.Match(w.real, absolute); ok {
		return by, true
	}
	return w.protected.MatchKeys(w.real, absolute)
}

// moved is why a folder does not go where a plan has it: part of what lies in it would
// be protected there. It is nil for what is no move, and for what was known of before.
func (w *Workspace) moved(p *plan) *protectedError {
	if len(p.at) != 2 || p.outputs || p.at[1].protected != nil {
		return nil
	}
	from, to := p.at[0].rel, p.at[1].rel
	if by, ok := w.protected.Moved(w.real, w.absolute(from), w.absolute(to)); ok {
		return &protectedError{given: to, by: by, tool: p.tool, holds: true}
	}
	return nil
}

// absolute is a path of the workspace as the system has it.
func (w *Workspace) absolute(rel string) string {
	return filepath.Join(w.real, filepath.FromSlash(rel))
}

// namedBy reports whether a pattern names what is protected: up to there it has no
// wildcard.
func (e *protectedError) namedBy(pattern string) bool {
	return !e.holds && e.by.Except != "" && (pattern == e.by.Path || strings.HasPrefix(pattern, e.by.Path+"/"))
}
