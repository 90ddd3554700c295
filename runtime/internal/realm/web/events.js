// Event, CustomEvent and EventTarget. There is no tree: an event has one target.
(function (native) {
  "use strict";

  const NONE = 0, AT_TARGET = 2;
  let dispatching; // an object whose methods reach into events

  class Event {
    #type; #bubbles; #cancelable; #composed;
    #target = null; #current = null; #phase = NONE;
    #stopped = false; #stoppedNow = false; #canceled = false; #passive = false; #busy = false;
    #trusted = false;
    #time = native.elapsed();
    constructor(type, init) {
      if (arguments.length === 0) throw new TypeError("an Event needs a type");
      this.#type = `${type}`;
      if (init !== undefined && init !== null && typeof init !== "object" && typeof init !== "function") {
        throw new TypeError("the second argument of an Event is an object");
      }
      this.#bubbles = Boolean(init?.bubbles);
      this.#cancelable = Boolean(init?.cancelable);
      this.#composed = Boolean(init?.composed);
      Object.defineProperty(this, "isTrusted", isTrusted);
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get eventPhase() { return this.#phase; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get defaultPrevented() { return this.#canceled; }
    get returnValue() { return !this.#canceled; }
    set returnValue(value) { if (!value) this.preventDefault(); }
    get cancelBubble() { return this.#stopped; }
    set cancelBubble(value) { if (value) this.#stopped = true; }
    get timeStamp() { return this.#time; }
    composedPath() { return this.#current === null ? [] : [this.#current]; }
    stopPropagation() { this.#stopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#stoppedNow = true; }
    preventDefault() { if (this.#cancelable && !this.#passive) this.#canceled = true; }
    initEvent(type, bubbles = false, cancelable = false) {
      if (arguments.length === 0) throw new TypeError("initEvent needs a type");
      if (this.#busy) return;
      this.#type = `${type}`;
      this.#bubbles = Boolean(bubbles);
      this.#cancelable = Boolean(cancelable);
      this.#target = null;
      this.#stopped = this.#stoppedNow = this.#canceled = false;
    }
    static {
      dispatching = {
        is: (value) => typeof value === "object" && value !== null && #type in value,
        busy: (event) => event.#busy,
        begin(event, target) {
          event.#busy = true;
          event.#target = event.#current = target;
          event.#phase = AT_TARGET;
        },
        end(event) {
          event.#busy = event.#stopped = event.#stoppedNow = event.#passive = false;
          event.#current = null;
          event.#phase = NONE;
        },
        passive(event, value) { event.#passive = value; },
        stopped: (event) => event.#stopped,
        stoppedNow: (event) => event.#stoppedNow,
        trust(event) { event.#trusted = true; return event; },
        trusted: (event) => event.#trusted,
      };
    }
  }
  const isTrusted = {
    get: Object.getOwnPropertyDescriptor({ get isTrusted() { return dispatching.trusted(this); } }, "isTrusted").get,
    enumerable: true, configurable: false,
  };
  for (const holder of [Event, Event.prototype]) {
    ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"].forEach((name, i) =>
      Object.defineProperty(holder, name, { value: i, enumerable: true }));
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, init) {
      super(...arguments);
      this.#detail = init?.detail === undefined ? null : init.detail;
    }
    get detail() { return this.#detail; }
    initCustomEvent(type, bubbles, cancelable, detail = null) {
      this.initEvent(type, bubbles, cancelable);
      this.#detail = detail;
    }
  }

  // The abort signals of listeners; the part abort says what they are.
  const signals = { onAbort: (signal) => { throw new TypeError("the signal is no AbortSignal"); } };

  class EventTarget {
    #listeners = [];
    addEventListener(type, callback, options) {
      if (arguments.length < 2) throw new TypeError("addEventListener needs a type and a listener");
      const name = `${type}`, { capture, once, passive, signal } = flatten(options);
      if (signal !== undefined) {
        if (signals.aborted === undefined || !signals.is(signal)) throw new TypeError("the signal is no AbortSignal");
      }
      if (callback !== null && callback !== undefined && typeof callback !== "object" && typeof callback !== "function") {
        throw new TypeError("a listener is a function, or an object with handleEvent");
      }
      if (signal !== undefined && signals.aborted(signal)) return;
      if (callback === null || callback === undefined) return;
      for (const l of this.#listeners) if (l.type === name && l.callback === callback && l.capture === capture) return;
      const listener = { type: name, callback, capture, once, passive, removed: false };
      this.#listeners.push(listener);
      if (signal !== undefined) signals.then(signal, () => this.#remove(listener));
    }
    removeEventListener(type, callback, options) {
      if (arguments.length < 2) throw new TypeError("removeEventListener needs a type and a listener");
      const name = `${type}`, { capture } = flatten(options, true);
      if (callback !== null && callback !== undefined && typeof callback !== "object" && typeof callback !== "function") {
        throw new TypeError("a listener is a function, or an object with handleEvent");
      }
      for (const l of this.#listeners) {
        if (l.type === name && l.callback === callback && l.capture === capture) return this.#remove(l);
      }
    }
    dispatchEvent(event) {
      this.#listeners;
      if (!dispatching.is(event)) throw new TypeError("dispatchEvent needs an Event");
      if (dispatching.busy(event)) {
        const { DOMException } = signals.part("exception");
        throw new DOMException("the event is being dispatched", "InvalidStateError");
      }
      return this.#dispatch(event);
    }
    #remove(listener) {
      listener.removed = true;
      this.#listeners = this.#listeners.filter((l) => l !== listener);
    }
    #dispatch(event) {
      dispatching.begin(event, this);
      const here = this.#listeners.filter((l) => l.type === event.type);
      try {
        for (const l of [...here.filter((l) => l.capture), ...here.filter((l) => !l.capture)]) {
          if (dispatching.stoppedNow(event)) break;
          if (dispatching.stopped(event) && !l.capture && here.some((o) => o.capture)) break;
          if (l.removed) continue;
          if (l.once) this.#remove(l);
          dispatching.passive(event, l.passive);
          try {
            if (typeof l.callback === "function") l.callback.call(this, event);
            else {
              const handle = l.callback.handleEvent;
              if (typeof handle !== "function") throw new TypeError("handleEvent of the listener is no function");
              handle.call(l.callback, event);
            }
          } catch (error) {
            report(error);
          }
          dispatching.passive(event, false);
        }
      } finally {
        dispatching.end(event);
      }
      return !event.defaultPrevented;
    }
    static { signals.isTarget = (value) => typeof value === "object" && value !== null && #listeners in value; }
  }

  // An error of a listener is nobody's: it ends the run, as in Node.
  const report = (error) => native.after(0, true, () => { throw error; });

  const flatten = (options, remove) => {
    if (options === undefined || options === null) return { capture: false, once: false, passive: false };
    if (typeof options !== "object" && typeof options !== "function") return { capture: Boolean(options), once: false, passive: false };
    const capture = Boolean(options.capture);
    return remove ? { capture } : { capture, once: Boolean(options.once), passive: Boolean(options.passive), signal: options.signal };
  };

  for (const c of [Event, CustomEvent, EventTarget]) {
    Object.defineProperty(c.prototype, Symbol.toStringTag, { value: c.name, configurable: true });
  }
  for (const c of [Event, EventTarget]) {
    for (const key of Object.getOwnPropertyNames(c.prototype)) {
      if (key !== "constructor") Object.defineProperty(c.prototype, key, { enumerable: true });
    }
  }
  return { Event, CustomEvent, EventTarget, dispatching, signals, isOwn: (value) => dispatching.is(value) || signals.isTarget(value) };
})
