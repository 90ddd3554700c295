// The newer methods: Iterator.zip and zipKeyed, and chunks, windows and includes.
(function (kit) {
  "use strict";
  const { TypeError, RangeError, Symbol, isObject, method, iterate, step, done, close, fail, ownKeys, getOwnPropertyDescriptor } = kit;
  const { Iterator, prototype, helper, direct, receiver, flattable } = kit.iterators;
  const { isInteger } = Number;
  const create = Object.create;
  const push = (list, value) => kit.put(list, list.length, value);

  // closeAll closes iterators, the last one first. The first error counts.
  const closeAll = (list, failed) => {
    for (let i = list.length - 1; i >= 0; i--) {
      if (list[i] === undefined) continue;
      try {
        if (failed) fail(list[i].iterator, failed.error);
        else close(list[i].iterator);
      } catch (error) {
        failed = { error };
      }
    }
    if (failed) throw failed.error;
  };
  // or closes iterators if f fails.
  const or = (list, f) => {
    try {
      return f();
    } catch (error) {
      closeAll(list, { error });
    }
  };
  const modeOf = (given) => {
    const options = given === undefined ? create(null) : given;
    if (!isObject(options)) throw new TypeError("the options must be an object");
    let { mode } = options;
    if (mode === undefined) mode = "shortest";
    if (mode !== "shortest" && mode !== "longest" && mode !== "strict") throw new TypeError("the mode must be shortest, longest or strict");
    const padding = mode === "longest" ? options.padding : undefined;
    if (padding !== undefined && !isObject(padding)) throw new TypeError("the padding must be an object");
    return { mode, padding };
  };

  const zip = (iterators, mode, padding, finish) => {
    const open = [], n = iterators.length;
    for (let i = 0; i < n; i++) push(open, iterators[i]);
    let left = n;
    const gone = (i) => {
      open[i] = undefined;
      left--;
    };
    const take = (i) => {
      let value;
      try {
        value = step(iterators[i]);
      } catch (error) {
        gone(i);
        closeAll(open, { error });
      }
      if (value === done) gone(i);
      return value;
    };
    const uneven = { error: new TypeError("an iterator has ended before the others") };
    return helper(() => {
      if (n === 0) return done;
      const values = [];
      for (let i = 0; i < n; i++) {
        let value = iterators[i] === null ? padding[i] : take(i);
        if (value === done) {
          if (mode === "shortest") {
            closeAll(open);
            return done;
          }
          if (mode === "strict") {
            if (i > 0) closeAll(open, uneven);
            for (let k = 1; k < n; k++) {
              if (take(k) !== done) closeAll(open, uneven);
            }
            return done;
          }
          if (left === 0) return done;
          iterators[i] = null;
          value = padding[i];
        }
        push(values, value);
      }
      return finish(values);
    }, () => closeAll(open));
  };

  kit.define(Iterator, {
    zip(iterables, options = undefined) {
      if (!isObject(iterables)) throw new TypeError("Iterator.zip takes an iterable of iterables");
      const { mode, padding } = modeOf(options);
      const iterators = [], pads = [];
      const found = method(iterables, Symbol.iterator);
      if (found === undefined) throw new TypeError("Iterator.zip takes an iterable of iterables");
      const input = iterate(iterables, found);
      for (;;) {
        const value = or(iterators, () => step(input));
        if (value === done) break;
        let one;
        try {
          one = flattable(value, false);
        } catch (error) {
          const all = [input];
          for (let i = 0; i < iterators.length; i++) push(all, iterators[i]);
          closeAll(all, { error });
        }
        push(iterators, one);
      }
      if (mode === "longest" && padding !== undefined) {
        let from = or(iterators, () => {
          const found = method(padding, Symbol.iterator);
          if (found === undefined) throw new TypeError("the padding is not iterable");
          return iterate(padding, found);
        });
        for (let i = 0; i < iterators.length; i++) {
          const value = from === undefined ? undefined : or(iterators, () => step(from));
          if (value === done) from = undefined;
          push(pads, value === done ? undefined : value);
        }
        if (from !== undefined) or(iterators, () => close(from.iterator));
      }
      return zip(iterators, mode, pads, (values) => values);
    },
    zipKeyed(iterables, options = undefined) {
      if (!isObject(iterables)) throw new TypeError("Iterator.zipKeyed takes an object of iterables");
      const { mode, padding } = modeOf(options);
      const iterators = [], pads = [], keys = [], all = ownKeys(iterables);
      for (let i = 0; i < all.length; i++) {
        const property = or(iterators, () => getOwnPropertyDescriptor(iterables, all[i]));
        if (property === undefined || !property.enumerable) continue;
        const value = or(iterators, () => iterables[all[i]]);
        if (value === undefined) continue;
        push(keys, all[i]);
        push(iterators, or(iterators, () => flattable(value, false)));
      }
      if (mode === "longest" && padding !== undefined) {
        for (let i = 0; i < keys.length; i++) push(pads, or(iterators, () => padding[keys[i]]));
      }
      return zip(iterators, mode, pads, (values) => {
        const out = create(null);
        for (let i = 0; i < keys.length; i++) kit.put(out, keys[i], values[i]);
        return out;
      });
    },
  });

  const size = (self, given) => {
    if (!isInteger(given)) fail(self, new TypeError("the size must be an integer"));
    if (given < 1 || given > 4294967295) fail(self, new RangeError("the size must be 1 to 4294967295"));
  };
  kit.define(prototype, {
    chunks(chunkSize) {
      receiver(this);
      size(this, chunkSize);
      const record = direct(this);
      let ended = false;
      return helper(() => {
        const chunk = [];
        while (!ended && chunk.length < chunkSize) {
          const value = step(record);
          if (value === done) ended = true;
          else push(chunk, value);
        }
        return chunk.length === 0 ? done : chunk;
      }, () => { if (!ended) close(record.iterator); });
    },
    windows(windowSize, undersized = undefined) {
      receiver(this);
      size(this, windowSize);
      if (undersized === undefined) undersized = "only-full";
      if (undersized !== "only-full" && undersized !== "allow-partial") fail(this, new TypeError("undersized must be only-full or allow-partial"));
      const record = direct(this);
      let last = [], full = false, ended = false;
      return helper(() => {
        if (ended) return done;
        const next = [];
        for (let i = full ? 1 : 0; i < last.length; i++) push(next, last[i]);
        for (;;) {
          const value = step(record);
          if (value === done) {
            ended = true;
            return full || undersized === "only-full" || next.length === 0 ? done : next;
          }
          push(next, value);
          if (next.length < windowSize) continue;
          full = true;
          last = next;
          const out = [];
          for (let i = 0; i < next.length; i++) push(out, next[i]);
          return out;
        }
      }, () => { if (!ended) close(record.iterator); });
    },
    includes(searchElement, ...rest) {
      receiver(this);
      let skip = rest[0] === undefined ? 0 : rest[0];
      if (skip !== Infinity && skip !== -Infinity && !isInteger(skip)) fail(this, new TypeError("the number of skipped elements must be an integer"));
      if (skip < 0 || skip > 9007199254740991 && skip !== Infinity) fail(this, new RangeError("the number of skipped elements is out of range"));
      const record = direct(this);
      for (let value; (value = step(record)) !== done;) {
        if (skip > 0) {
          skip--;
          continue;
        }
        if (value === searchElement || value !== value && searchElement !== searchElement) {
          close(record.iterator);
          return true;
        }
      }
      return false;
    },
  });
})
