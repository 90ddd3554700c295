// AbortController and AbortSignal.
(function (native, part) {
  "use strict";
  const { Event, EventTarget, dispatching, signals } = part("events");
  const { DOMException } = part("exception");
  let made = 0; // a signal is made by this part alone

  class AbortSignal extends EventTarget {
    #aborted = false; #reason = undefined;
    #steps = []; #sources = null; #dependents = [];
    #handler = null;
    constructor() {
      if (made === 0) throw new TypeError("Illegal constructor: AbortController, AbortSignal.abort, any and timeout make a signal");
      super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    get onabort() { return this.#handler === null ? null : this.#handler.callback; }
    set onabort(callback) {
      if (typeof callback !== "function" && (typeof callback !== "object" || callback === null)) callback = null;
      if (callback === null) {
        if (this.#handler !== null) this.removeEventListener("abort", this.#handler.listener);
        this.#handler = null;
      } else if (this.#handler !== null) {
        this.#handler.callback = callback;
      } else {
        const handler = { callback };
        handler.listener = (event) => {
          if (typeof handler.callback === "function") handler.callback.call(this, event);
        };
        this.#handler = handler;
        this.addEventListener("abort", handler.listener);
      }
    }
    static abort(reason) {
      const signal = make();
      signal.#aborted = true;
      signal.#reason = reason === undefined ? aborted() : reason;
      return signal;
    }
    static timeout(ms) {
      if (arguments.length === 0) throw new TypeError("AbortSignal.timeout needs milliseconds");
      const delay = Math.trunc(Number(ms));
      if (!(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) throw new TypeError("AbortSignal.timeout needs milliseconds, not " + String(ms));
      const signal = make();
      native.after(delay, false, () => AbortSignal.#abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")));
      return signal;
    }
    static any(given) {
      if (given === null || given === undefined || typeof given[Symbol.iterator] !== "function") throw new TypeError("AbortSignal.any needs a list of signals");
      const list = [...given];
      for (const s of list) if (!AbortSignal.#is(s)) throw new TypeError("AbortSignal.any needs a list of signals");
      const signal = make();
      for (const s of list) {
        if (s.#aborted) {
          signal.#aborted = true;
          signal.#reason = s.#reason;
          return signal;
        }
      }
      signal.#sources = new Set();
      for (const s of list) {
        for (const source of s.#sources === null ? [s] : s.#sources) {
          if (signal.#sources.has(source)) continue;
          signal.#sources.add(source);
          source.#dependents.push(signal);
        }
      }
      return signal;
    }
    static #is(value) { return typeof value === "object" && value !== null && #aborted in value; }
    static #abort(signal, reason) {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? aborted() : reason;
      const told = [signal];
      for (const d of signal.#dependents) {
        if (d.#aborted) continue;
        d.#aborted = true;
        d.#reason = signal.#reason;
        told.push(d);
      }
      signal.#dependents = [];
      for (const s of told) {
        const steps = s.#steps;
        s.#steps = [];
        for (const step of steps) step();
        made++;
        let event;
        try { event = dispatching.trust(new Event("abort")); } finally { made--; }
        s.dispatchEvent(event);
      }
    }
    static {
      signals.is = AbortSignal.#is;
      signals.aborted = (signal) => signal.#aborted;
      signals.then = (signal, step) => { signal.#steps.push(step); };
      signals.abort = AbortSignal.#abort;
    }
  }
  signals.part = part;

  const make = () => {
    made++;
    try { return new AbortSignal(); } finally { made--; }
  };
  const aborted = () => new DOMException("This operation was aborted", "AbortError");

  class AbortController {
    #signal = make();
    get signal() { return this.#signal; }
    abort(reason) { signals.abort(this.#signal, reason); }
  }

  for (const c of [AbortController, AbortSignal]) {
    Object.defineProperty(c.prototype, Symbol.toStringTag, { value: c.name, configurable: true });
    for (const key of Object.getOwnPropertyNames(c.prototype)) {
      if (key !== "constructor") Object.defineProperty(c.prototype, key, { enumerable: true });
    }
  }
  return { AbortController, AbortSignal };
})
