// from of typed arrays takes texts too.
(function (kit) {
  "use strict";
  const typed = kit.getPrototypeOf(Uint8Array);
  const { from } = typed, { Object } = globalThis;
  kit.define(typed, {
    from(source, mapper = undefined, self = undefined) {
      const map = typeof mapper === "function" ? (value, i) => kit.apply(mapper, self, [value, i]) : mapper; // the engine fails where it gives natives what is missing
      return kit.apply(from, this, [typeof source === "string" ? Object(source) : source, map]);
    },
  });
})
