// Object.groupBy, Map.groupBy, and getOrInsert of maps.
(function (kit, global) {
  "use strict";
  const { TypeError, Symbol, step, done, fail, iterate, method, take } = kit;
  const { Map, WeakMap, Object } = global;
  const get = take(Map.prototype, "get"), set = take(Map.prototype, "set"), has = take(Map.prototype, "has");
  const weakGet = take(WeakMap.prototype, "get"), weakSet = take(WeakMap.prototype, "set"), weakHas = take(WeakMap.prototype, "has");
  const create = Object.create;
  const forEach = take(Map.prototype, "forEach");

  const group = (items, callback, toKey) => {
    if (items === undefined || items === null) throw new TypeError(`${items} is not iterable`);
    if (typeof callback !== "function") throw new TypeError("the second argument of groupBy is not a function");
    const found = method(items, Symbol.iterator);
    if (found === undefined) throw new TypeError("the first argument of groupBy is not iterable");
    const record = iterate(items, found), groups = new Map();
    let n = 0;
    for (let value; (value = step(record)) !== done;) {
      let key;
      try {
        key = toKey(callback(value, n++));
      } catch (error) {
        fail(record.iterator, error);
      }
      const old = get(groups, key);
      if (old) kit.put(old, old.length, value);
      else set(groups, key, [value]);
    }
    return groups;
  };
  const propertyKey = (key) => {
    if (typeof key === "symbol") return key;
    return key === null || typeof key !== "object" && typeof key !== "function" ? `${key}` : kit.ownKeys({ [key]: 0 })[0];
  };
  kit.missing(Object, {
    groupBy(items, callback) {
      const out = create(null);
      forEach(group(items, callback, propertyKey), (list, key) => kit.put(out, key, list));
      return out;
    },
  });
  kit.missing(Map, {
    groupBy(items, callback) { return group(items, callback, (key) => key); },
  });

  const callable = (f) => {
    if (typeof f !== "function") throw new TypeError("the second argument of getOrInsertComputed is not a function");
  };
  kit.missing(Map.prototype, {
    getOrInsert(key, value) {
      if (has(this, key)) return get(this, key);
      set(this, key, value);
      return value;
    },
    getOrInsertComputed(key, callback) {
      const known = has(this, key);
      callable(callback);
      if (known) return get(this, key);
      const value = callback(key === 0 ? 0 : key);
      set(this, key, value);
      return value;
    },
  });
  kit.missing(WeakMap.prototype, {
    getOrInsert(key, value) {
      if (weakHas(this, key)) return weakGet(this, key);
      weakSet(this, key, value);
      return value;
    },
    getOrInsertComputed(key, callback) {
      const known = weakHas(this, key);
      callable(callback);
      if (known) return weakGet(this, key);
      if (!kit.isObject(key)) throw new TypeError("a key of a WeakMap must be an object");
      const value = callback(key);
      weakSet(this, key, value);
      return value;
    },
  });
})
