// The parts of a value that JSON writes as something else without a word, each with its path. It
// sees the value as JSON.stringify does: what toJSON returns counts.
(function (value, most, looks) {
  "use strict";
  const { toString } = Object.prototype;
  const found = [];
  const step = (holder, key) => Array.isArray(holder) ? "[" + key + "]" : /^[A-Za-z_$][\w$]*$/.test(key) ? "." + key : "[" + JSON.stringify(key) + "]";
  const an = (name) => (/^[AEIO]/.test(name) ? "an " : "a ") + name.slice(0, 100);
  const advice = {
    __proto__: null, Map: "; use Object.fromEntries(x) or [...x]", Set: "; use [...x]", RegExp: "; use String(x)", URLSearchParams: "; use String(x)",
    ArrayBuffer: "; use [...new Uint8Array(x)]", DataView: "; use [...new Uint8Array(x.buffer)]",
    WeakMap: "; leave it out", WeakSet: "; leave it out", WeakRef: "; leave it out", Generator: "; use [...x]",
  };
  const lost = (inner) => {
    const name = toString.call(inner).slice(8, -1);
    if (name === "Error" || inner instanceof Error) return "an Error, which JSON writes without its message; use String(x)";
    if (ArrayBuffer.isView(inner) && name !== "DataView") return an(name) + ", which JSON writes as an object; use [...x]";
    if (advice[name]) return an(name) + ", which JSON writes as {}" + advice[name];
    if (Object.keys(inner).length > 0) return "";
    if (name.endsWith(" Iterator")) return an(name) + ", which JSON writes as {}; use [...x]";
    const own = name !== "Object" ? name : Object.getPrototypeOf(inner).constructor?.name;
    return typeof own === "string" && own !== "" && own !== "Object" && !["Number", "String", "Boolean", "Date", "Arguments"].includes(own)
      ? an(own) + ", of which JSON sees nothing and writes {}; return what is wanted of it" : "";
  };
  const inside = new Map(); // of each object the one that it is in, and its key there
  const path = (holder, key) => {
    let text = "";
    for (let at; (at = inside.get(holder)) && text.length < 500; { holder, key } = at) text = step(holder, key) + text;
    return text.length < 500 ? "value" + text : "…" + text.slice(-300);
  };
  const note = (holder, key, what) => {
    if (what === "") return;
    found.push(found.length < most ? path(holder, key) + " is " + what : "there are more parts of the value that JSON loses");
    if (found.length > most) throw found;
  };
  try {
    JSON.stringify(value, function (key, inner) {
      if (looks-- === 0) throw found;
      if (typeof inner === "number") {
        if (inner - inner !== 0) note(this, key, inner + ", which JSON writes as null");
      } else if (inner === null) {
        if (this[key] instanceof Date) note(this, key, "an invalid Date, which JSON writes as null");
      } else if (typeof inner === "object") {
        inside.set(inner, { holder: this, key });
        const prototype = Object.getPrototypeOf(inner);
        if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) note(this, key, lost(inner));
      }
      return inner;
    });
  } catch {}
  return found.join("\n");
})
