/*---
kind: script
name: todo-report
description: Report TODO, FIXME, HACK and XXX marks with their age and author, oldest first.
allowed_tools: [grep, "git(blame *)"]
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
limits: {timeoutMs: 60000, maxToolCalls: 1000, maxOutputBytes: 8388608, maxResultBytes: 16777216}
---*/
// @ts-check
const DAY = 24 * 60 * 60 * 1000;

/** @type {import("./scriptrun").Run<"todo-report">} */
export default async function run(ctx, inputs) {
  // context.TODO() is a name and no mark.
  const marks = `(^|[^.\\w])(${inputs.marks.join("|")})\\b`;
  const query = { pattern: marks, path: inputs.path, limit: 4000, no_ignore: false };
  if (inputs.glob) query.glob = inputs.glob;
  const byFile = new Map();
  let ignored = 0;
  for (let page = { metadata: { more: true } }; page.metadata.more;) {
    page = await ctx.tool("grep", page.metadata.next ? { ...query, cursor: page.metadata.next } : query);
    if (page.exitCode !== 0) ctx.fail(page.output);
    if (page.metadata.more && !page.metadata.next) ctx.fail("there are too many files; name a smaller path");
    ignored += page.metadata.skipped.ignored;
    for (const hit of page.data) byFile.set(hit.file, [...(byFile.get(hit.file) ?? []), hit]);
  }
  // A file is one call of git; of what goes beyond the limit the age stays unknown.
  const marked = (await Promise.all([...byFile].map(([file, hits], i) => (i < 950 ? blame(ctx, file, hits) : hits)))).flat();

  const items = marked
    .map((m) => ({ ...m, mark: new RegExp(marks).exec(m.text)[2], text: m.text.trim() }))
    .sort((a, b) => (b.ageDays ?? -1) - (a.ageDays ?? -1) || order(a.file, b.file) || a.line - b.line);
  const report = {
    total: items.length,
    files: byFile.size,
    ignored,
    byMark: count(items, (i) => i.mark),
    byAuthor: count(items, (i) => i.author ?? (i.isNew ? "(not committed)" : "(not known)")),
    items: items.slice(0, inputs.limit),
  };
  return inputs.format === "json" ? report : render(report);
}

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// Age and author come from git; without it the marks are still worth a list.
async function blame(ctx, file, hits) {
  const ranges = hits.length > 200 ? [] : hits.flatMap((h) => ["-L", `${h.line},${h.line}`]);
  const result = await ctx.tool("git", { args: ["blame", "--line-porcelain", ...ranges, "--", file] });
  if (result.exitCode !== 0) return hits;
  const lines = new Map();
  let line = 0, commit, author, time;
  for (const row of result.output.split("\n")) {
    const head = /^\^?([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    if (head) [commit, line] = [head[1], Number(head[2])];
    else if (row.startsWith("author ")) author = row.slice(7);
    else if (row.startsWith("author-time ")) time = Number(row.slice(12)) * 1000;
    else if (row.startsWith("\t")) lines.set(line, /^0+$/.test(commit) ? { isNew: true } : { author, ageDays: Math.max(0, Math.floor((Date.now() - time) / DAY)) });
  }
  return hits.map((hit) => ({ ...hit, ...lines.get(hit.line) }));
}

function count(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || order(a[0], b[0])));
}

const passedOver = (n, what) => n === 1
  ? `1 file or folder was not ${what}, as version control ignores it or it holds no sources`
  : `${n} files or folders were not ${what}, as version control ignores them or they hold no sources`;

function render(report) {
  if (report.total === 0) return report.ignored > 0 ? `No marks; ${passedOver(report.ignored, "searched")}.` : "No marks.";
  const pairs = (counts) => Object.entries(counts).map(([key, n]) => `${key} ${n}`).join(", ");
  const width = Math.min(20, Math.max(...report.items.map((i) => (i.author ?? "-").length)));
  const rows = report.items.map((i) => {
    const age = i.isNew ? "new" : i.ageDays === undefined ? "?" : `${i.ageDays}d`;
    return `${age.padStart(6)}  ${(i.author ?? "-").padEnd(width).slice(0, width)}  ${i.file}:${i.line}  ${i.text.length > 100 ? i.text.slice(0, 99) + "…" : i.text}`;
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
