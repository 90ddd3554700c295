/*---
kind: script
name: hot-files
description: Rank files by how often and how much they changed in git, with who changed them. A file that was renamed counts by its last name.
allowed_tools: ["git(log *)", "git(ls-files *)", "git(rev-parse --is-shallow-repository)"]
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
limits: {timeoutMs: 30000, maxToolCalls: 4, maxOutputBytes: 8388608, maxResultBytes: 67108864, maxMemoryBytes: 1073741824}
---*/
// @ts-check
/** @type {import("./scriptrun").Run<"hot-files">} */
export default async function run(ctx, inputs) {
  if (!/\d|yesterday|(mon|tues|wednes|thurs|fri|satur|sun)day|week|month|year|noon|midnight|today|now/.test(inputs.since)) ctx.fail(`since=${inputs.since} is no time; write one such as "90 days ago" or 2026-01-31`);
  const git = async (...args) => {
    const result = await ctx.tool("git", { args });
    if (result.exitCode !== 0) ctx.fail(result.output.trim());
    if (result.truncated) ctx.fail("the history is too long to be read; name a later since, or a smaller path");
    return result;
  };
  const [tracked, shallow, log] = await Promise.all([
    git("ls-files", "--", inputs.path),
    git("rev-parse", "--is-shallow-repository"),
    git("log", "-z", "--relative", `--since=${inputs.since}`, "--no-merges", "--full-history", "--numstat", "--format=%x01%aN", "--", inputs.path),
  ]);
  const there = new Set(tracked.data);
  if (there.size === 0 && log.output.trim() === "") ctx.fail(`git knows no files in ${inputs.path}`);

  const files = new Map(), later = new Map();
  let commits = 0, author = "";
  const parts = log.output.split("\0");
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i].replace(/^\n/, "");
    if (part.startsWith("\x01")) {
      commits += 1;
      author = part.slice(1);
      continue;
    }
    const change = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(part);
    if (!change) continue;
    let name = change[3];
    if (name === "") { // a rename: the two names follow
      name = later.get(parts[i + 2]) ?? parts[i + 2];
      later.set(parts[i + 1], name);
      i += 2;
    } else name = later.get(name) ?? name;
    const f = files.get(name) ?? { file: name, commits: 0, added: 0, deleted: 0, authors: new Map() };
    f.commits += 1;
    f.added += Number(change[1]) || 0; // a binary file has "-"
    f.deleted += Number(change[2]) || 0;
    f.authors.set(author, (f.authors.get(author) ?? 0) + 1);
    files.set(name, f);
  }
  const hottest = [...files.values()]
    .sort((a, b) => b.commits - a.commits || b.added + b.deleted - a.added - a.deleted || (a.file < b.file ? -1 : 1))
    .slice(0, inputs.limit)
    .map((f) => ({ ...f, authors: [...f.authors].sort((a, b) => b[1] - a[1]).map(([name]) => name), gone: !there.has(f.file) }));
  const report = { since: inputs.since, commits, files: files.size, shallow: shallow.output.trim() === "true", hottest };
  return inputs.format === "json" ? report : render(report);
}

function render(report) {
  const note = report.shallow ? ["The clone is shallow: what is older is not in it."] : [];
  if (report.commits === 0) return [`No commits since ${report.since}.`, ...note].join("\n");
  const rows = report.hottest.map((f) => {
    const who = f.authors.slice(0, 3).join(", ") + (f.authors.length > 3 ? ` and ${f.authors.length - 3} more` : "");
    return `${String(f.commits).padStart(5)}  +${String(f.added).padEnd(6)} -${String(f.deleted).padEnd(6)} ${f.file}${f.gone ? " (gone)" : ""}  (${who})`;
  });
  const more = report.files - report.hottest.length;
  return [`${report.commits} commits changed ${report.files} files since ${report.since}`, ...note, "", ...rows, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}
