// WeakRef and FinalizationRegistry. Both hold what they are given as long as the run
// lasts, and no callback is ever called: a run is too short to collect anything.
(function (kit, global) {
  "use strict";
  const { TypeError, isObject, Symbol } = kit;
  const { keyFor } = global.Symbol;
  const held = (value) => isObject(value) || typeof value === "symbol" && keyFor(value) === undefined;

  class WeakRef {
    #target;
    constructor(target) {
      if (!held(target)) throw new TypeError("WeakRef: the target must be an object or a symbol that is not registered");
      this.#target = target;
    }
    deref() { return this.#target; }
  }
  kit.tag(WeakRef.prototype, "WeakRef");
  kit.own(global, "WeakRef", WeakRef);

  const { Map } = global;
  const set = kit.take(Map.prototype, "set"), get = kit.take(Map.prototype, "get"), remove = kit.take(Map.prototype, "delete");
  class FinalizationRegistry {
    #tokens;
    constructor(cleanup) {
      if (typeof cleanup !== "function") throw new TypeError("FinalizationRegistry: cleanup must be callable");
      this.#tokens = new Map();
    }
    register(target, holdings, token) {
      const tokens = this.#tokens;
      if (!held(target)) throw new TypeError("FinalizationRegistry.prototype.register: the target must be an object or a symbol that is not registered");
      if (target === holdings) throw new TypeError("FinalizationRegistry.prototype.register: the target and what is held must not be the same");
      if (!held(token)) {
        if (token !== undefined) throw new TypeError("FinalizationRegistry.prototype.register: the token must be an object or a symbol that is not registered");
        return;
      }
      set(tokens, token, true);
    }
    unregister(token) {
      const tokens = this.#tokens;
      if (!held(token)) throw new TypeError("unregister: the token must be an object or a symbol that is not registered");
      const known = get(tokens, token) === true;
      remove(tokens, token);
      return known;
    }
  }
  kit.defineProperty(FinalizationRegistry.prototype.register, "length", { value: 2 });
  kit.tag(FinalizationRegistry.prototype, "FinalizationRegistry");
  kit.own(global, "FinalizationRegistry", FinalizationRegistry);
})
