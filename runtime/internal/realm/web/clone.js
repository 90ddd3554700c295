// structuredClone. It walks with a list of its own, not by recursion, so that a deep value
// is no deep stack.
(function (native, part) {
  "use strict";
  const { getPrototypeOf, defineProperty, keys, prototype: plain } = Object;
  const own = plain.hasOwnProperty, tagOf = plain.toString;
  const mapEntries = Map.prototype.entries, setValues = Set.prototype.values, timeOf = Date.prototype.getTime;
  // What few values need is made with the first of them: each class costs the realm.
  const once = (make) => { let made; return () => made ??= make(); };
  const errors = once(() => ({ Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }));
  const weak = once(() => [WeakMap, WeakSet, Symbol, ...typeof WeakRef === "function" ? [WeakRef] : []]);
  const views = once(() => ({ Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView, ...typeof Float16Array === "function" ? { Float16Array } : {} }));
  const viewName = once(() => Object.getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);

  const cannot = (what) => {
    const { DOMException } = part("exception");
    throw new DOMException(what + " could not be cloned.", "DataCloneError");
  };
  const hide = (object, key, value) => defineProperty(object, key, { value, writable: true, configurable: true });
  const put = (object, key, value) => {
    if (key in object) defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    else object[key] = value;
  };

  // made(value) is the copy of an object, without its parts; later gives it those.
  class Walk {
    constructor() {
      this.copies = new Map();
      this.queue = []; // from, to and what they hold, in turn
    }
    later(from, to, held) { this.queue.push(from, to, held); }
    copy(value) {
      if (typeof value === "symbol") cannot(String(value));
      if (typeof value === "function") cannot(String(value).slice(0, 200));
      if (typeof value !== "object" || value === null) return value;
      let copy = this.copies.get(value);
      if (copy === undefined) this.copies.set(value, copy = this.made(value));
      return copy;
    }
    made(value) {
      const kind = native.kind(value);
      switch (kind) {
        case "Array": {
          const copy = new Array(value.length);
          this.later(value, copy);
          return copy;
        }
        case "Object": {
          const proto = getPrototypeOf(value);
          return proto === plain || proto === null ? this.object(value) : this.instance(value);
        }
        case "Boolean": return Object(Boolean.prototype.valueOf.call(value));
        case "Number": return Object(Number.prototype.valueOf.call(value));
        case "String": return Object(String.prototype.valueOf.call(value));
        case "Date": return new Date(timeOf.call(value));
        case "RegExp": return new RegExp(value.source, value.flags);
        case "Map": {
          const copy = new Map();
          this.later(value, copy, [...mapEntries.call(value)]);
          return copy;
        }
        case "Set": {
          const copy = new Set();
          this.later(value, copy, [...setValues.call(value)]);
          return copy;
        }
        case "ArrayBuffer": return native.copy(value) || cannot("An ArrayBuffer that is detached");
        case "View": return this.view(value);
        case "Error": return this.error(value);
      }
      return cannot("#<" + kind + ">");
    }
    object(value) {
      const copy = {};
      this.later(value, copy);
      return copy;
    }
    // An instance of a class becomes a plain object, unless it is more than its properties.
    instance(value) {
      if (ArrayBuffer.isView(value)) return this.view(value); // a DataView
      if (value instanceof BigInt) {
        let big;
        try { big = BigInt.prototype.valueOf.call(value); } catch { return this.object(value); }
        return Object(big);
      }
      for (const Class of weak()) if (value instanceof Class) cannot("#<" + Class.name + ">");
      if (/^\[object (Generator|Arguments|.* Iterator)\]$/.test(tagOf.call(value))) cannot(tagOf.call(value));
      const blob = native.made("blob");
      if (blob !== null && blob.brand.is(value)) return blob.brand.copy(value);
      for (const name of ["events", "url", "searchparams"]) {
        const family = native.made(name);
        if (family !== null && family.isOwn(value)) cannot("#<" + name + ">");
      }
      return this.object(value);
    }
    view(value) {
      const name = viewName().call(value) || "DataView", buffer = this.copy(value.buffer);
      return new (views()[name])(buffer, value.byteOffset, name === "DataView" ? value.byteLength : value.length);
    }
    error(value) {
      const exceptions = native.made("exception");
      let copy;
      if (exceptions !== null && exceptions.isException(value)) {
        copy = new exceptions.DOMException(value.message, value.name);
      } else {
        const name = value.name === undefined ? "Error" : String(value.name);
        const message = Object.getOwnPropertyDescriptor(value, "message");
        const Class = own.call(errors(), name) ? errors()[name] : Error;
        copy = message !== undefined && "value" in message ? new Class(String(message.value)) : new Class();
        if (own.call(value, "cause")) {
          hide(copy, "cause", undefined);
          this.later(null, copy, value.cause);
        }
      }
      if (typeof value.stack === "string") hide(copy, "stack", value.stack);
      return copy;
    }
    // parts copies what the copies hold.
    parts() {
      const { queue } = this;
      for (let at = 0; at < queue.length; at += 3) {
        const from = queue[at], to = queue[at + 1], held = queue[at + 2];
        queue[at] = queue[at + 1] = queue[at + 2] = undefined;
        if (from === null) hide(to, "cause", this.copy(held));
        else if (held === undefined) {
          for (const key of keys(from)) {
            const value = from[key];
            if (value !== undefined || own.call(from, key)) put(to, key, this.copy(value));
          }
        } else if (to instanceof Map) for (const [k, v] of held) to.set(this.copy(k), this.copy(v));
        else for (const v of held) to.add(this.copy(v));
      }
    }
  }

  function structuredClone(value, options) {
    if (arguments.length === 0) throw new TypeError("structuredClone needs a value");
    if (options !== undefined && options !== null && typeof options !== "object" && typeof options !== "function") {
      throw new TypeError("the options of structuredClone are an object");
    }
    const transfer = new Set();
    for (const buffer of options?.transfer ?? []) {
      if (native.kind(buffer) !== "ArrayBuffer") cannot("Only an ArrayBuffer can be transferred; another value");
      if (transfer.has(buffer)) cannot("An ArrayBuffer that is transferred twice");
      if (native.detached(buffer)) cannot("An ArrayBuffer that is detached");
      transfer.add(buffer);
    }
    if (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol" && transfer.size === 0) return value;
    const walk = new Walk();
    for (const buffer of transfer) walk.copies.set(buffer, native.copy(buffer));
    const copy = walk.copy(value);
    walk.parts();
    for (const buffer of transfer) native.detach(buffer);
    return copy;
  }
  return { structuredClone };
})
