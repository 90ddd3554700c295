package realm

import (
	"reflect"
	"strconv"

	"github.com/dop251/goja"
)

// revive calls the reviver of JSON.parse for a property and all that is in it, from within.
func (r *Realm) revive(reviver goja.Callable, holder *goja.Object, key string) goja.Value {
	value := holder.Get(key)
	if value == nil {
		value = goja.Undefined()
	}
	if object, ok := value.(*goja.Object); ok {
		if r.nested++; r.nested > maxJSONDepth { // together with the calls around this one
			panic(r.newError("RangeError", "the value is nested too deep"))
		}
		defer func() { r.nested-- }()
		proxied, array := r.arrayOrProxy(object)
		if array {
			length := object.Get("length").ToInteger() // the reviver may change it
			for i := int64(0); i < length && !r.stopped.Load(); i++ {
				r.reviveInto(reviver, object, proxied, strconv.FormatInt(i, 10))
			}
		} else {
			for _, name := range object.Keys() {
				if r.stopped.Load() {
					break
				}
				r.reviveInto(reviver, object, proxied, name)
			}
		}
	}
	out, err := reviver(holder, r.vm.ToValue(key), value)
	if err != nil {
		panic(err)
	}
	return out
}

var proxyType = reflect.TypeFor[goja.Proxy]()

// arrayOrProxy tells arrays, as Array.isArray does, and proxies.
func (r *Realm) arrayOrProxy(object *goja.Object) (proxied, array bool) {
	for {
		if object.ExportType() != proxyType {
			return proxied, object.ClassName() == "Array"
		}
		proxy, _ := object.Export().(goja.Proxy)
		if proxied, object = true, proxy.Target(); object == nil {
			panic(r.newError("TypeError", "the proxy was revoked"))
		}
	}
}

// reviveInto puts what the reviver makes of a property in its place. A property that cannot be
// changed stays; what a trap of a proxy throws is thrown.
func (r *Realm) reviveInto(reviver goja.Callable, object *goja.Object, proxied bool, key string) {
	var err error
	if value := r.revive(reviver, object, key); goja.IsUndefined(value) {
		err = object.Delete(key)
	} else {
		err = object.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	if err != nil && proxied {
		panic(err)
	}
}
