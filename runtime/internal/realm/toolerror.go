package realm

import (
	"fmt"

	"github.com/dop251/goja"
)

// refuse rejects a call with a ToolError, and remembers which call the error is of.
func (r *Realm) refuse(call pendingCall, seq int, code, message string, result *goja.Object) error {
	build, err := r.function(toolErrorProgram())
	if err != nil {
		return err
	}
	var failed goja.Value = goja.Null()
	if result != nil {
		failed = result
	}
	place := ""
	if call.line > 0 {
		place = fmt.Sprintf("\n\tat %s:%d:%d(0)", r.from.shown(call.file, r.start.Name), call.line+r.start.LineOffset, call.col)
	}
	value, err := build(goja.Undefined(), r.vm.ToValue(code), r.vm.ToValue(call.tool),
		r.vm.ToValue(message), r.vm.ToValue(place), failed)
	if err != nil {
		return err
	}
	if object, ok := value.(*goja.Object); ok {
		if r.refusals == nil {
			r.refusals = map[*goja.Object]int{}
		}
		r.refusals[object] = seq
	}
	return call.reject(value)
}

// failedText is the message of the error of a call that failed.
func failedText(tool string, result *goja.Object, why string) string {
	text := fmt.Sprintf("tool %q failed", tool)
	if code := result.Get("exitCode"); code != nil && code.ToInteger() >= 0 {
		text += fmt.Sprintf(" with exit code %d", code.ToInteger())
	}
	if why != "" {
		text += ": " + why
	}
	return text
}

var toolErrorProgram = program("toolerror", `(function (code, tool, message, place, failed) {
  "use strict";
  const e = new Error(message);
  const own = (key, value) => Object.defineProperty(e, key, { value, writable: true, configurable: true, enumerable: false });
  own("name", "ToolError");
  own("stack", "ToolError: " + message + place);
  e.code = code;
  e.tool = tool;
  if (failed) {
    e.exitCode = failed.exitCode;
    e.output = failed.output;
  }
  return e;
})`)
