/*---
kind: script
name: hot-files
description: Rank files by how often and how much they changed in git, with who changed them.
allowed_tools: ["bash(git log *)"]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: "."}
    since: {type: string, default: "90 days ago", description: "anything that git log --since takes"}
    limit: {type: integer, minimum: 1, maximum: 500, default: 20}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 30000, maxToolCalls: 2, maxOutputBytes: 16777216}
---*/
export default async function run(ctx, inputs) {
  const log = await ctx.shell.run([
    "git", "log", `--since=${inputs.since}`, "--no-merges", "--numstat", "--format=%x01%an", "--", inputs.path,
  ]);
  if (log.exitCode !== 0) throw new Error(log.stderr.trim() || "git log failed");
  const files = new Map();
  let commits = 0, author = "";
  for (const row of log.stdout.split("\n")) {
    if (row.startsWith("\x01")) {
      commits += 1;
      author = row.slice(1);
      continue;
    }
    const change = /^(\d+|-)\t(\d+|-)\t(.+)$/.exec(row);
    if (!change) continue;
    const name = renamed(change[3]);
    const f = files.get(name) ?? { file: name, commits: 0, added: 0, deleted: 0, authors: new Set() };
    f.commits += 1;
    f.added += Number(change[1]) || 0; // a binary file has "-"
    f.deleted += Number(change[2]) || 0;
    f.authors.add(author);
    files.set(name, f);
  }
  const ranked = [...files.values()]
    .sort((a, b) => b.commits - a.commits || b.added + b.deleted - a.added - a.deleted)
    .slice(0, inputs.limit)
    .map((f) => ({ ...f, authors: [...f.authors] }));
  const report = { since: inputs.since, commits, files: files.size, truncated: log.truncated, hottest: ranked };
  return inputs.format === "json" ? report : render(report);
}

// git writes a rename as "old => new" or "dir/{old => new}/file".
function renamed(path) {
  const braces = /^(.*)\{.* => (.*)\}(.*)$/.exec(path);
  if (braces) return (braces[1] + braces[2] + braces[3]).replace("//", "/");
  const plain = /^.* => (.*)$/.exec(path);
  return plain ? plain[1] : path;
}

function render(report) {
  if (report.commits === 0) return `No commits since ${report.since}.`;
  const rows = report.hottest.map((f) =>
    `${String(f.commits).padStart(5)}  +${String(f.added).padEnd(6)} -${String(f.deleted).padEnd(6)} ${f.file}  (${f.authors.slice(0, 3).join(", ")}${f.authors.length > 3 ? ", …" : ""})`);
  return [`${report.commits} commits changed ${report.files} files since ${report.since}`, "", ...rows].join("\n");
}
