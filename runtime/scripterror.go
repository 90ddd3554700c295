package runtime

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// ScriptError is what went wrong in a run, for the author of the script. [Report.Err] wraps
// it.
type ScriptError struct {
	// Name is the name of the thrown error, such as TypeError; empty for [OutcomeFailed].
	Name string
	// Code is set if a refused or failed call is the reason.
	Code    hostapi.Code
	Message string
	// Pos is in the author's file; its Line is 0 if the place is unknown.
	Pos Position
	// Frame is the line at Pos with a caret; empty if the place is unknown.
	Frame string
	// Stack has the frames in the author's file, innermost first.
	Stack []StackFrame
	// Data is what the script gave to ctx.fail besides its message, as JSON; nil for none.
	Data json.RawMessage
	// Violations lists what breaks a schema, if that is the reason.
	Violations []schema.Violation
}

// StackFrame is one function of a stack.
type StackFrame struct {
	Func string // empty for top-level code and unnamed functions
	Pos  Position
}

// Error is "position: Name: Message".
func (e *ScriptError) Error() string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if e.Pos.Line > 0 {
		text = e.Pos.String() + ": " + text
	}
	return text
}

// stackText is the stack in the format of JavaScript.
func (e *ScriptError) stackText() string {
	if len(e.Stack) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Name, e.Message)
	for _, f := range e.Stack {
		if f.Func == "" {
			fmt.Fprintf(&b, "\n    at %s", f.Pos)
		} else {
			fmt.Fprintf(&b, "\n    at %s (%s)", f.Func, f.Pos)
		}
	}
	return b.String()
}
