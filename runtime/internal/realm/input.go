package realm

import (
	"encoding/base64"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/web"
)

// input is copied(input): it returns the input for a command as arguments of the operation.
// It copies, since the script can change the bytes afterwards.
func (r *Realm) input(f goja.FunctionCall) goja.Value {
	args := r.vm.NewObject()
	key := "base64"
	var text string
	given := f.Argument(0)
	if words, ok := stringOf(given); ok {
		key, text = "text", words
	} else if data, ok := web.Bytes(given); ok {
		text = base64.StdEncoding.EncodeToString(data)
	} else if buffer, ok := given.(*goja.Object); ok && web.KindOf(buffer) == "ArrayBuffer" {
		bytes, _ := buffer.Export().(goja.ArrayBuffer)
		text = base64.StdEncoding.EncodeToString(bytes.Bytes())
	} else {
		panic(r.vm.NewTypeError("write takes a string, or bytes: a Uint8Array, a Buffer or an ArrayBuffer"))
	}
	if err := args.Set(key, text); err != nil {
		panic(err)
	}
	return args
}
