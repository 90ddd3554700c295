package web

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // scripts ask for it by name: git, and old signatures
	"crypto/sha256"
	"crypto/sha512"
	"hash"

	"github.com/dop251/goja"
)

// hashes are those of the web.
var hashes = map[string]func() hash.Hash{"SHA-1": sha1.New, "SHA-256": sha256.New, "SHA-384": sha512.New384, "SHA-512": sha512.New}

func (w *World) cryptoNative(native *goja.Object) {
	buffer := func(data []byte) goja.Value { return w.vm.ToValue(w.vm.NewArrayBuffer(data)) }
	set(native, map[string]function{
		// fill fills a Uint8Array with random bytes.
		"fill": func(f goja.FunctionCall) goja.Value {
			w.host.Random(bytesOf(f.Argument(0)))
			return goja.Undefined()
		},
		"digest": func(f goja.FunctionCall) goja.Value {
			made, ok := hashes[f.Argument(0).String()]
			if !ok {
				return goja.Null()
			}
			return buffer(w.sum(made(), bytesOf(f.Argument(1))))
		},
		"hmac": func(f goja.FunctionCall) goja.Value {
			made, ok := hashes[f.Argument(0).String()]
			if !ok {
				return goja.Null()
			}
			return buffer(w.sum(hmac.New(made, bytesOf(f.Argument(1))), bytesOf(f.Argument(2))))
		},
		"equal": func(f goja.FunctionCall) goja.Value {
			return w.vm.ToValue(hmac.Equal(bytesOf(f.Argument(0)), bytesOf(f.Argument(1))))
		},
	})
}

// sum hashes, and looks whether the run is over.
func (w *World) sum(h hash.Hash, data []byte) []byte {
	const chunk = 1 << 20
	for len(data) > chunk && !w.host.Stopped() {
		_, _ = h.Write(data[:chunk]) // it never fails
		data = data[chunk:]
	}
	_, _ = h.Write(data[:min(len(data), chunk)]) // likewise
	return h.Sum(nil)
}
