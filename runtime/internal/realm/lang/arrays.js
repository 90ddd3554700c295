// Array.fromAsync.
(function (kit, global) {
  "use strict";
  const { TypeError, Symbol, method, apply, isObject, iterate, done, step, construct } = kit;
  const { Array, Object, Proxy } = global;
  const { asyncIterator } = Symbol;
  const handler = { construct: () => ({}) };
  const isConstructor = (C) => {
    try {
      new (new Proxy(C, handler))();
      return true;
    } catch {
      return false;
    }
  };
  const { min, trunc } = Math;
  const max = Number.MAX_SAFE_INTEGER;
  const lengthOf = (object) => {
    const n = trunc(+object.length);
    return n > 0 ? min(n, max) : 0;
  };
  const { defineProperty } = Object;

  // close waits for an iterator to end; the error that is on its way hides those of closing.
  const fail = async (record, async, error) => {
    try {
      const end = method(record.iterator, "return");
      if (end !== undefined) {
        const ended = apply(end, record.iterator, []);
        if (async) await ended;
      }
    } catch {}
    throw error;
  };
  const collect = async (C, items, mapper, self) => {
    if (mapper !== undefined && typeof mapper !== "function") throw new TypeError("the second argument of Array.fromAsync is not a function");
    const fromAsync = asyncIterator === undefined ? undefined : method(items, asyncIterator);
    const fromSync = fromAsync === undefined ? method(items, Symbol.iterator) : undefined;
    const make = (...args) => isConstructor(C) ? construct(C, args) : args.length > 0 ? new Array(args[0]) : [];
    const set = (target, n, value) => { defineProperty(target, n, { value, writable: true, enumerable: true, configurable: true }); };
    if (fromAsync === undefined && fromSync === undefined) {
      const list = Object(items), n = lengthOf(list), out = make(n);
      for (let i = 0; i < n; i++) {
        let value = await list[i];
        if (mapper !== undefined) value = await apply(mapper, self, [value, i]);
        set(out, i, value);
      }
      out.length = n;
      return out;
    }
    const out = make();
    const record = iterate(items, fromAsync || fromSync);
    for (let n = 0; ; n++) {
      let value;
      if (fromAsync !== undefined) {
        const result = await apply(record.next, record.iterator, []);
        if (!isObject(result)) throw new TypeError("the result of an iterator must be an object");
        value = result.done ? done : result.value;
      } else {
        value = step(record);
        if (value !== done) {
          try {
            value = await value;
          } catch (error) {
            await fail(record, false, error);
          }
        }
      }
      if (value === done) {
        out.length = n;
        return out;
      }
      try {
        if (mapper !== undefined) value = await apply(mapper, self, [value, n]);
        set(out, n, value);
      } catch (error) {
        await fail(record, fromAsync !== undefined, error);
      }
    }
  };
  kit.missing(Array, {
    fromAsync(items, mapper = undefined, self = undefined) { return collect(this, items, mapper, self); },
  });
})
