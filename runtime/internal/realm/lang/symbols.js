// The symbols that lowered code and classes look for.
(function (kit) {
  "use strict";
  const { Symbol } = kit;
  const name = (key) => { if (Symbol[key] === undefined) kit.constant(Symbol, key, Symbol("Symbol." + key)); };
  name("asyncIterator");
  name("dispose");
  name("asyncDispose");
  const prototype = kit.getPrototypeOf(kit.getPrototypeOf([][Symbol.iterator]()));
  kit.missing(prototype, {
    [Symbol.dispose]() {
      const end = kit.method(this, "return");
      if (end !== undefined) kit.apply(end, this, []);
    },
  });
})
