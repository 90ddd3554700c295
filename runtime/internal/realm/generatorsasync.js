// Async generators, as the language has them. The body of one is a generator that yields a Wait for
// each await, and a Given for each value of what it delegates to.
(function (kit) {
  "use strict";
  const { Leave, method, checked, opened, noThrow } = kit;
  const { apply } = Reflect, { defineProperty, getPrototypeOf, setPrototypeOf } = Object;
  const { iterator, toStringTag, asyncIterator = Symbol.for("Symbol.asyncIterator") } = Symbol;
  const PromiseOf = Promise, resolvePromise = Promise.resolve, thenOf = Promise.prototype.then;
  const { next, throw: raise } = getPrototypeOf(function* () {}).prototype;
  const promiseOf = (value) => apply(resolvePromise, PromiseOf, [value]);
  const then = (promise, good, bad) => apply(thenOf, promise, [good, bad]);
  class Wait { constructor(value) { this.value = value } }
  class Given { constructor(value) { this.value = value } }

  // A State is that of one async generator: what asked of it is not answered yet, in order, and
  // how far its body is. It is begun once the body is, or never will be.
  class State {
    first; last; running = false; begun = false; done = false;
    constructor(generator) {
      this.generator = generator;
      generator.next = next; // its own, which no script can replace
      generator.throw = raise;
      this.goOn = (v) => { this.step(false, v); this.drain() };
      this.goWrong = (e) => { this.step(true, e); this.drain() };
      this.give = (v) => { this.settle(v, false); this.drain() };
    }
    wait(value, good, bad) {
      let promise;
      this.running = true;
      try { promise = promiseOf(value) } catch (e) { bad(e); return }
      then(promise, good, bad);
    }
    settle(value, done) {
      const { resolve } = this.first;
      this.first = this.first.after;
      this.running = false;
      resolve({ value, done });
    }
    fail(e) {
      const { reject } = this.first;
      this.first = this.first.after;
      this.running = false;
      reject(e);
    }
    step(throws, v) {
      this.running = this.begun = true;
      let result;
      try {
        result = throws ? this.generator.throw(v) : this.generator.next(v);
      } catch (e) {
        this.done = true;
        if (Leave.is(e)) this.settle(Leave.value(e), true);
        else this.fail(e);
        return;
      }
      const { value } = result;
      if (result.done) {
        this.done = true;
        this.settle(value, true);
      } else if (value instanceof Wait) this.wait(value.value, this.goOn, this.goWrong);
      else if (value instanceof Given) this.settle(value.value, false);
      else this.wait(value, this.give, this.goWrong);
    }
    drain() {
      while (this.first !== undefined && !this.running) {
        const { kind, value } = this.first;
        if (!this.begun && kind !== "next") this.begun = this.done = true;
        if (kind === "return") this.wait(value, this.done
          ? (v) => { this.settle(v, true); this.drain() }
          : (v) => { this.step(true, new Leave(v)); this.drain() }, this.done
          ? (e) => { this.fail(e); this.drain() }
          : this.goWrong);
        else if (!this.done) this.step(kind !== "next", value);
        else if (kind === "next") this.settle(undefined, true);
        else this.fail(value);
      }
    }
  }
  class AsyncGenerator {
    #state;
    constructor(generator) { this.#state = new State(generator) }
    static ask(object, kind, value) {
      return new PromiseOf((resolve, reject) => {
        if (Object(object) !== object || !(#state in object)) {
          reject(new TypeError(`${kind} was called on what is no async generator`));
          return;
        }
        const state = object.#state, request = { kind, value, resolve, reject, after: undefined };
        if (state.first === undefined) state.first = request;
        else state.last.after = request;
        state.last = request;
        state.drain();
      });
    }
    next(value) { return ask(this, "next", value) }
    return(value) { return ask(this, "return", value) }
    throw(e) { return ask(this, "throw", e) }
  }
  const { ask, prototype } = AsyncGenerator;
  delete prototype.constructor;
  defineProperty(prototype, toStringTag, { value: "AsyncGenerator", configurable: true });
  setPrototypeOf(prototype, defineProperty({}, asyncIterator, { value() { return this }, configurable: true, writable: true }));

  const async = (self, list, body, target) => {
    if (target !== undefined) throw new TypeError("an async generator is not a constructor");
    return new AsyncGenerator(apply(body, self, list ?? []));
  };

  // fromSync is an async iterator of an iterator.
  const fromSync = (inner) => {
    const next = inner.next;
    const settled = (result, closes) => {
      const { done, value } = result;
      let promise;
      const bad = (e) => {
        if (!done && closes) try { const close = method(inner, "return"); if (close !== undefined) apply(close, inner, []) } catch {}
        throw e;
      };
      try { promise = promiseOf(value) } catch (e) { bad(e) }
      return then(promise, (v) => ({ value: v, done: !!done }), bad);
    };
    return {
      __proto__: null,
      next: (v) => settled(checked(apply(next, inner, [v])), true),
      return: (v) => {
        const f = method(inner, "return");
        return f === undefined ? { value: v, done: true } : settled(checked(apply(f, inner, [v])), false);
      },
      throw: (e) => {
        const f = method(inner, "throw");
        if (f !== undefined) return settled(checked(apply(f, inner, [e])), true);
        const close = method(inner, "return");
        if (close !== undefined) checked(apply(close, inner, []));
        throw new TypeError(noThrow);
      },
    };
  };
  const looped = (source) => method(source, asyncIterator) === undefined ? fromSync(opened(source, iterator)) : opened(source, asyncIterator);
  // star is an iterator of what an async generator delegates to. It gives a Wait, and with what
  // comes of that either a Given or the end.
  const star = (source) => {
    const inner = looped(source);
    const next = inner.next;
    let waiting; // what to do with what is waited for
    const ask = (value, then) => { waiting = then; return { value: new Wait(value), done: false } };
    const answered = (result) => checked(result).done ? { value: result.value, done: true } : { value: new Given(result.value), done: false };
    const left = (result) => {
      if (checked(result).done) throw new Leave(result.value);
      return { value: new Given(result.value), done: false };
    };
    return {
      __proto__: null,
      [iterator]() { return this },
      next(v) {
        if (waiting === undefined) return ask(apply(next, inner, [v]), answered);
        const go = waiting;
        waiting = undefined;
        return go(v);
      },
      throw(e) {
        if (waiting !== undefined) {
          waiting = undefined;
          throw e;
        }
        if (Leave.is(e)) {
          const value = Leave.value(e), f = method(inner, "return");
          return f === undefined ? ask(value, (v) => { throw new Leave(v) }) : ask(apply(f, inner, [value]), left);
        }
        const f = method(inner, "throw");
        if (f !== undefined) return ask(apply(f, inner, [e]), answered);
        const close = method(inner, "return");
        const without = () => { throw new TypeError(noThrow) };
        return close === undefined ? without() : ask(apply(close, inner, []), (result) => { checked(result); without() });
      },
    };
  };
  return { async, await: Wait, star, looped };
})
