package realm

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

//go:embed lost.js
var lostSource string

var lostProgram = program("lost", lostSource)

// The most that is told of what a value loses as JSON, and looked at for it: some tens of
// milliseconds.
const (
	maxLost      = 10
	maxLostLooks = 20_000
	maxArgLooks  = 100 // at the arguments of a call
)

// mayLose reports whether something that JSON writes in another way can be in a value.
func (r *Realm) mayLose(text []byte) bool {
	if r.errorIn || bytes.Equal(text, []byte("null")) {
		return true
	}
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	for _, trace := range []string{"{}", `{"0":`, ":null", ",null", "[null"} {
		if bytes.Contains(text, []byte(trace)) {
			return true
		}
	}
	return false
}

// lost are the parts of a value that JSON writes as something else, in words.
func (r *Realm) lost(v goja.Value, text []byte, looks int) []string {
	if !r.mayLose(text) {
		return nil
	}
	find, err := r.function(lostProgram())
	if err != nil {
		return nil
	}
	isProxy := func(f goja.FunctionCall) goja.Value {
		return r.vm.ToValue(f.Argument(0).ExportType() == reflect.TypeFor[goja.Proxy]())
	}
	found, err := find(goja.Undefined(), v, r.vm.ToValue(maxLost), r.vm.ToValue(looks), r.vm.ToValue(isProxy))
	if err != nil {
		mustPropagate(err)
		return nil
	}
	if lines, ok := found.Export().(string); ok && lines != "" {
		return strings.Split(lines, "\n")
	}
	return nil
}

// unlike is the first of the arguments of a call that JSON writes as something else, in words;
// empty if there is none. It is told where a tool does not take what was written.
func (r *Realm) unlike(args *goja.Object, body []byte) string {
	const buffer = `{"type":"Buffer","data":[`
	if bytes.Contains(body, []byte(buffer)) {
		var parts map[string]json.RawMessage
		if json.Unmarshal(body, &parts) == nil {
			for _, name := range slices.Sorted(maps.Keys(parts)) {
				if bytes.HasPrefix(parts[name], []byte(buffer)) {
					return fmt.Sprintf("%s is a Buffer; use its text, toString(), or toString(\"base64\")", clip.Head(name, maxName))
				}
			}
		}
	}
	for _, line := range r.lost(args, body, maxArgLooks) {
		return strings.TrimPrefix(line, "value.")
	}
	return ""
}
