// URLSearchParams: a list of names and values, which a URL may share.
(function (native) {
  "use strict";
  const text = (value) => native.wellFormed(`${value}`);
  const needs = (args, count, name) => {
    if (args.length < count) throw new TypeError(`${name} needs ${count === 1 ? "a name" : "a name and a value"}`);
  };
  let link;

  class URLSearchParams {
    #list = []; // names and values in turn
    #changed = null;
    constructor(init = "") {
      if (init === null || typeof init !== "object" && typeof init !== "function") {
        const query = `${init}`;
        this.#list = native.parseForm(query.startsWith("?") ? query.slice(1) : query);
        return;
      }
      const iterate = init[Symbol.iterator];
      if (iterate === undefined || iterate === null) {
        const seen = new Map();
        for (const key of Reflect.ownKeys(init)) {
          const own = Reflect.getOwnPropertyDescriptor(init, key);
          if (own === undefined || !own.enumerable) continue;
          seen.set(text(key), text(init[key]));
        }
        for (const [name, value] of seen) this.#list.push(name, value);
        return;
      }
      if (typeof iterate !== "function") throw new TypeError("the pairs of URLSearchParams cannot be iterated");
      for (const pair of init) {
        if (pair === null || typeof pair !== "object" && typeof pair !== "function" || typeof pair[Symbol.iterator] !== "function") {
          throw new TypeError("each pair of URLSearchParams is a list of a name and a value");
        }
        const both = [...pair];
        if (both.length !== 2) throw new TypeError("each pair of URLSearchParams has a name and a value, and no more");
        this.#list.push(text(both[0]), text(both[1]));
      }
    }
    #update() { if (this.#changed !== null) this.#changed(native.writeForm(this.#list)); }
    get size() { return this.#list.length / 2; }
    append(name, value) {
      const list = this.#list;
      needs(arguments, 2, "append");
      list.push(text(name), text(value));
      this.#update();
    }
    delete(name, value = undefined) {
      const list = this.#list;
      needs(arguments, 1, "delete");
      const n = text(name), v = value === undefined ? undefined : text(value);
      const kept = [];
      for (let i = 0; i < list.length; i += 2) {
        if (list[i] !== n || v !== undefined && list[i + 1] !== v) kept.push(list[i], list[i + 1]);
      }
      this.#list = kept;
      this.#update();
    }
    get(name) {
      const list = this.#list;
      needs(arguments, 1, "get");
      const n = text(name);
      for (let i = 0; i < list.length; i += 2) if (list[i] === n) return list[i + 1];
      return null;
    }
    getAll(name) {
      const list = this.#list, out = [];
      needs(arguments, 1, "getAll");
      const n = text(name);
      for (let i = 0; i < list.length; i += 2) if (list[i] === n) out.push(list[i + 1]);
      return out;
    }
    has(name, value = undefined) {
      const list = this.#list;
      needs(arguments, 1, "has");
      const n = text(name), v = value === undefined ? undefined : text(value);
      for (let i = 0; i < list.length; i += 2) if (list[i] === n && (v === undefined || list[i + 1] === v)) return true;
      return false;
    }
    set(name, value) {
      const list = this.#list;
      needs(arguments, 2, "set");
      const n = text(name), v = text(value), kept = [];
      let found = false;
      for (let i = 0; i < list.length; i += 2) {
        if (list[i] !== n) kept.push(list[i], list[i + 1]);
        else if (!found) {
          found = true;
          kept.push(n, v);
        }
      }
      if (!found) kept.push(n, v);
      this.#list = kept;
      this.#update();
    }
    sort() {
      const list = this.#list, pairs = [];
      for (let i = 0; i < list.length; i += 2) pairs.push([list[i], list[i + 1]]);
      pairs.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
      this.#list = [];
      for (const [name, value] of pairs) this.#list.push(name, value);
      this.#update();
    }
    forEach(callback, thisArg) {
      this.#list;
      if (typeof callback !== "function") throw new TypeError("forEach needs a function");
      for (let i = 0; i < this.#list.length; i += 2) callback.call(thisArg, this.#list[i + 1], this.#list[i], this);
    }
    entries() { return iterator(this, (list, i) => [list[i], list[i + 1]]); }
    keys() { return iterator(this, (list, i) => list[i]); }
    values() { return iterator(this, (list, i) => list[i + 1]); }
    toString() { return native.writeForm(this.#list); }
    static {
      link = {
        make(search, changed) {
          const params = new URLSearchParams(search);
          params.#changed = changed;
          return params;
        },
        update(params, search) { params.#list = native.parseForm(search.slice(1)); },
        list: (params) => params.#list,
        isOwn: (value) => typeof value === "object" && value !== null && #list in value,
      };
    }
  }

  class Cursor {
    #params; #pick; #at = 0;
    constructor(params, pick) {
      this.#params = params;
      this.#pick = pick;
    }
    static next(cursor) {
      const list = link.list(cursor.#params), at = cursor.#at;
      if (at >= list.length) return { value: undefined, done: true };
      cursor.#at += 2;
      return { value: cursor.#pick(list, at), done: false };
    }
  }
  const { next } = Cursor;
  const prototype = Object.create(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), {
    next: { value: { next() { return next(this); } }.next, writable: true, enumerable: true, configurable: true },
    [Symbol.toStringTag]: { value: "URLSearchParams Iterator", configurable: true },
  });
  const iterator = (params, pick) => {
    link.list(params); // it is one
    return Object.setPrototypeOf(new Cursor(params, pick), prototype);
  };

  for (const key of Object.getOwnPropertyNames(URLSearchParams.prototype)) {
    if (key !== "constructor") Object.defineProperty(URLSearchParams.prototype, key, { enumerable: true });
  }
  Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, { value: URLSearchParams.prototype.entries, writable: true, configurable: true });
  Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: "URLSearchParams", configurable: true });
  return { URLSearchParams, link, isOwn: link.isOwn };
})
