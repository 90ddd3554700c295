/*---
kind: script
name: query
description: Query a CSV, JSON or JSON-lines file. Filter, select, sort, group and limit its rows.
allowed_tools: [read]
input_schema:
  type: object
  required: [file]
  additionalProperties: false
  properties:
    file: {type: string}
    at: {type: string, description: "in a JSON file, where the rows are, such as data.items"}
    separator: {type: string, minLength: 1, maxLength: 1, description: "between the cells of a CSV file; a comma, or a tab in .tsv"}
    where:
      type: array
      description: "conditions that must all hold, such as age>=30, name~^A, city=Rome; = compares what is written, so that 01234 is not 1234"
      items: {type: string, pattern: "^[^=<>!~]+(=|!=|<=|>=|<|>|~)"}
      default: []
    select: {type: array, items: {type: string}, default: [], description: columns; all if none}
    group: {type: string, description: count rows by this column}
    sort: {type: string, description: "column to sort by; -column for descending; with group also count"}
    limit: {type: integer, minimum: 1, maximum: 10000, default: 50}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 30000, maxToolCalls: 500, maxOutputBytes: 16777216, maxResultBytes: 67108864, maxMemoryBytes: 1073741824}
---*/
// @ts-check
const PAGE = 4000;
const MOST = 16 << 20; // bytes of a file, whose rows then fit into the memory

/** @type {import("./scriptrun").Run<"query">} */
export default async function run(ctx, inputs) {
  try {
    const report = answer(inputs, await readAll(ctx, inputs.file));
    return inputs.format === "json" ? report : render(report, inputs.group);
  } catch (e) {
    if (e instanceof Mistake) ctx.fail(e.message);
    throw e;
  }
}

// A mistake is what the caller or the file did wrong.
class Mistake extends Error {}

function answer(inputs, text) {
  let { rows: all, columns, note } = /\.(csv|tsv)$/i.test(inputs.file) ? csv(inputs, text) : json(inputs, text);
  const total = all.length;
  const conditions = inputs.where.map((condition) => compile(condition, all, columns));
  let rows = all.filter((row) => conditions.every((holds) => holds(row)));
  const matched = rows.length;
  if (inputs.group) {
    rows = grouped(rows, known(inputs.group, all, columns));
    [all, columns] = [rows, [inputs.group, "count"]];
  }
  if (inputs.sort) {
    const column = known(inputs.sort.replace(/^-/, ""), all, columns);
    rows = sorted(rows, column, inputs.sort.startsWith("-") ? -1 : 1);
  }
  if (inputs.select.length > 0) {
    // "a,b" is two columns, unless one is called that.
    const asked = inputs.select.flatMap((name) => name.includes(",") && !isThere(name, all, columns) ? name.split(",").map((part) => part.trim()) : [name]);
    for (const column of asked) known(column, all, columns);
    columns = asked;
    rows = rows.map((row) => Object.fromEntries(columns.map((column) => [column, value(row, column) ?? null])));
  }
  return { total, matched, found: rows.length, columns, rows: rows.slice(0, inputs.limit), ...(note && { note }) };
}

async function readAll(ctx, file) {
  const parts = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await ctx.tool("read", { file_path: file, offset, limit: PAGE });
    if (page.exitCode !== 0) ctx.fail(page.output);
    const { bytes, range: { more, returned_lines: returned } } = page.metadata;
    if (bytes > MOST) ctx.fail(`${file} has ${bytes} bytes, and query reads ${MOST} at most; make a smaller file of it first, of the rows or columns that matter`);
    if (page.truncated || more && returned < PAGE) ctx.fail(`${file} is too large to query`);
    parts.push(page.text);
    if (!more) return parts.join("").replace(/^\uFEFF/, "");
  }
}

function json({ file, at }, text) {
  let data;
  try {
    data = parse(text);
  } catch (e) {
    data = jsonLines(file, text, e);
  }
  let rows = at ? value(data, at) : data;
  if (rows === null || typeof rows !== "object") {
    if (at) throw new Mistake(`there are no rows at ${at}; ${file} has ${list(Object.keys(Object(data)))}`);
    throw new Mistake(`${file} holds no rows; say where they are with at=`);
  }
  if (!Array.isArray(rows)) rows = Object.entries(rows).map(([key, v]) => (v && typeof v === "object" ? { key, ...v } : { key, value: v }));
  rows = rows.map((row) => (row && typeof row === "object" ? row : { value: row }));
  return { rows, columns: [...new Set(rows.flatMap((row) => Object.keys(row)))] };
}

function jsonLines(file, text, whole) {
  const rows = [];
  text.split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    try {
      rows.push(parse(line));
    } catch (e) {
      if (rows.length === 0) throw new Mistake(`${file} is neither JSON nor JSON lines: ${whole.message}`);
      throw new Mistake(`${file}:${i + 1}: the line is not JSON: ${e.message}`);
    }
  });
  return rows;
}

// Numbers that JavaScript would round stay as they are written, as text.
function parse(text) {
  if (/\d{16}/.test(text)) text = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (part) => (part[0] === '"' ? part : `"${part}"`));
  return JSON.parse(text);
}

function csv({ file, separator = /\.tsv$/i.test(file) ? "\t" : "," }, text) {
  const [head = { cells: [] }, ...body] = records(file, separator, text);
  const other = head.cells.length === 1 && [";", "\t", "|", ","].find((c) => c !== separator && head.cells[0].includes(c));
  const note = other && `${file} has one column, ${JSON.stringify(head.cells[0].slice(0, 100))}; give separator=${other === "\t" ? "$'\\t'" : `'${other}'`} if that is what lies between its cells`;
  const columns = [];
  for (const [i, cell] of head.cells.entries()) {
    const name = cell.trim() || `column ${i + 1}`;
    columns.push(columns.includes(name) ? `${name} (${i + 1})` : name);
  }
  for (const { cells, line } of body) {
    if (cells.length > columns.length) throw new Mistake(`${file}:${line}: the row has ${cells.length} cells, and the header ${columns.length}`);
  }
  // A column is of numbers if that changes nothing that is written in it.
  const numbers = columns.map((_, i) => body.every(({ cells }) => !cells[i] || String(Number(cells[i])) === cells[i] && /\d$/.test(cells[i])));
  const rows = body.map(({ cells }) => {
    const row = {};
    for (let i = 0; i < columns.length; i++) row[columns[i]] = i >= cells.length ? null : numbers[i] && cells[i] !== "" ? Number(cells[i]) : cells[i];
    return row;
  });
  return { columns, rows, note };
}

// RFC 4180: quotes, doubled quotes in them, and line breaks in them.
function records(file, separator, text) {
  const out = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
    const plain = text.slice(at, end).replace(/\r$/, "");
    if (!plain.includes('"')) { // most lines
      if (plain !== "") out.push({ line, cells: plain.split(separator) });
      at = end + 1;
      line += 1;
      continue;
    }
    const start = line, cells = [];
    let cell = "", quoted = false;
    for (; at < text.length; at++) {
      const c = text[at];
      if (c === "\n") line += 1;
      if (quoted) {
        if (c !== '"') cell += c;
        else if (text[at + 1] === '"') cell += text[++at];
        else quoted = false;
      } else if (c === '"' && cell === "") quoted = true;
      else if (c === separator) { cells.push(cell); cell = ""; }
      else if (c === "\n") break;
      else if (c !== "\r" || text[at + 1] !== "\n") cell += c;
    }
    if (quoted) throw new Mistake(`${file}:${start}: a quote in this row is not closed`);
    out.push({ line: start, cells: [...cells, cell] });
    at += 1;
  }
  return out;
}

// A name with dots is a column of that name, or a way into values.
const has = (row, key) => row !== null && typeof row === "object" && Object.hasOwn(row, key);
const value = (row, path) => (has(row, path) ? row[path] : path.split(".").reduce((v, key) => (has(v, key) ? v[key] : undefined), row));

function known(column, rows, columns) {
  if (columns.length === 0 || isThere(column, rows, columns)) return column;
  const [[far, near]] = columns.map((name) => [distance(name.toLowerCase(), column.toLowerCase()), name]).sort((a, b) => a[0] - b[0]);
  const hint = far <= Math.max(1, column.length / 3) ? `; did you mean ${near}?` : "";
  throw new Mistake(`there is no column ${column}${hint} (columns: ${list(columns)})`);
}

const isThere = (column, rows, columns) => columns.includes(column) || rows.some((row) => value(row, column) !== undefined);

const list = (names) => names.slice(0, 20).join(", ") + (names.length > 20 ? ` and ${names.length - 20} more` : "");

// How many letters differ, at most.
function distance(a, b) {
  let row = [...b, ""].map((_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length];
}

const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
const isNumber = (v) => typeof v === "number" || NUMBER.test(v);
const text = (v) => (v === undefined || v === null ? "" : typeof v === "object" ? JSON.stringify(v) : String(v));
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function compile(condition, rows, columns) {
  const [, name, operator, wanted] = /^([^=<>!~]+?)\s*(!=|<=|>=|=|<|>|~)\s*([^]*)$/.exec(condition);
  const column = known(name.trim(), rows, columns);
  if (operator === "~") {
    let pattern;
    try {
      pattern = new RegExp(wanted);
    } catch (e) {
      throw new Mistake(`${condition}: ${e.message}`);
    }
    return (row) => pattern.test(text(value(row, column)));
  }
  const numeric = NUMBER.test(wanted);
  const same = (v) => (typeof v === "number" && numeric ? v === Number(wanted) : text(v) === wanted);
  if (operator === "=") return (row) => same(value(row, column));
  if (operator === "!=") return (row) => !same(value(row, column));
  const numbers = rows.map((row) => value(row, column)).filter((v) => text(v) !== "");
  if (!numeric && numbers.length > 0 && numbers.every(isNumber)) throw new Mistake(`${condition}: ${JSON.stringify(wanted)} is no number, and ${name.trim()} holds numbers`);
  const fits = { "<": (n) => n < 0, ">": (n) => n > 0, "<=": (n) => n <= 0, ">=": (n) => n >= 0 }[operator];
  return (row) => {
    const v = value(row, column);
    if (text(v) === "" || numeric && !isNumber(v)) return false; // it is neither less nor more
    return fits(numeric ? Number(v) - Number(wanted) : order(text(v), wanted));
  };
}

// Numbers, if all are; else text. What is empty comes last.
function sorted(rows, column, sign) {
  const keyed = rows.map((row) => ({ row, v: value(row, column) })).map(({ row, v }) => ({ row, v, empty: text(v) === "" }));
  const numbers = keyed.every(({ v, empty }) => empty || isNumber(v));
  const by = (a, b) => a.empty - b.empty || sign * (numbers ? Number(a.v) - Number(b.v) : order(text(a.v), text(b.v)));
  return keyed.sort(by).map(({ row }) => row);
}

function grouped(rows, column) {
  const groups = new Map();
  for (const row of rows) {
    const v = value(row, column) ?? null;
    const key = JSON.stringify(v);
    const group = groups.get(key) ?? { [column]: v, count: 0 };
    group.count += 1;
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || order(text(a[column]), text(b[column])));
}

function render({ total, matched, found, columns, rows, note }, group) {
  const groups = group === undefined ? "" : `, ${found} groups`;
  const head = `${note ? `note: ${note}\n\n` : ""}${matched} of ${total} rows${groups}${rows.length < found ? `, the first ${rows.length}` : ""}`;
  if (rows.length === 0) return head;
  const shown = columns.slice(0, 12);
  const cut = (s) => (s.length > 60 ? s.slice(0, 59) + "…" : s);
  const cells = rows.map((row) => shown.map((c) => cut(text(value(row, c)).replaceAll("\n", "\\n"))));
  const widths = shown.map((c, i) => Math.max(c.length, ...cells.map((r) => r[i].length)));
  const line = (r) => r.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd();
  const more = columns.length > shown.length ? ["", `not shown: ${list(columns.slice(shown.length))}`] : [];
  return [head, "", line(shown), line(widths.map((w) => "-".repeat(w))), ...cells.map(line), ...more].join("\n");
}
