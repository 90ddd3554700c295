// Promise.try and Promise.withResolvers.
(function (kit, global) {
  "use strict";
  const { TypeError, isObject, apply } = kit;

  // capability is a promise of a class, with what settles it.
  const capability = (C) => {
    if (typeof C !== "function") throw new TypeError("the receiver is not a constructor");
    let resolve, reject;
    const promise = new C((...given) => {
      if (resolve !== undefined || reject !== undefined) throw new TypeError("the executor has been called already");
      resolve = given[0];
      reject = given[1];
    });
    if (typeof resolve !== "function" || typeof reject !== "function") throw new TypeError("the class gives no functions that settle its promises");
    return { promise, resolve, reject };
  };
  kit.missing(global.Promise, {
    try(callback, ...args) {
      if (!isObject(this)) throw new TypeError("Promise.try is called on a class");
      const { promise, resolve, reject } = capability(this);
      let value;
      try {
        value = apply(callback, undefined, args);
      } catch (error) {
        reject(error);
        return promise;
      }
      resolve(value);
      return promise;
    },
    withResolvers() { return capability(this); },
  });
  kit.defineProperty(global.Promise.try, "length", { value: 1, configurable: true });
})
