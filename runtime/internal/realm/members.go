package realm

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// NoMember begins the warning of a member that ctx has not; its name follows.
const NoMember = "ctx has no member "

// ofAnyObject are members that ctx has as each object has them.
var ofAnyObject = strings.Fields("constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__")

// members warns of a member of ctx that there is not, where it is called or taken apart. A source
// that only asks for it may know that it is not there. Other things are called ctx too: of a
// parameter that is not the entry's, only what is nearly the name of a part is warned of.
func (l *lint) members(node any, around []any) {
	if len(l.warnings) >= maxWarnings || len(around) < 2 {
		return
	}
	at, name, sure := l.memberUsed(node, around[len(around)-1])
	if at == nil {
		at, name, sure = l.memberTaken(node, around)
	}
	if at != nil && !l.isPart(name) && !l.own.members[name] && !l.own.tested[name] && (sure || spelling.Nearest(name, Parts()) != "") {
		l.warnings = append(l.warnings, l.at(at, NoMember+name))
	}
}

// memberUsed is a member of something called ctx that is called or looked into, and whether that
// is what the entry is given; nil if a node is none.
func (l *lint) memberUsed(node, parent any) (at ast.Node, name string, sure bool) {
	dot, ok := node.(*ast.DotExpression)
	if !ok || !l.known(dot.Left).ctx {
		return nil, "", false
	}
	switch p := parent.(type) {
	case *ast.CallExpression:
		if p.Callee != ast.Expression(dot) {
			return nil, "", false
		}
	case *ast.DotExpression, *ast.AwaitExpression:
	default:
		return nil, "", false
	}
	return dot, dot.Identifier.Name.String(), l.known(dot.Left).first
}

// memberTaken is a name that a pattern takes of what the entry is given; nil if a node is none.
func (l *lint) memberTaken(node any, around []any) (at ast.Node, name string, sure bool) {
	if short, ok := node.(*ast.PropertyShort); ok && short.Initializer != nil { // there is something in its place
		return nil, "", false
	}
	target, name := takes(node)
	id, ok := target.(*ast.Identifier)
	if name == "" || !ok || len(around) < 4 {
		return nil, "", false
	}
	declared, _ := around[len(around)-2].(*ast.Binding)
	if declared == nil || declared.Target != around[len(around)-1] {
		return nil, "", false
	}
	parameters, _ := around[len(around)-3].(*ast.ParameterList)
	entry := parameters != nil && parameters.List[0] == declared && around[len(around)-4] == l.main
	if !entry && !l.known(declared.Initializer).first {
		return nil, "", false
	}
	return id, name, true
}

func (l *lint) isPart(name string) bool {
	return partNamed(name).name != "" || slices.Contains(ofAnyObject, name)
}
