package realm

import (
	"strings"

	"github.com/dop251/goja"
)

// format writes the arguments of a call of console. If the first is a text, %s, %d, %i, %f,
// %j, %o, %O and %c in it stand for those that follow, as in Node.
func (r *Realm) format(args []goja.Value) string {
	if len(args) == 1 {
		return r.inspect(args[0])
	}
	var out strings.Builder
	if len(args) > 1 {
		if text, ok := stringOf(args[0]); ok && strings.IndexByte(text, '%') >= 0 {
			args = r.substitute(&out, text, args[1:])
			if len(args) > 0 {
				out.WriteByte(' ')
			}
		}
	}
	for i, arg := range args {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(r.inspect(arg))
	}
	return out.String()
}

func stringOf(v goja.Value) (string, bool) {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return "", false
	}
	text, ok := v.Export().(string)
	return text, ok
}

// substitute writes a text with arguments in the place of its marks, and returns those that
// are left.
func (r *Realm) substitute(out *strings.Builder, text string, args []goja.Value) []goja.Value {
	for {
		at := strings.IndexByte(text, '%')
		if at < 0 || at == len(text)-1 {
			out.WriteString(text)
			return args
		}
		out.WriteString(text[:at])
		mark := text[at+1]
		switch {
		case mark == '%':
			out.WriteByte('%')
			text = text[at+2:]
			continue
		case len(args) == 0 || !strings.ContainsRune("sdifjoOc", rune(mark)):
			out.WriteByte('%')
			text = text[at+1:]
			continue
		}
		text = text[at+2:]
		out.WriteString(r.mark(mark, args[0]))
		args = args[1:]
	}
}

// mark writes an argument as a mark says.
func (r *Realm) mark(mark byte, v goja.Value) string {
	object, isObject := v.(*goja.Object)
	_, isSymbol := v.(*goja.Symbol)
	switch mark {
	case 's':
		if isObject && object.ClassName() == "Error" {
			return object.String()
		}
		return r.inspect(v)
	case 'd', 'i', 'f':
		if isSymbol || isObject && mark == 'd' {
			return "NaN"
		}
		if isBigInt(v) && mark != 'f' {
			return v.String() + "n"
		}
		if mark == 'd' {
			return v.ToNumber().String()
		}
		parse, ok := goja.AssertFunction(r.vm.Get(map[byte]string{'i': "parseInt", 'f': "parseFloat"}[mark]))
		if !ok {
			return "NaN"
		}
		n, err := parse(goja.Undefined(), v)
		if err != nil {
			panic(err)
		}
		return n.String()
	case 'j':
		encoded, err := r.toJSON(v)
		if err != nil {
			mustPropagate(err)
			return "[Circular]"
		}
		return string(encoded)
	case 'c':
		return ""
	}
	if text, ok := stringOf(v); ok {
		return "'" + text + "'"
	}
	return r.inspect(v)
}
