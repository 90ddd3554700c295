/*---
kind: script
name: todo-report
description: Report TODO, FIXME, HACK and XXX marks with their age and author, oldest first.
allowed_tools: [grep, "bash(git blame *)"]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: ".", description: folder or file to search}
    glob: {type: string, description: "only files that match, such as *.go"}
    marks: {type: array, items: {type: string, pattern: "^[A-Za-z]+$"}, minItems: 1, default: [TODO, FIXME, HACK, XXX]}
    limit: {type: integer, minimum: 1, maximum: 1000, default: 50, description: how many to list}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 30000, maxToolCalls: 400, maxOutputBytes: 4194304}
---*/
const DAY = 24 * 60 * 60 * 1000;

export default async function run(ctx, inputs) {
  const query = { pattern: `\\b(${inputs.marks.join("|")})\\b`, path: inputs.path, max_results: 5000 };
  if (inputs.glob) query.glob = inputs.glob;
  const found = await ctx.tool("grep", query);
  if (found.exitCode !== 0) throw new Error(found.output);

  const byFile = new Map();
  for (const hit of found.data) {
    if (!byFile.has(hit.file)) byFile.set(hit.file, []);
    byFile.get(hit.file).push(hit);
  }
  const files = [...byFile.keys()].slice(0, 390);
  const marked = (await Promise.all(files.map((file) => blame(ctx, file, byFile.get(file))))).flat();
  for (const file of [...byFile.keys()].slice(390)) marked.push(...byFile.get(file));

  const items = marked
    .map((m) => ({ ...m, mark: inputs.marks.find((mark) => new RegExp(`\\b${mark}\\b`).test(m.text)), text: m.text.trim() }))
    .sort((a, b) => (b.ageDays ?? -1) - (a.ageDays ?? -1) || a.file.localeCompare(b.file) || a.line - b.line);
  const report = {
    total: items.length,
    files: byFile.size,
    byMark: count(items, (i) => i.mark),
    byAuthor: count(items, (i) => i.author ?? "(not committed)"),
    items: items.slice(0, inputs.limit),
  };
  return inputs.format === "json" ? report : render(report);
}

// Age and author come from git; without it the marks are still worth a list.
async function blame(ctx, file, hits) {
  const ranges = hits.slice(0, 200).flatMap((h) => ["-L", `${h.line},${h.line}`]);
  const result = await ctx.shell.run(["git", "blame", "--line-porcelain", ...ranges, "--", file]);
  if (result.exitCode !== 0) return hits;
  const authors = new Map();
  let line = 0, author, time;
  for (const row of result.stdout.split("\n")) {
    const head = /^\^?[0-9a-f]{40} \d+ (\d+)/.exec(row);
    if (head) line = Number(head[1]);
    else if (row.startsWith("author ")) author = row.slice(7);
    else if (row.startsWith("author-time ")) time = Number(row.slice(12)) * 1000;
    else if (row.startsWith("\t")) authors.set(line, { author, time });
  }
  return hits.map((hit) => {
    const known = authors.get(hit.line);
    if (!known || known.author === "Not Committed Yet") return hit;
    return { ...hit, author: known.author, ageDays: Math.max(0, Math.floor((Date.now() - known.time) / DAY)) };
  });
}

function count(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]));
}

function render(report) {
  if (report.total === 0) return "No marks.";
  const pairs = (counts) => Object.entries(counts).map(([key, n]) => `${key} ${n}`).join(", ");
  const rows = report.items.map((i) => {
    const age = i.ageDays === undefined ? "new" : `${i.ageDays}d`;
    return `${age.padStart(6)}  ${(i.author ?? "-").padEnd(20).slice(0, 20)}  ${i.file}:${i.line}  ${i.text.slice(0, 100)}`;
  });
  const more = report.total - report.items.length;
  return [
    `${report.total} marks in ${report.files} files: ${pairs(report.byMark)}`,
    `by author: ${pairs(report.byAuthor)}`,
    "",
    ...rows,
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join("\n");
}
