// toLocaleString of arrays and typed arrays: what each element gives for the locale and options.
(function (kit) {
  "use strict";
  const { TypeError, apply, getPrototypeOf, getOwnPropertyDescriptor } = kit;
  const { push } = kit.intl, { trunc, min } = Math, mostLength = Number.MAX_SAFE_INTEGER;
  const join = kit.take(Array.prototype, "join"), pop = kit.take(Array.prototype, "pop"), includes = kit.take(Array.prototype, "includes");
  const typed = getPrototypeOf(Uint8Array.prototype), { get: lengthOf } = getOwnPropertyDescriptor(typed, "length"), { get: nameOf } = getOwnPropertyDescriptor(typed, Symbol.toStringTag);

  const inside = []; // arrays that are being written: one that holds itself has nothing there
  const written = (list, length, locales, options) => {
    if (includes(inside, list)) return "";
    push(inside, list);
    try {
      const texts = [];
      for (let i = 0; i < length; i++) {
        const element = list[i];
        push(texts, element === undefined || element === null ? "" : `${element.toLocaleString(locales, options)}`);
      }
      return join(texts, ",");
    } finally {
      pop(inside);
    }
  };
  kit.define(Array.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      if (this === undefined || this === null) throw new TypeError("Array.prototype.toLocaleString called on null or undefined");
      const list = Object(this);
      return written(list, min(trunc(+list.length) || 0, mostLength), locales, options);
    },
  });
  kit.define(typed, {
    toLocaleString(locales = undefined, options = undefined) {
      if (apply(nameOf, this, []) === undefined) throw new TypeError("this is not a typed array");
      return written(this, apply(lengthOf, this, []), locales, options);
    },
  });
})
