// structuredClone. It walks with a list of its own, not by recursion, so that a deep value
// is no deep stack.
(function (native, part) {
  "use strict";
  const { DOMException } = part("exception");
  const cannot = (what) => { throw new DOMException(what + " could not be cloned.", "DataCloneError"); };
  const own = Object.prototype.hasOwnProperty;
  const define = (object, key, value) =>
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });

  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const views = { Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView };
  if (typeof Float16Array === "function") views.Float16Array = Float16Array;
  const tag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
  const bigOf = BigInt.prototype.valueOf;
  const tagOf = Object.prototype.toString;
  const weak = [WeakMap, WeakSet];
  if (typeof WeakRef === "function") weak.push(WeakRef);
  const isBoxed = (of, value) => {
    try { of.call(value); return true; } catch { return false; }
  };

  // shell is the copy without its parts; fill adds what gives it those, later.
  const shell = (value, copies, fill) => {
    const kind = ArrayBuffer.isView(value) ? "View" : native.kind(value);
    switch (kind) {
      case "Array": {
        const copy = new Array(value.length);
        fill.push(value, copy);
        return copy;
      }
      case "Boolean": return Object(Boolean.prototype.valueOf.call(value));
      case "Number": return Object(Number.prototype.valueOf.call(value));
      case "String": return Object(String.prototype.valueOf.call(value));
      case "Date": return new Date(Date.prototype.getTime.call(value));
      case "RegExp": return new RegExp(value.source, value.flags);
      case "Map": {
        const copy = new Map();
        fill.push(value, copy, [...Map.prototype.entries.call(value)]);
        return copy;
      }
      case "Set": {
        const copy = new Set();
        fill.push(value, copy, [...Set.prototype.values.call(value)]);
        return copy;
      }
      case "ArrayBuffer": return native.copy(value) || cannot("An ArrayBuffer that is detached");
      case "View": {
        const name = tag.call(value) || "DataView";
        const buffer = inner(value.buffer, copies, fill);
        return name === "DataView" ? new DataView(buffer, value.byteOffset, value.byteLength)
          : new views[name](buffer, value.byteOffset, value.length);
      }
      case "Error": return error(value, copies, fill);
      case "Object": {
        if (value instanceof BigInt && isBoxed(bigOf, value)) return Object(bigOf.call(value));
        if (value instanceof Symbol || weak.some((c) => value instanceof c)) cannot("#<" + value.constructor?.name + ">");
        if (/^\[object (Generator|.* Iterator)\]$/.test(tagOf.call(value))) cannot(tagOf.call(value));
        const copy = platform(value) || {};
        if (!copied(copy)) fill.push(value, copy);
        return copy;
      }
    }
    return cannot("#<" + kind + ">");
  };

  const { brand } = part("blob");
  const { isException } = part("exception");
  const copied = (copy) => brand.is(copy);
  const platform = (value) => {
    if (brand.is(value)) return brand.copy(value);
    for (const name of ["events", "url", "searchparams"]) {
      const made = native.made(name);
      if (made !== null && made.isOwn(value)) cannot("#<" + name + ">");
    }
    return undefined;
  };

  const error = (value, copies, fill) => {
    if (isException(value)) {
      const copy = new DOMException(value.message, value.name);
      if (typeof value.stack === "string") Object.defineProperty(copy, "stack", { value: value.stack, writable: true, configurable: true });
      return copy;
    }
    const name = value.name === undefined ? "Error" : String(value.name);
    const message = Object.getOwnPropertyDescriptor(value, "message");
    const Class = own.call(errors, name) ? errors[name] : Error;
    const copy = message !== undefined && "value" in message ? new Class(String(message.value)) : new Class();
    if (typeof value.stack === "string") Object.defineProperty(copy, "stack", { value: value.stack, writable: true, configurable: true });
    if (own.call(value, "cause")) {
      Object.defineProperty(copy, "cause", { value: undefined, writable: true, configurable: true });
      fill.push(null, copy, value.cause);
    }
    return copy;
  };

  const inner = (value, copies, fill) => {
    if (typeof value === "symbol") cannot(String(value));
    if (typeof value === "function") cannot(String(value).slice(0, 200));
    if (typeof value !== "object" || value === null) return value;
    let copy = copies.get(value);
    if (copy === undefined) copies.set(value, copy = shell(value, copies, fill));
    return copy;
  };

  // What is pushed: an object and its copy, or the list of a Map's or Set's entries with
  // them, or null, an error and its cause.
  const clone = (value, transfer) => {
    const copies = new Map();
    for (const buffer of transfer) copies.set(buffer, native.copy(buffer));
    const queue = [];
    let at = 0;
    const fill = { push: (from, to, with_) => { queue.push({ from, to, with_ }); } };
    const copy = inner(value, copies, fill);
    while (at < queue.length) {
      const { from, to, with_ } = queue[at];
      queue[at++] = undefined;
      if (from === null) Object.defineProperty(to, "cause", { value: inner(with_, copies, fill), writable: true, configurable: true });
      else if (to instanceof Map) for (const [k, v] of with_) to.set(inner(k, copies, fill), inner(v, copies, fill));
      else if (to instanceof Set) for (const v of with_) to.add(inner(v, copies, fill));
      else for (const key of Object.keys(from)) if (own.call(from, key)) define(to, key, inner(from[key], copies, fill));
    }
    return copy;
  };

  function structuredClone(value, options) {
    if (arguments.length === 0) throw new TypeError("structuredClone needs a value");
    if (options !== undefined && options !== null && typeof options !== "object" && typeof options !== "function") {
      throw new TypeError("the options of structuredClone are an object");
    }
    const given = options?.transfer === undefined ? [] : [...options.transfer];
    const transfer = new Set();
    for (const buffer of given) {
      if (native.kind(buffer) !== "ArrayBuffer") cannot("Only an ArrayBuffer can be transferred; another value");
      if (transfer.has(buffer)) cannot("An ArrayBuffer that is transferred twice");
      if (native.detached(buffer)) cannot("An ArrayBuffer that is detached");
      transfer.add(buffer);
    }
    const copy = clone(value, transfer);
    for (const buffer of transfer) native.detach(buffer);
    return copy;
  }
  return { structuredClone };
})
