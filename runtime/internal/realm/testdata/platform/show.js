// show(value) is a value as the tables of this folder write it. Codes of errors are those of
// Node, which its web classes have too; here only Buffer has all of them.
const shown = (code) => typeof code === "string" && (codes || !/^ERR_(MISSING_ARGS|ILLEGAL_CONSTRUCTOR|INVALID_(ARG_TYPE|ARG_VALUE|THIS|TUPLE)|ARG_NOT_ITERABLE)$/.test(code));
const show = (value) => {
  const inner = (v) => {
    if (v === undefined) return "undefined";
    if (typeof v === "bigint") return v + "n";
    if (typeof v === "symbol" || typeof v === "function") return typeof v;
    if (typeof v === "number" && (Object.is(v, -0) || !Number.isFinite(v))) return Object.is(v, -0) ? "-0" : String(v);
    if (typeof v !== "object" || v === null) return JSON.stringify(v);
    if (ArrayBuffer.isView(v)) {
      const bytes = new Uint8Array(v.buffer, v.byteOffset, v.byteLength);
      return v.constructor.name + ":" + Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
    }
    if (v instanceof Error) return "!" + v.name + (shown(v.code) ? " " + v.code : "");
    if (v instanceof Map) return "Map" + inner([...v]);
    if (v instanceof Set) return "Set" + inner([...v]);
    if (Array.isArray(v)) return "[" + Array.from(v, inner).join(",") + "]";
    if (typeof v.toJSON === "function") return JSON.stringify(v);
    return "{" + Object.keys(v).map((k) => k + ":" + inner(v[k])).join(",") + "}";
  };
  return inner(value);
};
const each = async (f) => {
  try { return show(await f()); } catch (e) { return e instanceof Error ? show(e) : "!" + show(e); }
};
