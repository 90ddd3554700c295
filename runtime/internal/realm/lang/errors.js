// Error.captureStackTrace, as V8 has it, and SuppressedError.
(function (kit, global) {
  "use strict";
  const { TypeError, isObject, take } = kit;
  const { Error } = global;
  const split = take(String.prototype, "split"), slice = take(Array.prototype, "slice"), join = take(Array.prototype, "join"), has = take(String.prototype, "includes");
  const text = Error.prototype.toString;
  kit.missing(Error, {
    captureStackTrace(target, above) {
      if (!isObject(target)) throw new TypeError(`Invalid argument: an object is needed`);
      const lines = split(new Error("x").stack, "\n");
      let from = 2; // its first line, and this function
      const name = typeof above === "function" ? above.name : "";
      for (let i = from; name && i < lines.length; i++) {
        if (has(lines[i], "at " + name + " (")) {
          from = i + 1;
          break;
        }
      }
      const head = kit.apply(text, target, []);
      kit.own(target, "stack", join([head, ...slice(lines, from)], "\n"));
    },
  });
  if (!("stackTraceLimit" in Error)) Error.stackTraceLimit = 10;
})
