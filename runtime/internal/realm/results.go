package realm

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// ofNoCommand and ofNoResult are members that the one has and the other has not, or that others'
// libraries have in their place.
var (
	ofNoCommand = strings.Fields("output text data metadata code status out err error")
	ofNoResult  = strings.Fields("stdout stderr code status content contents out err error")
)

// ofListsAndTexts are members that a list or a text has, and a result has not.
var ofListsAndTexts = strings.Fields("length at concat endsWith entries every filter find findIndex findLast flat flatMap forEach includes indexOf join keys map match matchAll push reduce replace replaceAll reverse slice some sort split startsWith substring toLowerCase toSorted trim values")

// membersOf are the names in what a command or a tool gives.
func membersOf(gives string) []string {
	return strings.Fields(strings.NewReplacer("{", "", "}", "", ",", "").Replace(gives))
}

// What a command and what a tool gives.
const (
	commandGives = "{stdout, stderr, exitCode, signal, timedOut, truncated, durationMs}"
	resultGives  = "{output, text, data, exitCode, metadata, truncated}"
)

// results warns where a member is taken of what a command or a tool gives that it has not: it
// would be undefined. What is put anywhere is the author's own, and one may ask whether it is there.
func (l *lint) results(node any) {
	eachMember(node, func(of ast.Expression, at ast.Node, name string) {
		call := l.awaitedCall(of)
		if call == nil || len(l.warnings) >= maxWarnings || l.own.members[name] {
			return
		}
		if slices.Contains(ofListsAndTexts, name) {
			if name == "length" || !l.own.tested[name] {
				l.resultTaken(call, at)
			}
			return
		}
		if helper, _ := l.helper(call); helper == "shell.run" {
			if lacks(name, ofNoCommand, commandGives) {
				l.warnings = append(l.warnings, l.at(at, "ctx.shell.run gives "+commandGives+", and no "+name))
			}
			return
		}
		tool := l.resultOf(call)
		if tool == "" || !lacks(name, ofNoResult, resultGives) {
			return
		}
		msg := "the result of " + tool + " is " + resultGives + ", and has no " + name
		if tool == "bash" && strings.HasPrefix(name, "std") {
			msg += "; it is in data." + name
		}
		l.warnings = append(l.warnings, l.at(at, msg))
	})
	eachApart(node, func(of ast.Expression, at ast.Node) {
		if call := l.awaitedCall(of); call != nil && len(l.warnings) < maxWarnings {
			l.resultTaken(call, at)
		}
	})
}

// resultTaken warns where what a command or a tool gives is taken for a list or a text.
func (l *lint) resultTaken(call *ast.CallExpression, at ast.Node) {
	if helper, _ := l.helper(call); helper == "shell.run" {
		l.warnings = append(l.warnings, l.at(at, "ctx.shell.run gives "+commandGives+", and no text; what it printed is in stdout"))
	} else if tool := l.resultOf(call); tool != "" {
		l.warnings = append(l.warnings, l.at(at, "the result of "+tool+" is "+resultGives+", and no list or text; its entries are in data, its text is in text"))
	}
}

// lacks reports whether a member is one of those that are missing, or a misspelt one of those that
// are given.
func lacks(name string, missing []string, gives string) bool {
	members := membersOf(gives)
	return slices.Contains(missing, name) || len(name) > 3 && !slices.Contains(members, name) && spelling.Nearest(name, members) != ""
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
