// Iterator and the methods of iterators.
(function (kit, global) {
  "use strict";
  const { apply, isObject, TypeError, RangeError, step, done, close, fail, iterate, method, defineProperty, getPrototypeOf } = kit;
  const { Symbol } = kit;
  const { isNaN, trunc } = { isNaN: Number.isNaN, trunc: Math.trunc };
  const prototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  const { hasOwnProperty } = Object.prototype;

  function Iterator() {
    if (new.target === undefined || new.target === Iterator) throw new TypeError("Iterator is abstract: extend it, or use Iterator.from");
  }
  defineProperty(Iterator, "prototype", { value: prototype, writable: false, enumerable: false, configurable: false });
  kit.own(global, "Iterator", Iterator);

  // Both can be assigned to, which makes properties of the objects that inherit them.
  const weird = (key, value, name) => {
    const accessor = getAccessor(key, value, name);
    defineProperty(prototype, key, { get: accessor.get, set: accessor.set, enumerable: false, configurable: true });
  };
  const getAccessor = (key, value, name) => {
    const parts = {
      get [name]() { return value; },
      set [name](given) {
        if (!isObject(this)) throw new TypeError("Iterator.prototype is set on an object");
        if (this === prototype) throw new TypeError("Iterator.prototype cannot be changed");
        if (apply(hasOwnProperty, this, [key])) this[key] = given;
        else kit.put(this, key, given);
      },
    };
    const found = kit.getOwnPropertyDescriptor(parts, name);
    defineProperty(found.get, "name", { value: "get " + String(name) });
    return found;
  };
  weird(Symbol.toStringTag, "Iterator", Symbol.toStringTag);
  weird("constructor", Iterator, "constructor");
  const direct = (iterator) => ({ iterator, next: iterator.next });
  const receiver = (self) => {
    if (!isObject(self)) throw new TypeError("a method of iterators is called on an object");
  };
  const callable = (self, f) => {
    receiver(self);
    if (typeof f !== "function") fail(self, new TypeError(`${typeof f === "symbol" ? "a symbol" : typeof f === "object" ? "an object" : String(f)} is not a function`));
  };
  const count = (self, limit) => {
    receiver(self);
    let number;
    try {
      number = +limit;
    } catch (error) {
      fail(self, error);
    }
    if (isNaN(number)) fail(self, new RangeError(`${limit} must be a number`));
    number = trunc(number);
    if (number > 9007199254740991 && number !== Infinity) fail(self, new RangeError(`${limit} is too large`));
    if (number < 0) fail(self, new RangeError(`${limit} must be 0 or more`));
    return number;
  };

  // A helper takes values of its step, and its end closes what it reads.
  const START = 0, YIELDED = 1, RUNNING = 2, DONE = 3;
  class Helper {
    #step; #end; #state = START;
    constructor(advance, end) {
      this.#step = advance;
      this.#end = end;
    }
    static next(self) {
      if (self.#state === RUNNING) throw new TypeError("the iterator is running already");
      if (self.#state === DONE) return { value: undefined, done: true };
      self.#state = RUNNING;
      let value = done;
      try {
        value = self.#step();
      } finally {
        self.#state = value === done ? DONE : YIELDED;
      }
      return value === done ? { value: undefined, done: true } : { value, done: false };
    }
    static return(self) {
      switch (self.#state) {
        case RUNNING:
          throw new TypeError("the iterator is running already");
        case START:
          self.#state = DONE;
          self.#end(false);
          break;
        case YIELDED:
          self.#state = RUNNING;
          try {
            self.#end(true);
          } finally {
            self.#state = DONE;
          }
      }
      return { value: undefined, done: true };
    }
  }
  const { next: advance, return: end } = Helper;
  const helpers = Object.create(prototype);
  kit.define(helpers, {
    next() { return advance(this); },
    return() { return end(this); },
  });
  kit.tag(helpers, "Iterator Helper");
  const { setPrototypeOf } = Object;
  setPrototypeOf(Helper.prototype, helpers);
  const helper = (step, finish) => setPrototypeOf(new Helper(step, finish), helpers);
  const over = (record, each) => helper(each, () => close(record.iterator));

  // call calls a function of the script, which closes the iterator if it throws.
  const call = (record, f, a, b) => {
    try {
      return f(a, b);
    } catch (error) {
      fail(record.iterator, error);
    }
  };

  // flattable is the record of an object that can be iterated over, or is an iterator.
  const flattable = (value, texts) => {
    if (!isObject(value) && !(texts && typeof value === "string")) throw new TypeError("it is neither an iterator nor an iterable");
    const found = method(value, Symbol.iterator);
    const iterator = found === undefined ? value : apply(found, value, []);
    if (!isObject(iterator)) throw new TypeError("an iterator must be an object");
    return direct(iterator);
  };

  kit.define(prototype, {
    map(mapper) {
      callable(this, mapper);
      const record = direct(this);
      let n = 0;
      return over(record, () => {
        const value = step(record);
        return value === done ? done : call(record, mapper, value, n++);
      });
    },
    filter(predicate) {
      callable(this, predicate);
      const record = direct(this);
      let n = 0;
      return over(record, () => {
        for (;;) {
          const value = step(record);
          if (value === done || call(record, predicate, value, n++)) return value;
        }
      });
    },
    take(limit) {
      let left = count(this, limit);
      const record = direct(this);
      return over(record, () => {
        if (left === 0) {
          close(record.iterator);
          return done;
        }
        left--;
        return step(record);
      });
    },
    drop(limit) {
      let left = count(this, limit);
      const record = direct(this);
      return over(record, () => {
        for (; left > 0; left--) {
          if (step(record) === done) return done;
        }
        return step(record);
      });
    },
    flatMap(mapper) {
      callable(this, mapper);
      const record = direct(this);
      let n = 0, inner;
      return helper(() => {
        for (;;) {
          if (inner === undefined) {
            const value = step(record);
            if (value === done) return done;
            try {
              inner = flattable(mapper(value, n++), false);
            } catch (error) {
              fail(record.iterator, error);
            }
          }
          try {
            const value = step(inner);
            if (value !== done) return value;
            inner = undefined;
          } catch (error) {
            fail(record.iterator, error);
          }
        }
      }, () => {
        if (inner !== undefined) {
          try {
            close(inner.iterator);
          } catch (error) {
            fail(record.iterator, error);
          }
        }
        close(record.iterator);
      });
    },
    reduce(reducer, ...initial) {
      callable(this, reducer);
      const record = direct(this);
      let n = 0, sum;
      if (initial.length > 0) sum = initial[0];
      else {
        sum = step(record);
        if (sum === done) throw new TypeError("Reduce of an empty iterator with no initial value");
        n = 1;
      }
      for (let value; (value = step(record)) !== done; n++) {
        try {
          sum = reducer(sum, value, n);
        } catch (error) {
          fail(record.iterator, error);
        }
      }
      return sum;
    },
    toArray() {
      receiver(this);
      const record = direct(this), out = [];
      for (let value, n = 0; (value = step(record)) !== done;) kit.put(out, n++, value);
      return out;
    },
    forEach(f) {
      callable(this, f);
      const record = direct(this);
      for (let value, n = 0; (value = step(record)) !== done;) call(record, f, value, n++);
    },
    some(predicate) {
      callable(this, predicate);
      const record = direct(this);
      for (let value, n = 0; (value = step(record)) !== done;) {
        if (call(record, predicate, value, n++)) {
          close(record.iterator);
          return true;
        }
      }
      return false;
    },
    every(predicate) {
      callable(this, predicate);
      const record = direct(this);
      for (let value, n = 0; (value = step(record)) !== done;) {
        if (!call(record, predicate, value, n++)) {
          close(record.iterator);
          return false;
        }
      }
      return true;
    },
    find(predicate) {
      callable(this, predicate);
      const record = direct(this);
      for (let value, n = 0; (value = step(record)) !== done;) {
        if (call(record, predicate, value, n++)) {
          close(record.iterator);
          return value;
        }
      }
    },
  });
  defineProperty(prototype.reduce, "length", { value: 1 });

  // What Iterator.from makes of an iterator that does not inherit from Iterator.
  class Wrapper {
    #record;
    constructor(record) { this.#record = record; }
    static next(self) { return apply(self.#record.next, self.#record.iterator, []); }
    static return(self) {
      const { iterator } = self.#record;
      const found = method(iterator, "return");
      return found === undefined ? { value: undefined, done: true } : apply(found, iterator, []);
    }
  }
  const { next, return: finish } = Wrapper;
  const wrapped = kit.define(Object.create(prototype), {
    next() { return next(this); },
    return() { return finish(this); },
  });
  const { isPrototypeOf } = Object.prototype;
  kit.define(Iterator, {
    from(value) {
      const record = flattable(value, true);
      if (apply(isPrototypeOf, prototype, [record.iterator])) return record.iterator;
      return setPrototypeOf(new Wrapper(record), wrapped);
    },
    concat(...items) {
      const records = [];
      for (let i = 0; i < items.length; i++) {
        if (!isObject(items[i])) throw new TypeError("Iterator.concat takes iterables");
        const found = method(items[i], Symbol.iterator);
        if (found === undefined) throw new TypeError("Iterator.concat takes iterables");
        kit.put(records, i, { item: items[i], found });
      }
      let at = 0, inner;
      return helper(() => {
        for (;;) {
          if (inner === undefined) {
            if (at === records.length) return done;
            const { item, found } = records[at++];
            inner = iterate(item, found);
          }
          const value = step(inner);
          if (value !== done) return value;
          inner = undefined;
        }
      }, () => {
        if (inner !== undefined) close(inner.iterator);
        at = records.length;
      });
    },
  });
  defineProperty(Iterator.concat, "length", { value: 0 });
  kit.iterators = { Iterator, prototype, helper, direct, receiver, flattable };
})
