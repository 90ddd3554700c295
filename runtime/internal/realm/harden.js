// What a realm must not have is taken away before anything of the script runs.
(function (global) {
  "use strict";
  const refuse = function Function() {
    throw new EvalError("code cannot be made from strings here; write it in the tool file");
  };
  const own = { value: refuse, writable: false, enumerable: false, configurable: false };
  const define = Object.defineProperty;
  define(refuse, "prototype", { value: Function.prototype, writable: false });
  for (const f of [refuse, async () => {}, function* () {}]) {
    define(Object.getPrototypeOf(f), "constructor", own);
  }
  define(global, "Function", { value: refuse, writable: true, enumerable: false, configurable: true });
  delete global.eval;
})
