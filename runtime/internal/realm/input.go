package realm

import (
	"encoding/base64"

	"github.com/dop251/goja"
)

// input is copied(input): it returns the input for a command as arguments of the operation.
// It copies, since the script can change the bytes afterwards.
func (r *Realm) input(f goja.FunctionCall) goja.Value {
	args := r.vm.NewObject()
	key := "base64"
	var text string
	switch given := f.Argument(0).Export().(type) {
	case string:
		key, text = "text", given
	case []byte:
		text = base64.StdEncoding.EncodeToString(given)
	case goja.ArrayBuffer:
		text = base64.StdEncoding.EncodeToString(given.Bytes())
	default:
		panic(r.vm.NewTypeError("write takes a string, or bytes: a Uint8Array, a Buffer or an ArrayBuffer"))
	}
	if err := args.Set(key, text); err != nil {
		panic(err)
	}
	return args
}
