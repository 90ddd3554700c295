package realm

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// ofNoCommand and ofNoResult are members that the one has and the other has not, or that others'
// libraries have in their place.
var (
	ofNoCommand = strings.Fields("output text data metadata code status out err error")
	ofNoResult  = strings.Fields("stdout stderr code status content contents out err error")
)

// What a command and what a tool gives.
const (
	commandGives = "{stdout, stderr, exitCode, signal, timedOut, truncated, durationMs}"
	resultGives  = "{output, text, data, exitCode, metadata, truncated}"
)

// results warns where a member is taken of what a command or a tool gives that it has not: it
// would be undefined. What is put there is the author's own.
func (l *lint) results(node any, around []any) {
	if len(around) > 0 {
		if assigned, ok := around[len(around)-1].(*ast.AssignExpression); ok && assigned.Left == node {
			return
		}
	}
	eachMember(node, func(of ast.Expression, at ast.Node, name string) {
		call := l.awaitedCall(of)
		if call == nil || len(l.warnings) >= maxWarnings {
			return
		}
		if helper, _ := l.helper(call); helper == "shell.run" {
			if slices.Contains(ofNoCommand, name) {
				l.warnings = append(l.warnings, l.at(at, "ctx.shell.run gives "+commandGives+", and no "+name))
			}
			return
		}
		tool := l.resultOf(call)
		if tool == "" || !slices.Contains(ofNoResult, name) {
			return
		}
		msg := "the result of " + tool + " is " + resultGives + ", and has no " + name
		if tool == "bash" && strings.HasPrefix(name, "std") {
			msg += "; it is in data." + name
		}
		l.warnings = append(l.warnings, l.at(at, msg))
	})
}

// resultOf is the tool whose whole result a call gives; empty for another call.
func (l *lint) resultOf(call *ast.CallExpression) string {
	if tool := l.toolOf(call); tool != "" { // ctx.tool("bash", …)
		return tool
	}
	switch name, p := l.helper(call); name {
	case "read", "write", "edit", "git", "verify", "webSearch":
		return p.tool
	}
	object, _ := memberOf(call.Callee)
	if inner, part := memberOf(object); part == "tools" && l.known(inner).ctx || l.partOf(object) == "tools" {
		return l.toolOf(call.Callee)
	}
	return ""
}
