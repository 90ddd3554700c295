// What a realm must not have is taken away before anything of the script runs.
(function (global, generators) {
  "use strict";
  const refuse = function Function() {
    throw new EvalError("code cannot be made from strings here; write it in the tool file");
  };
  const own = { value: refuse, writable: false, enumerable: false, configurable: false };
  const define = Object.defineProperty;
  define(refuse, "prototype", { value: refuse.__proto__, writable: false });
  define(refuse.__proto__, "constructor", own);
  define((async () => {}).__proto__, "constructor", own);
  // Without generators in the source nothing leads to their prototype.
  if (generators) define(generators().__proto__, "constructor", own);
  define(global, "Function", { value: refuse, writable: true, enumerable: false, configurable: true });
  delete global.eval;
})
