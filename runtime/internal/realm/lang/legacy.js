// What old code calls: methods of Object.prototype and of dates.
(function (kit, global) {
  "use strict";
  const { TypeError, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = kit;
  const { Object, Date } = global;
  const objectOf = (value) => {
    if (value === undefined || value === null) throw new TypeError("Cannot convert undefined or null to object");
    return Object(value);
  };
  const keyOf = (key) => typeof key === "symbol" ? key : kit.ownKeys({ [key]: 0 })[0];
  const find = (self, given, which) => {
    let object = objectOf(self);
    const key = keyOf(given);
    for (; object !== null; object = getPrototypeOf(object)) {
      const property = getOwnPropertyDescriptor(object, key);
      if (property) return property[which];
    }
  };
  const callable = (f) => {
    if (typeof f !== "function") throw new TypeError("it is not a function");
  };
  kit.missing(Object.prototype, {
    __defineGetter__(key, get) {
      const object = objectOf(this);
      callable(get);
      defineProperty(object, keyOf(key), { get, enumerable: true, configurable: true });
    },
    __defineSetter__(key, set) {
      const object = objectOf(this);
      callable(set);
      defineProperty(object, keyOf(key), { set, enumerable: true, configurable: true });
    },
    __lookupGetter__(key) { return find(this, key, "get"); },
    __lookupSetter__(key) { return find(this, key, "set"); },
  });

  const take = (name) => kit.take(Date.prototype, name);
  const time = take("getTime"), year = take("getFullYear"), setYear = take("setFullYear"), setTime = take("setTime"), month = take("getMonth"), day = take("getDate");
  const { trunc } = Math;
  kit.missing(Date.prototype, {
    getYear() { return year(this) - 1900; },
    setYear(value) {
      time(this);
      const number = +value;
      if (number !== number) return setTime(this, number);
      const whole = trunc(number);
      const full = whole >= 0 && whole <= 99 ? 1900 + whole : number;
      return time(this) !== time(this) ? setYear(this, full, 0, 1) : setYear(this, full, month(this), day(this));
    },
  });
  if (!getOwnPropertyDescriptor(Date.prototype, "toGMTString")) kit.own(Date.prototype, "toGMTString", Date.prototype.toUTCString);
})
