// What lowered generators call. natives.start and natives.next make an iterator of one value, which
// natives.iterator is: to yield a value, a generator delegates to it, so that it is asked to leave.
(function (natives) {
  "use strict";
  const { apply } = Reflect, { iterator } = Symbol;
  class Leave { // what is thrown at the yield of a generator that is left
    #value;
    constructor(value) { this.#value = value }
    static is(e) { return typeof e === "object" && e !== null && (#value in e) }
    static value(leave) { return leave.#value }
  }
  const leave = (e) => { if (!Leave.is(e)) throw e; return e };
  const pass = (e) => { if (Leave.is(e)) throw e; return e };
  const finish = (e) => Leave.value(leave(e));
  const one = natives.iterator;
  one.throw = (e) => { throw e };
  one.return = (value) => { throw new Leave(value) };
  const method = (object, key) => {
    const f = object[key];
    if (f === undefined || f === null) return undefined;
    if (typeof f !== "function") throw new TypeError(`${String(key)} of the iterator is not a function`);
    return f;
  };
  const checked = (result) => {
    if (Object(result) !== result) throw new TypeError(`Iterator result ${String(result)} is not an object`);
    return result;
  };
  const noThrow = "The iterator does not provide a 'throw' method";
  const opened = (source, key) => {
    const open = source[key];
    if (typeof open !== "function") throw new TypeError(`${typeof source} is not iterable`);
    const inner = apply(open, source, []);
    if (Object(inner) !== inner) throw new TypeError("Result of the Symbol.iterator method is not an object");
    return inner;
  };
  const delegate = (source) => {
    const inner = opened(source, iterator);
    const outer = {
      __proto__: null,
      next: natives.nextOf(inner, inner.next),
      throw(e) {
        const f = method(inner, "throw");
        if (f !== undefined) return checked(apply(f, inner, [e]));
        const close = method(inner, "return");
        if (close !== undefined) checked(apply(close, inner, []));
        throw new TypeError(noThrow);
      },
      return(value) {
        const f = method(inner, "return");
        if (f === undefined) throw new Leave(value);
        const result = checked(apply(f, inner, [value]));
        if (result.done) throw new Leave(result.value);
        return result;
      },
      [iterator]: natives.self,
    };
    return outer;
  };
  return { yield: natives.start, delegate, pass, leave, finish, Leave, method, checked, opened, noThrow };
})
