// performance: a clock that counts from the beginning of the run.
(function (native) {
  "use strict";
  let made = false;
  const start = native.now() - native.elapsed();
  class Performance {
    #own = true;
    constructor() { if (made) throw new TypeError("Illegal constructor"); }
    now() { this.#own; return native.elapsed(); }
    get timeOrigin() { this.#own; return start; }
    toJSON() { return { timeOrigin: this.timeOrigin }; }
  }
  Object.defineProperty(Performance.prototype, Symbol.toStringTag, { value: "Performance", configurable: true });
  const performance = new Performance();
  made = true;
  return { performance, Performance };
})
