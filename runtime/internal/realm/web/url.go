package web

import (
	"fmt"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/weburl"
)

// urlNative has the functions of URL and URLSearchParams. An address is its text: it is
// parsed anew when a part of it is set, which takes a microsecond.
func (w *World) urlNative(native *goja.Object) {
	set(native, map[string]function{
		"parse": func(f goja.FunctionCall) goja.Value {
			u := w.parseURL(f.Argument(0), f.Argument(1))
			if u == nil {
				return goja.Null()
			}
			return w.parts(u)
		},
		"can": func(f goja.FunctionCall) goja.Value {
			return w.vm.ToValue(w.parseURL(f.Argument(0), f.Argument(1)) != nil)
		},
		"set": func(f goja.FunctionCall) goja.Value {
			u := w.parseURL(f.Argument(0), goja.Undefined())
			if u == nil {
				return goja.Null()
			}
			if part, value := f.Argument(1).String(), w.address(f.Argument(2)); part == "query" {
				u.SetQuery(value)
			} else {
				u.Set(part, value)
			}
			return w.parts(u)
		},
		"origin": func(f goja.FunctionCall) goja.Value {
			u := w.parseURL(f.Argument(0), goja.Undefined())
			if u == nil {
				return goja.Null()
			}
			return w.vm.ToValue(u.Origin())
		},
		"parseForm": func(f goja.FunctionCall) goja.Value {
			pairs := weburl.ParseForm(scalarText(f.Argument(0)))
			values := make([]any, len(pairs))
			for i, text := range pairs {
				values[i] = text
			}
			return w.vm.NewArray(values...)
		},
		"writeForm": func(f goja.FunctionCall) goja.Value {
			list, ok := f.Argument(0).(*goja.Object)
			if !ok {
				return goja.Null()
			}
			var pairs []string
			w.vm.ForOf(list, func(text goja.Value) bool {
				pairs = append(pairs, scalarText(text))
				return !w.host.Stopped()
			})
			return w.vm.ToValue(weburl.WriteForm(pairs))
		},
		// wellFormed replaces halves of surrogate pairs.
		"wellFormed": func(f goja.FunctionCall) goja.Value { return w.vm.ToValue(scalarText(f.Argument(0))) },
	})
}

// maxAddress bounds an address, in bytes: nothing in the parser looks whether the run is over.
const maxAddress = 16 << 20

// address is a text that is not too long.
func (w *World) address(v goja.Value) string {
	text := scalarText(v)
	if len(text) > maxAddress {
		w.fail("RangeError", "ERR_OUT_OF_RANGE", fmt.Sprintf("an address of more than %d bytes is not read", maxAddress))
	}
	return text
}

// parseURL parses a text, relative to a base unless that is undefined; nil if it is no
// address.
func (w *World) parseURL(text, base goja.Value) *weburl.URL {
	var from *weburl.URL
	if !goja.IsUndefined(base) {
		var ok bool
		if from, ok = weburl.Parse(w.address(base), nil); !ok {
			return nil
		}
	}
	u, ok := weburl.Parse(w.address(text), from)
	if !ok {
		return nil
	}
	return u
}

// parts is an address, and where its parts are in it, in the order of url.js.
func (w *World) parts(u *weburl.URL) goja.Value {
	href, at := u.Parts()
	return w.vm.NewArray(href, at.Protocol, at.Username, at.UsernameEnd, at.Password, at.PasswordEnd,
		at.Host, at.HostEnd, at.Port, at.PortEnd, at.Path, at.Search, at.Hash)
}
