// What the other files are made with, taken before a script can change it.
(function () {
  "use strict";
  const { apply, construct, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { defineProperty } = Object;
  const take = (prototype, name) => {
    const method = prototype[name];
    return (self, ...args) => apply(method, self, args);
  };
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
  const kit = {
    apply, construct, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, defineProperty, take, isObject,
    TypeError, RangeError, Symbol, Promise,
    iterator: Symbol.iterator,
    isSymbol: (value) => typeof value === "symbol",

    // define gives a target the methods and getters of an object, as the language has them.
    define(target, parts) {
      const keys = ownKeys(parts);
      for (let i = 0; i < keys.length; i++) {
        const property = getOwnPropertyDescriptor(parts, keys[i]);
        property.enumerable = false;
        defineProperty(target, keys[i], property);
      }
      return target;
    },

    // missing is define for what the target does not have yet.
    missing(target, parts) {
      const keys = ownKeys(parts);
      for (let i = 0; i < keys.length; i++) {
        if (getOwnPropertyDescriptor(target, keys[i])) delete parts[keys[i]];
      }
      return kit.define(target, parts);
    },

    // own defines a property that can be written.
    own(target, key, value) {
      defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
    },

    // put is CreateDataProperty of a new property.
    put(target, key, value) {
      defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
    },

    // constant defines a property that cannot be changed.
    constant(target, key, value) {
      defineProperty(target, key, { value, writable: false, enumerable: false, configurable: false });
    },

    // tag names the class of objects.
    tag(prototype, value) {
      defineProperty(prototype, Symbol.toStringTag, { value, writable: false, enumerable: false, configurable: true });
    },

    // method is a property that is a function, or undefined.
    method(object, key) {
      const found = object[key];
      if (found === undefined || found === null) return undefined;
      if (typeof found !== "function") throw new kit.TypeError(`${String(key)} is not a function`);
      return found;
    },

    // iterate is a record of an iterator; kit.step takes the next value of it, or kit.done.
    iterate(iterable, method) {
      const iterator = apply(method, iterable, []);
      if (!isObject(iterator)) throw new kit.TypeError("an iterator must be an object");
      return { iterator, next: iterator.next };
    },
    done: { done: true },
    step(record) {
      const result = apply(record.next, record.iterator, []);
      if (!isObject(result)) throw new kit.TypeError("the result of an iterator must be an object");
      return result.done ? kit.done : result.value;
    },

    // close ends an iterator. An error that is on its way hides those of closing.
    close(iterator) {
      const method = kit.method(iterator, "return");
      if (method !== undefined && !isObject(apply(method, iterator, []))) throw new kit.TypeError("the result of an iterator must be an object");
    },
    fail(iterator, error) {
      try {
        const method = kit.method(iterator, "return");
        if (method !== undefined) apply(method, iterator, []);
      } catch {}
      throw error;
    },
  };
  return kit;
})
