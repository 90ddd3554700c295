// Methods of arrays that ask a proxy whether it has an element before they take it. The engine
// asks everything but proxies, so that it does the rest.
(function (kit, global, native) {
  "use strict";
  const { apply, construct, TypeError, RangeError, Symbol, isObject, put, define } = kit;
  const { Array, Object } = global;
  const { prototype, isArray } = Array;
  const { min, max, trunc } = Math;
  const { isConcatSpreadable, species } = Symbol;
  const proxied = native.isProxied;
  const most = Number.MAX_SAFE_INTEGER;
  const whole = (value) => trunc(+value) || 0;
  const lengthOf = (list) => min(max(whole(list.length), 0), most);
  const callable = (f) => {
    if (typeof f !== "function") throw new TypeError(`${typeof f === "symbol" ? "a symbol" : f} is not a function`);
  };
  const make = (list, length) => {
    if (isArray(list)) {
      let C = list.constructor;
      if (isObject(C)) C = C[species];
      if (C !== undefined && C !== null) {
        if (typeof C !== "function") throw new TypeError("the species is not a constructor");
        return construct(C, [length]);
      }
    }
    if (length > 4294967295) throw new RangeError("Invalid array length");
    return new Array(length);
  };

  // walk calls a function with the elements that are there, until it returns true.
  const walk = (list, callback, visit) => {
    const length = lengthOf(list);
    callable(callback);
    for (let k = 0; k < length; k++) {
      if (k in list && visit(list[k], k)) return true;
    }
    return false;
  };
  const reduce = (list, callback, initial, from, to, step) => {
    callable(callback);
    let k = from, value, known = initial.length > 0;
    if (known) value = initial[0];
    for (; k !== to; k += step) {
      if (!(k in list)) continue;
      value = known ? apply(callback, undefined, [value, list[k], k, list]) : list[k];
      known = true;
    }
    if (!known) throw new TypeError("Reduce of empty array with no initial value");
    return value;
  };
  const place = (value, length) => {
    const n = whole(value);
    return n < 0 ? max(n + length, 0) : min(n, length);
  };

  const right = {
    forEach(callback, self = undefined) {
      walk(this, callback, (value, k) => { apply(callback, self, [value, k, this]); });
    },
    some(callback, self = undefined) {
      return walk(this, callback, (value, k) => !!apply(callback, self, [value, k, this]));
    },
    every(callback, self = undefined) {
      return !walk(this, callback, (value, k) => !apply(callback, self, [value, k, this]));
    },
    map(callback, self = undefined) {
      const length = lengthOf(this);
      callable(callback);
      const out = make(this, length);
      for (let k = 0; k < length; k++) {
        if (k in this) put(out, k, apply(callback, self, [this[k], k, this]));
      }
      return out;
    },
    filter(callback, self = undefined) {
      const length = lengthOf(this);
      callable(callback);
      const out = make(this, 0);
      for (let k = 0, n = 0; k < length; k++) {
        if (!(k in this)) continue;
        const value = this[k];
        if (apply(callback, self, [value, k, this])) put(out, n++, value);
      }
      return out;
    },
    reduce(callback, ...initial) {
      return reduce(this, callback, initial, 0, lengthOf(this), 1);
    },
    reduceRight(callback, ...initial) {
      return reduce(this, callback, initial, lengthOf(this) - 1, -1, -1);
    },
    slice(start, end) {
      const length = lengthOf(this);
      let k = place(start, length);
      const to = end === undefined ? length : place(end, length);
      const out = make(this, max(to - k, 0));
      let n = 0;
      for (; k < to; k++, n++) if (k in this) put(out, n, this[k]);
      out.length = n;
      return out;
    },
    concat(...items) {
      const out = make(this, 0);
      let n = 0;
      const add = (item) => {
        const spread = isObject(item) ? item[isConcatSpreadable] : false;
        if (!(spread === undefined ? isArray(item) : spread)) {
          if (n >= most) throw new TypeError("the array would be too long");
          put(out, n++, item);
          return;
        }
        const length = lengthOf(item);
        if (n + length > most) throw new TypeError("the array would be too long");
        for (let k = 0; k < length; k++, n++) if (k in item) put(out, n, item[k]);
      };
      add(this);
      for (let i = 0; i < items.length; i++) add(items[i]);
      out.length = n;
      return out;
    },
  };
  kit.defineProperty(right.concat, "length", { value: 1 });

  // choose is a function that is ours for proxies alone.
  const choose = (name) => {
    const ours = right[name], engines = prototype[name];
    const needed = name === "slice"
      ? (list) => proxied(list) || isArray(list) && list.constructor !== Array && list.constructor !== undefined
      : proxied;
    const chosen = name === "concat" ? {
      concat(...items) {
        let odd = proxied(this);
        for (let i = 0; i < items.length && !odd; i++) odd = proxied(items[i]);
        odd = odd && this !== undefined && this !== null;
        return apply(odd ? ours : engines, odd ? Object(this) : this, items);
      },
    } : {
      [name](...args) { return apply(needed(this) ? ours : engines, this, args); },
    };
    kit.defineProperty(chosen[name], "length", { value: engines.length });
    define(prototype, chosen);
  };
  const names = kit.ownKeys(right);
  for (let i = 0; i < names.length; i++) choose(names[i]);
})
