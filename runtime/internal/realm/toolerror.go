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
		place = fmt.Sprintf("\n\tat %s:%d:%d(0)", r.start.Name, call.line+r.start.LineOffset, call.col)
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

var toolErrorProgram = program("toolerror", `(function (code, tool, message, place, failed) {
  "use strict";
  if (failed && !message) {
    const data = failed.data && typeof failed.data === "object" ? failed.data : {};
    const line = (text) => String(text).trim().split("\n", 1)[0].slice(0, 200);
    const first = typeof data.stderr === "string" && line(data.stderr) || line(failed.output);
    message = "tool " + JSON.stringify(tool) + " failed" + (failed.exitCode < 0 ? "" : " with exit code " + failed.exitCode) + (first ? ": " + first : "");
    if (Array.isArray(data.refused)) {
      for (const refused of data.refused) message += "\n" + String(refused).slice(0, 400);
    }
  }
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
