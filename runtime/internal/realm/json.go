package realm

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// fromJSON makes a value of the realm.
func (r *Realm) fromJSON(text []byte) (goja.Value, error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || string(trimmed) == "{}" {
		return r.vm.NewObject(), nil
	}
	return r.parseJSON(string(text))
}

var errNoJSON = errors.New("it is not JSON")

// toJSON writes a value with the realm's JSON.stringify. It can run code of the script:
// toJSON methods and getters. undefined becomes null; a function or a symbol is not JSON.
func (r *Realm) toJSON(v goja.Value) ([]byte, error) {
	if text, ok := scalar(v); ok {
		return text, nil
	}
	text, err := r.json("stringify", v)
	if err != nil {
		return nil, err
	}
	if _, object := text.(*goja.Object); object || text.ExportType() == nil {
		return nil, errNoJSON
	}
	s, ok := text.Export().(string)
	if !ok {
		return nil, errNoJSON
	}
	return []byte(s), nil
}

// scalar writes values that JSON.stringify is not needed for.
func scalar(v goja.Value) ([]byte, bool) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return []byte("null"), true
	}
	switch v.(type) {
	case *goja.Object, *goja.Symbol: // Export would make text of a symbol
		return nil, false
	}
	switch x := v.Export().(type) {
	case bool, int64:
		text, err := json.Marshal(x)
		return text, err == nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return []byte("null"), true
		}
		return []byte(v.String()), true
	case string:
		if strings.ContainsRune(x, utf8.RuneError) { // perhaps half of a surrogate pair
			return nil, false
		}
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(x)
		return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err == nil
	}
	return nil, false
}

func (r *Realm) json(method string, arg goja.Value) (goja.Value, error) {
	object, ok := r.vm.Get("JSON").(*goja.Object)
	if !ok {
		return nil, errors.New("the script replaced JSON, which its runtime needs")
	}
	f, ok := goja.AssertFunction(object.Get(method))
	if !ok {
		return nil, errors.New("the script replaced JSON." + method + ", which its runtime needs")
	}
	return f(object, arg)
}

// mustPropagate panics with the errors that no script may catch: a stop, and a stack
// overflow. Native code that swallowed one would let the script continue.
func mustPropagate(err error) {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	if errors.As(err, &interrupted) || errors.As(err, &overflow) {
		panic(err)
	}
}
