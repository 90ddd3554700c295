package realm

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// maxOptions is how many options of a helper a warning lists.
const maxOptions = 6

// arguments warns of what a call that writes its arguments out gives and its tool does not take,
// and of what it leaves out: in calls of ctx.tool, of ctx.tools and of the helpers.
func (l *lint) arguments(call *ast.CallExpression) {
	if len(l.warnings) >= maxWarnings {
		return
	}
	if name, p := l.helper(call); p.tool != "" {
		l.options(call, name, p)
		return
	}
	tool, given := l.toolOf(call), 1
	if tool == "" {
		object, _ := memberOf(call.Callee)
		inner, part := memberOf(object)
		if !(part == "tools" && l.known(inner).ctx || l.partOf(object) == "tools") {
			return
		}
		tool, given = l.toolOf(call.Callee), 0
	}
	if len(call.ArgumentList) <= given {
		l.needed(call, tool, nil)
		return
	}
	if len(call.ArgumentList) > given+1 && !spreads(call) {
		l.warnings = append(l.warnings, l.at(call.ArgumentList[given+1], "the arguments of the tool "+tool+" are one object, before this; it takes no more"))
	}
	object, ok := bare(call.ArgumentList[given]).(*ast.ObjectLiteral)
	if !ok {
		return
	}
	names, known := l.takes[tool]
	var keys []string
	var others []ast.Node // the keys that it does not take
	var other []string
	all := eachKey(object, func(name string, at ast.Node) {
		keys = append(keys, name)
		if known && !slices.Contains(names, name) {
			others, other = append(others, at), append(other, name)
		}
	})
	missing := l.missing(tool, keys)
	for i, at := range others {
		like := names
		if all && len(others) == 1 && len(missing) == 1 && spelling.Nearest(other[i], names) == "" {
			like = missing // the one is the other
		}
		l.unknownArgument(at, "the tool "+tool+" takes no argument "+other[i], other[i], like)
	}
	if all && len(others) == 0 {
		l.needed(call, tool, keys)
	}
}

// needed warns of the arguments that a tool needs and that are not among keys.
func (l *lint) needed(call *ast.CallExpression, tool string, keys []string) {
	for _, name := range l.missing(tool, keys) {
		l.warnings = append(l.warnings, l.at(call, "the tool "+tool+" needs the argument "+name))
	}
}

// missing are the arguments that a tool needs and that are not among keys.
func (l *lint) missing(tool string, keys []string) (names []string) {
	for _, needed := range l.needs[tool] {
		if !slices.ContainsFunc(needed, func(name string) bool { return slices.Contains(keys, name) }) {
			names = append(names, needed[0])
		}
	}
	return names
}

// options warns of options that a helper does not take, and of an object in place of its text.
func (l *lint) options(call *ast.CallExpression, name string, p part) {
	if len(call.ArgumentList) > 0 && p.like != "" {
		switch call.ArgumentList[0].(type) {
		case *ast.ObjectLiteral, *ast.ArrayLiteral, *ast.RegExpLiteral:
			l.warnings = append(l.warnings, l.at(call.ArgumentList[0], "ctx."+name+" takes a text here, as in ctx."+p.like))
			return
		}
	}
	if name == "write" && len(call.ArgumentList) > 2 && !spreads(call) {
		l.warnings = append(l.warnings, l.at(call.ArgumentList[2], "ctx.write takes a path and the whole text; to add to a file, read it first"))
	}
	if name == "git" && len(call.ArgumentList) > 1 {
		if _, ok := bare(call.ArgumentList[0]).(*ast.ObjectLiteral); ok {
			l.warnings = append(l.warnings, l.at(call.ArgumentList[1], `ctx.git takes options after a list of words, as in ctx.git(["log"], {limit: 10})`))
			return
		}
		p.takes, p.fills = 2, []string{"args"}
	}
	if p.takes > 0 && len(call.ArgumentList) > p.takes && !spreads(call) {
		l.warnings = append(l.warnings, l.at(call.ArgumentList[p.takes], "ctx."+name+" takes its options before this, and no more after them"))
	}
	names, known := l.takes[p.tool]
	if !known || p.takes == 0 || len(call.ArgumentList) < p.takes {
		return
	}
	object, ok := bare(call.ArgumentList[p.takes-1]).(*ast.ObjectLiteral)
	if !ok {
		return
	}
	own := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(p.fills, name) })
	eachKey(object, func(key string, at ast.Node) {
		if !slices.Contains(names, key) && !slices.Contains(p.fills, key) {
			l.unknownArgument(at, "ctx."+name+" takes no option "+key, key, own)
		}
	})
}

// spreads reports whether a call has arguments that are not written out.
func spreads(call *ast.CallExpression) bool {
	return slices.ContainsFunc(call.ArgumentList, func(e ast.Expression) bool { _, ok := e.(*ast.SpreadElement); return ok })
}

// unknownArgument warns of a name that is none of names.
func (l *lint) unknownArgument(at ast.Node, msg, name string, names []string) {
	switch near := spelling.Nearest(name, names); {
	case len(names) == 1:
		msg += "; did you mean " + names[0] + "?"
	case near != "":
		msg += "; did you mean " + near + "?"
	case len(names) > 0 && len(names) <= maxOptions:
		msg += "; it takes " + strings.Join(names, ", ")
	}
	l.warnings = append(l.warnings, l.at(at, msg))
}

// helper is the part of ctx that a call calls, with the name that the author gives it; an empty
// part if it calls another function.
func (l *lint) helper(call *ast.CallExpression) (name string, p part) {
	if name := l.partOf(call.Callee); name != "" {
		return name, callable(name)
	}
	object, member := memberOf(call.Callee)
	inner, outer := memberOf(object)
	switch {
	case l.known(object).ctx:
		return member, callable(member)
	case member != "run" && member != "start":
	case l.partOf(object) == "shell", outer == "shell" && l.known(inner).ctx:
		return "shell." + member, commandPart
	}
	return "", part{}
}

func callable(name string) part {
	if p := partNamed(name); p.takes > 0 || p.like != "" {
		return p
	}
	return part{}
}

// eachKey calls f with the keys that an object literal writes out, and reports whether these are
// all that it has.
func eachKey(object *ast.ObjectLiteral, f func(name string, at ast.Node)) (all bool) {
	all = true
	for _, p := range object.Value {
		name, at := "", ast.Node(nil)
		switch p := p.(type) {
		case *ast.PropertyShort:
			name, at = p.Name.Name.String(), &p.Name
		case *ast.PropertyKeyed:
			if !p.Computed {
				name, at = writtenText(p.Key), p.Key
			}
		}
		if name == "" {
			all = false
			continue
		}
		f(name, at)
	}
	return all
}
