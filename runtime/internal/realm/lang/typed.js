// from of typed arrays takes texts too.
(function (kit) {
  "use strict";
  const typed = kit.getPrototypeOf(Uint8Array);
  const { from } = typed, { Object } = globalThis;
  kit.define(typed, {
    from(source, mapper = undefined, self = undefined) {
      return kit.apply(from, this, [typeof source === "string" ? Object(source) : source, mapper, self]);
    },
  });
})
