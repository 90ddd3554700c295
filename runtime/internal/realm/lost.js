// The parts of a value that JSON writes as something else without a word, each with its path. It
// looks at plain properties alone and runs no code of the script: what getters, proxies and toJSON
// give is passed over. isProxy tells proxies.
(function (value, most, looks, isProxy) {
  "use strict";
  const { getOwnPropertyDescriptor, getPrototypeOf, keys } = Object;
  const found = [];
  const an = (name) => (/^[AEIO]/.test(name) ? "an " : "a ") + name.slice(0, 100);
  const advice = {
    __proto__: null, Map: "; use Object.fromEntries(x) or [...x]", Set: "; use [...x]", RegExp: "; use String(x)", URLSearchParams: "; use String(x)",
    ArrayBuffer: "; use [...new Uint8Array(x)]", DataView: "; use [...new Uint8Array(x.buffer)]",
    WeakMap: "; leave it out", WeakSet: "; leave it out", WeakRef: "; leave it out", Generator: "; use [...x]",
  };
  const chain = (object) => {
    const all = [];
    for (; object !== null && !isProxy(object) && all.length < 100; object = getPrototypeOf(object)) all.push(object);
    return all;
  };
  const data = (object, key) => { // the value of a plain property, its own or inherited
    for (const o of chain(object)) {
      const d = getOwnPropertyDescriptor(o, key);
      if (d) return d.value;
    }
  };
  const named = (object) => {
    const constructor = data(object, "constructor");
    return typeof constructor === "function" ? data(constructor, "name") : undefined;
  };
  const lost = (inner) => {
    if (chain(inner).includes(Error.prototype)) return "an Error, which JSON writes without its message; use String(x)";
    const name = data(inner, Symbol.toStringTag) ?? (chain(inner).includes(RegExp.prototype) ? "RegExp" : named(inner));
    if (typeof name !== "string" || name === "") return "";
    if (ArrayBuffer.isView(inner) && name !== "DataView") return an(name) + ", which JSON writes as an object; use [...x]";
    if (advice[name]) return an(name) + ", which JSON writes as {}" + advice[name];
    if (keys(inner).length > 0) return "";
    if (name.endsWith(" Iterator")) return an(name) + ", which JSON writes as {}; use [...x]";
    return !["Object", "Number", "String", "Boolean"].includes(name)
      ? an(name) + ", of which JSON sees nothing and writes {}; return what is wanted of it" : "";
  };
  const isInvalid = (date) => { try { return isNaN(Date.prototype.getTime.call(date)) } catch { return false } };
  const step = ({ up, key }) => up.list ? "[" + key + "]" : /^[A-Za-z_$][\w$]*$/.test(key) ? "." + key : "[" + JSON.stringify(key) + "]";
  const path = (at) => {
    let text = "";
    for (; at.up && text.length < 500; at = at.up) text = step(at) + text;
    return text.length < 500 ? "value" + text : "…" + text.slice(-300);
  };
  const note = (at, what) => found.push(found.length < most ? path(at) + " is " + what : "there are more parts of the value that JSON loses");
  const todo = [{ inner: value }];
  while (todo.length > 0 && looks-- > 0 && found.length <= most) {
    const at = todo.pop(), { inner } = at;
    if (typeof inner === "number") {
      if (inner - inner !== 0) note(at, inner + ", which JSON writes as null");
      continue;
    }
    if (typeof inner !== "object" || inner === null || isProxy(inner)) continue;
    const toJSON = data(inner, "toJSON");
    if (toJSON === Date.prototype.toJSON && chain(inner).includes(Date.prototype)) {
      if (isInvalid(inner)) note(at, "an invalid Date, which JSON writes as null");
      continue;
    }
    if (toJSON !== undefined && toJSON !== Error.prototype.toJSON) continue;
    const prototype = getPrototypeOf(inner);
    if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) {
      const what = lost(inner);
      if (what !== "") note(at, what);
    }
    if (ArrayBuffer.isView(inner)) continue;
    at.list = Array.isArray(inner);
    const below = [];
    const take = (key) => {
      const d = getOwnPropertyDescriptor(inner, key);
      const part = d?.value;
      if (d?.enumerable && (typeof part === "number" || typeof part === "object" && part !== null)) below.push({ up: at, key, inner: part });
    };
    if (at.list) for (let i = 0; i < inner.length && below.length < looks && i < 1e6; i++) take(String(i));
    else for (const key of keys(inner).slice(0, looks)) take(key);
    while (below.length > 0) todo.push(below.pop());
  }
  return found.join("\n");
})
