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
		if object.ClassName() == "Array" {
			for i := int64(0); i < object.Get("length").ToInteger() && !r.stopped.Load(); i++ {
				r.reviveInto(reviver, object, strconv.FormatInt(i, 10), depth)
			}
		} else {
			for _, name := range object.Keys() {
				if r.stopped.Load() {
					break
				}
				r.reviveInto(reviver, object, name, depth)
			}
		}
	}
	out, err := reviver(holder, r.vm.ToValue(key), value)
	if err != nil {
		panic(err)
	}
	return out
}

func (r *Realm) reviveInto(reviver goja.Callable, object *goja.Object, key string, depth int) {
	if value := r.revive(reviver, object, key, depth+1); goja.IsUndefined(value) {
		_ = object.Delete(key)
	} else {
		_ = object.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
}
