// What matchAll returns. step does one match: it returns the array, or null.
(function (step) {
  "use strict";

  class RegExpStringIterator {
    #matcher;
    #string;
    #global;
    #points;
    #done = false;
    constructor(matcher, string, global, points) {
      this.#matcher = matcher;
      this.#string = string;
      this.#global = global;
      this.#points = points;
    }
    next() {
      if (this.#done) return { value: undefined, done: true };
      const value = step(this.#matcher, this.#string, this.#global, this.#points);
      if (value === null || !this.#global) this.#done = true;
      return value === null ? { value: undefined, done: true } : { value, done: false };
    }
  }
  const proto = RegExpStringIterator.prototype;
  return [(matcher, string, global, points) => new RegExpStringIterator(matcher, string, global, points), proto];
})
