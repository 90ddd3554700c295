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
    where:
      type: array
      description: "conditions that must all hold, such as age>=30, name~^A, city=Rome"
      items: {type: string, pattern: "^[^=<>!~]+(=|!=|<=|>=|<|>|~)"}
      default: []
    select: {type: array, items: {type: string}, default: [], description: columns; all if none}
    group: {type: string, description: count rows by this column}
    sort: {type: string, description: "column to sort by; -column for descending"}
    limit: {type: integer, minimum: 1, maximum: 10000, default: 50}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 30000, maxToolCalls: 200, maxOutputBytes: 16777216}
---*/
const PAGE = 20000;

export default async function run(ctx, inputs) {
  let rows = parse(inputs, await readAll(ctx, inputs.file));
  const total = rows.length;
  const conditions = inputs.where.map(condition);
  rows = rows.filter((row) => conditions.every((holds) => holds(row)));
  const matched = rows.length;
  if (inputs.group) rows = grouped(rows, inputs.group);
  if (inputs.sort) {
    const column = inputs.sort.replace(/^-/, "");
    const sign = inputs.sort.startsWith("-") ? -1 : 1;
    rows = [...rows].sort((a, b) => sign * compare(value(a, column), value(b, column)));
  }
  rows = rows.slice(0, inputs.limit);
  if (inputs.select.length > 0 && !inputs.group) {
    rows = rows.map((row) => Object.fromEntries(inputs.select.map((column) => [column, value(row, column) ?? null])));
  }
  const report = { total, matched, rows };
  return inputs.format === "json" ? report : render(report);
}

async function readAll(ctx, file) {
  const parts = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await ctx.tool("read", { file_path: file, offset, limit: PAGE });
    if (page.exitCode !== 0) throw new Error(page.output);
    if (page.truncated) throw new Error(`${file} is too large to query`);
    parts.push(page.text);
    if (page.metadata.range.returned_lines < PAGE) return parts.join("");
  }
}

function parse({ file, at }, text) {
  if (/\.(csv|tsv)$/i.test(file)) return csv(text, /\.tsv$/i.test(file) ? "\t" : ",");
  let data;
  try {
    data = JSON.parse(text);
  } catch (e) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    try {
      data = lines.map((line) => JSON.parse(line));
    } catch {
      throw new Error(`${file} is neither JSON nor JSON lines: ${e.message}`);
    }
  }
  const rows = at ? value(data, at) : data;
  if (Array.isArray(rows)) return rows;
  if (rows && typeof rows === "object") return Object.entries(rows).map(([key, v]) => (v && typeof v === "object" ? { key, ...v } : { key, value: v }));
  throw new Error(at ? `there are no rows at ${at}` : `${file} holds no rows; say where they are with at=`);
}

// RFC 4180: quotes, doubled quotes in them, and line breaks in them.
function csv(text, separator) {
  const rows = [];
  let row = [], cell = "", quoted = false;
  const endCell = () => { row.push(cell); cell = ""; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0] !== "") rows.push(row); row = []; };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') { cell += '"'; i++; }
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === separator) endCell();
    else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (quoted) throw new Error("a quoted cell is not closed");
  endRow();
  const [head = [], ...body] = rows;
  return body.map((cells) => Object.fromEntries(head.map((name, i) => [name.trim(), typed(cells[i] ?? "")])));
}

const typed = (cell) => (/^-?\d+(\.\d+)?$/.test(cell) && cell.length < 16 ? Number(cell) : cell);
const value = (row, path) => path.split(".").reduce((v, key) => v?.[key], row);

function condition(text) {
  const [, column, operator, raw] = /^([^=<>!~]+?)\s*(!=|<=|>=|=|<|>|~)\s*(.*)$/.exec(text);
  const wanted = typed(raw);
  const pattern = operator === "~" ? new RegExp(raw) : null;
  return (row) => {
    const v = value(row, column.trim());
    if (pattern) return v !== undefined && pattern.test(String(v));
    if (operator === "=") return String(v) === String(wanted);
    if (operator === "!=") return String(v) !== String(wanted);
    if (v === undefined || v === null) return false;
    const order = compare(v, wanted);
    return { "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0 }[operator];
  };
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "") < String(b ?? "") ? -1 : String(a ?? "") > String(b ?? "") ? 1 : 0;
}

function grouped(rows, column) {
  const counts = new Map();
  for (const row of rows) {
    const key = String(value(row, column));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([key, count]) => ({ [column]: key, count }));
}

function render(report) {
  const head = `${report.matched} of ${report.total} rows`;
  if (report.rows.length === 0) return head;
  const columns = [...new Set(report.rows.flatMap((row) => Object.keys(Object(row))))].slice(0, 12);
  const text = (v) => (v === undefined || v === null ? "" : typeof v === "object" ? JSON.stringify(v) : String(v)).slice(0, 60);
  const cells = report.rows.map((row) => columns.map((c) => text(value(row, c))));
  const widths = columns.map((c, i) => Math.max(c.length, ...cells.map((r) => r[i].length)));
  const line = (r) => r.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd();
  return [head, "", line(columns), line(widths.map((w) => "-".repeat(w))), ...cells.map(line)].join("\n");
}
