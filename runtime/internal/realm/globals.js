// Globals that the language does not have and every author expects. The whole
// is evaluated when the first of them is asked for; native is the host's side.
(function (native) {
  "use strict";

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return new Uint8Array(native.encode(String(text))); }
  }

  class TextDecoder {
    #fatal;
    constructor(label = "utf-8", options = {}) {
      if (!/^\s*utf-?8\s*$/i.test(label)) throw new RangeError("TextDecoder: only utf-8 is there, not " + label);
      this.#fatal = Boolean(options.fatal);
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    decode(bytes) { return bytes === undefined ? "" : native.decode(bytes, this.#fatal); }
  }

  class AbortSignal {
    #listeners = [];
    aborted = false;
    reason = undefined;
    onabort = null;
    addEventListener(type, listener) {
      if (type === "abort" && !this.#listeners.includes(listener)) this.#listeners.push(listener);
    }
    removeEventListener(type, listener) {
      if (type === "abort") this.#listeners = this.#listeners.filter((l) => l !== listener);
    }
    throwIfAborted() { if (this.aborted) throw this.reason; }
    static abort(reason) { return abort(new AbortSignal(), reason); }
    static timeout(ms) {
      const signal = new AbortSignal();
      native.setTimeout(() => abort(signal, named("TimeoutError", "the time is over")), ms);
      return signal;
    }
    static fire(signal) {
      const event = { type: "abort", target: signal };
      for (const l of [signal.onabort, ...signal.#listeners]) {
        if (typeof l === "function") l.call(signal, event);
        else if (l && typeof l.handleEvent === "function") l.handleEvent(event);
      }
    }
  }
  const fire = AbortSignal.fire;
  delete AbortSignal.fire;

  const named = (name, message) => Object.assign(new Error(message), { name });

  const abort = (signal, reason) => {
    if (!signal.aborted) {
      signal.aborted = true;
      signal.reason = reason === undefined ? named("AbortError", "it was aborted") : reason;
      fire(signal);
    }
    return signal;
  };

  class AbortController {
    signal = new AbortSignal();
    abort(reason) { abort(this.signal, reason); }
  }

  const cannot = (what) => { throw named("DataCloneError", what + " cannot be cloned"); };

  const clone = (value, seen) => {
    if (typeof value === "function" || typeof value === "symbol") cannot("a " + typeof value);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => { seen.set(value, copy); return copy; };
    if (Array.isArray(value)) {
      const copy = keep(new Array(value.length));
      for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
      return copy;
    }
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [k, v] of value) copy.set(clone(k, seen), clone(v, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const v of value) copy.add(clone(v, seen));
      return copy;
    }
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      const buffer = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
      return keep(value instanceof DataView ? new DataView(buffer) : new value.constructor(buffer));
    }
    if (value instanceof Boolean || value instanceof Number || value instanceof String) return keep(Object(value.valueOf()));
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) cannot("a " + value.constructor.name);
    const copy = keep(value instanceof Error ? new Error(value.message) : {});
    if (value instanceof Error) copy.name = value.name;
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  };

  const invalid = (what) => { throw named("InvalidCharacterError", what); };

  return {
    TextEncoder,
    TextDecoder,
    AbortController,
    AbortSignal,
    structuredClone: (value) => clone(value, new Map()),
    queueMicrotask: (callback) => {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask needs a function");
      Promise.resolve().then(() => callback());
    },
    atob: (text) => {
      const out = native.atob(String(text));
      return out === null ? invalid("atob: it is not base64") : out;
    },
    btoa: (text) => {
      const out = native.btoa(String(text));
      return out === null ? invalid("btoa: a character is above U+00FF; encode the text first") : out;
    },
  };
})
