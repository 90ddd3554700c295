package realm

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// maxJSONDepth is how deep JSON may be nested.
const maxJSONDepth = 10_000

// jsonText reads JSON into values of a realm. The engine's own JSON.parse replaces halves of
// surrogate pairs, refuses 1e999, loses -0, recurses without end and takes three times as
// long; nothing in it looks whether the run is over.
type jsonText struct {
	r     *Realm
	text  string // UTF-8, in which halves of surrogate pairs are as three bytes
	at    int
	depth int
	parts int
}

// jsonError is a text that is no JSON.
type jsonError struct {
	text  string
	class string
}

// Error implements error.
func (e *jsonError) Error() string { return e.text }

// parseJSON reads a whole text.
func (r *Realm) parseJSON(text string) (goja.Value, error) {
	j := &jsonText{r: r, text: text}
	value, err := j.value()
	if err != nil {
		return nil, err
	}
	if j.space(); j.at < len(text) {
		return nil, j.unexpected()
	}
	return value, nil
}

func (j *jsonText) space() {
	for j.at < len(j.text) {
		switch j.text[j.at] {
		case ' ', '\t', '\n', '\r':
			j.at++
		default:
			return
		}
	}
}

func (j *jsonText) unexpected() error {
	if j.at >= len(j.text) {
		return &jsonError{text: "Unexpected end of JSON input", class: "SyntaxError"}
	}
	c, size := utf8.DecodeRuneInString(j.text[j.at:])
	shown := strconv.QuoteRune(c)
	if c == utf8.RuneError && size == 1 {
		shown = fmt.Sprintf("of byte %#x", j.text[j.at])
	}
	before := j.text[:j.at]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return &jsonError{text: fmt.Sprintf("Unexpected token %s in JSON at line %d, column %d", shown, line, column), class: "SyntaxError"}
}

func (j *jsonText) value() (goja.Value, error) {
	j.space()
	if j.at >= len(j.text) {
		return nil, j.unexpected()
	}
	if j.parts++; j.parts&0xfff == 0 && j.r.stopped.Load() {
		return nil, errStopped
	}
	switch c := j.text[j.at]; c {
	case '{', '[':
		if j.depth++; j.depth > maxJSONDepth {
			return nil, &jsonError{text: fmt.Sprintf("the JSON is nested more than %d deep", maxJSONDepth), class: "RangeError"}
		}
		j.at++
		var value goja.Value
		var err error
		if c == '{' {
			value, err = j.object()
		} else {
			value, err = j.array()
		}
		j.depth--
		return value, err
	case '"':
		j.at++
		return j.string()
	case 't':
		return j.word("true", j.r.vm.ToValue(true))
	case 'f':
		return j.word("false", j.r.vm.ToValue(false))
	case 'n':
		return j.word("null", goja.Null())
	}
	return j.number()
}

func (j *jsonText) word(word string, value goja.Value) (goja.Value, error) {
	for i := range len(word) {
		if j.at >= len(j.text) || j.text[j.at] != word[i] {
			return nil, j.unexpected()
		}
		j.at++
	}
	return value, nil
}

// number reads a number as the grammar of JSON has it.
func (j *jsonText) number() (goja.Value, error) {
	begin := j.at
	negative := j.take('-')
	digits := j.at
	switch {
	case j.take('0'):
	case !j.digits():
		return nil, j.unexpected()
	}
	whole := true
	if j.take('.') {
		if whole = false; !j.digits() {
			return nil, j.unexpected()
		}
	}
	if j.take('e') || j.take('E') {
		whole = false
		if !j.take('+') {
			j.take('-')
		}
		if !j.digits() {
			return nil, j.unexpected()
		}
	}
	if whole && j.at-digits <= 15 {
		n := int64(0)
		for _, c := range []byte(j.text[digits:j.at]) {
			n = n*10 + int64(c-'0')
		}
		if !negative {
			return j.r.vm.ToValue(n), nil
		}
		if n == 0 {
			return j.r.vm.ToValue(math.Copysign(0, -1)), nil
		}
		return j.r.vm.ToValue(-n), nil
	}
	x, _ := strconv.ParseFloat(j.text[begin:j.at], 64) // out of range, it is infinite or 0
	return j.r.vm.ToValue(x), nil
}

func (j *jsonText) take(c byte) bool {
	if j.at < len(j.text) && j.text[j.at] == c {
		j.at++
		return true
	}
	return false
}

func (j *jsonText) digits() bool {
	begin := j.at
	for j.at < len(j.text) && '0' <= j.text[j.at] && j.text[j.at] <= '9' {
		j.at++
	}
	return j.at > begin
}

func (j *jsonText) array() (goja.Value, error) {
	var items []any
	if j.space(); j.take(']') {
		return j.r.vm.NewArray(), nil
	}
	for {
		value, err := j.value()
		if err != nil {
			return nil, err
		}
		items = append(items, value)
		j.space()
		if j.take(']') {
			return j.r.vm.NewArray(items...), nil
		}
		if !j.take(',') {
			return nil, j.unexpected()
		}
	}
}

func (j *jsonText) object() (goja.Value, error) {
	object := j.r.vm.NewObject()
	if j.space(); j.take('}') {
		return object, nil
	}
	for {
		if j.space(); !j.take('"') {
			return nil, j.unexpected()
		}
		key, odd, err := j.key()
		if err != nil {
			return nil, err
		}
		if j.space(); !j.take(':') {
			return nil, j.unexpected()
		}
		value, err := j.value()
		if err != nil {
			return nil, err
		}
		if odd != nil {
			err = j.r.defineOdd(object, odd, value)
		} else {
			err = object.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
		if err != nil {
			return nil, err
		}
		j.space()
		if j.take('}') {
			return object, nil
		}
		if !j.take(',') {
			return nil, j.unexpected()
		}
	}
}

var defineProgram = program("define", `((object, key, value) => {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
})`)

// defineOdd sets a property whose name is no text of Go: it has half of a surrogate pair.
func (r *Realm) defineOdd(object *goja.Object, key, value goja.Value) error {
	define, err := r.function(defineProgram())
	if err == nil {
		_, err = define(goja.Undefined(), object, key, value)
	}
	return err
}

// callParse is JSON.parse.
func (r *Realm) callParse(f goja.FunctionCall) goja.Value {
	if _, ok := f.Argument(0).(*goja.Symbol); ok {
		panic(r.newError("TypeError", "JSON.parse needs a text, not a symbol"))
	}
	value, err := r.parseJSON(wideText(f.Argument(0).ToString()))
	if err != nil {
		if bad := (*jsonError)(nil); errors.As(err, &bad) {
			panic(r.newError(bad.class, bad.text))
		}
		if errors.Is(err, errStopped) {
			return goja.Undefined() // the engine stops at its next instruction
		}
		panic(err)
	}
	if reviver, ok := goja.AssertFunction(f.Argument(1)); ok {
		root := r.vm.NewObject()
		_ = root.DefineDataProperty("", value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE) // Set could meet a setter of Object.prototype
		return r.revive(reviver, root, "")
	}
	return value
}
