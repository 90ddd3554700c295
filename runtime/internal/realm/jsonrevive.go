package realm

import (
	"strconv"

	"github.com/dop251/goja"
)

// revive calls the reviver of JSON.parse for a property and all that is in it, from within.
func (r *Realm) revive(reviver goja.Callable, holder *goja.Object, key string, depth int) goja.Value {
	value := holder.Get(key)
	if value == nil {
		value = goja.Undefined()
	}
	if object, ok := value.(*goja.Object); ok {
		if depth > maxJSONDepth {
			panic(r.newError("RangeError", "the value is nested too deep"))
		}
		proxied, array := r.arrayOrProxy(object)
		if array {
			length := object.Get("length").ToInteger() // the reviver may change it
			for i := int64(0); i < length && !r.stopped.Load(); i++ {
				r.reviveInto(reviver, object, proxied, strconv.FormatInt(i, 10), depth)
			}
		} else {
			for _, name := range object.Keys() {
				if r.stopped.Load() {
					break
				}
				r.reviveInto(reviver, object, proxied, name, depth)
			}
		}
	}
	out, err := reviver(holder, r.vm.ToValue(key), value)
	if err != nil {
		panic(err)
	}
	return out
}

// arrayOrProxy tells arrays, as Array.isArray does, and proxies.
func (r *Realm) arrayOrProxy(object *goja.Object) (proxied, array bool) {
	for {
		proxy, ok := object.Export().(goja.Proxy)
		if !ok {
			return proxied, object.ClassName() == "Array"
		}
		if proxied, object = true, proxy.Target(); object == nil {
			panic(r.newError("TypeError", "the proxy was revoked"))
		}
	}
}

// reviveInto puts what the reviver makes of a property in its place. A property that cannot be
// changed stays; what a trap of a proxy throws is thrown.
func (r *Realm) reviveInto(reviver goja.Callable, object *goja.Object, proxied bool, key string, depth int) {
	var err error
	if value := r.revive(reviver, object, key, depth+1); goja.IsUndefined(value) {
		err = object.Delete(key)
	} else {
		err = object.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	if err != nil && proxied {
		panic(err)
	}
}
