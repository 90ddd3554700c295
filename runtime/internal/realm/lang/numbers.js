// Math.sumPrecise, Math.f16round, and half floats of a DataView.
(function (kit, global, native) {
  "use strict";
  const { TypeError, RangeError, Symbol, step, done, fail, iterate, method, take } = kit;
  const { Math, DataView } = global;
  const { trunc } = Math;
  const { f16round, toHalf, fromHalf, adder } = native;
  kit.missing(Math, {
    f16round(x) { return f16round(+x); },
    sumPrecise(items) {
      if (items === undefined || items === null) throw new TypeError(`${items} is not iterable`);
      const found = method(items, Symbol.iterator);
      if (found === undefined) throw new TypeError("Math.sumPrecise takes an iterable of numbers");
      const record = iterate(items, found), sum = adder();
      let numbers = [];
      for (let value; (value = step(record)) !== done;) {
        if (typeof value !== "number") fail(record.iterator, new TypeError("Math.sumPrecise takes numbers alone"));
        kit.put(numbers, numbers.length, value);
        if (numbers.length === 1000) {
          sum(numbers);
          numbers = [];
        }
      }
      return sum(numbers);
    },
  });
  const get = take(DataView.prototype, "getUint16"), set = take(DataView.prototype, "setUint16");
  const byteLength = kit.getOwnPropertyDescriptor(DataView.prototype, "byteLength").get;
  const buffer = kit.getOwnPropertyDescriptor(DataView.prototype, "buffer").get;
  kit.missing(DataView.prototype, {
    getFloat16(offset, little = false) { return fromHalf(get(this, offset, little)); },
    setFloat16(offset, value, little = false) {
      kit.apply(buffer, this, []);
      const at = index(offset), bits = toHalf(+value);
      return set(this, at, bits, little);
    },
  });
  function index(offset) {
    const n = trunc(+offset) || 0;
    if (n < 0 || n > 9007199254740991) throw new RangeError("Offset is outside the bounds of the DataView");
    return n;
  }
  kit.defineProperty(DataView.prototype.setFloat16, "length", { value: 2 });
})
