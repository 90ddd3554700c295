/*---
kind: script
name: repo-map
description: Map a repository. For each folder, what it says of itself, its files by kind, and their size.
allowed_tools: [glob, grep, read]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: "."}
    depth: {type: integer, minimum: 1, maximum: 20, description: "how deep to list folders; if left out, as deep as 3 while there are at most 100"}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 30000, maxToolCalls: 1000, maxOutputBytes: 8388608, maxResultBytes: 16777216, maxMemoryBytes: 536870912}
---*/
// @ts-check
/** @type {import("./scriptrun").Run<"repo-map">} */
export default async function run(ctx, inputs) {
  const all = (name, args) => pages(ctx, name, { path: inputs.path, no_ignore: false, ...args });
  const found = await all("glob", { pattern: "**/*", details: true });
  const lines = (names, args) => (found.entries.some((f) => names.test(f.path)) ? all("grep", args) : { entries: [] });
  const [comments, manifests] = await Promise.all([
    lines(/\.(go|py|rs)$/, { pattern: COMMENT, glob: "**/*.{go,py,rs}", context: 3 }),
    lines(/(package\.json|\.toml)$/, { pattern: '^\\s*"?description"?\\s*[:=]\\s*"', glob: "**/{package.json,pyproject.toml,Cargo.toml}" }),
  ]);
  const top = inputs.path.split("/").filter((part) => part !== "" && part !== ".");
  const inside = (file) => file.split("/").slice(top.length, -1);
  const depth = inputs.depth ?? [3, 2, 1].find((d) => d === 1 || new Set(found.entries.map((f) => inside(f.path).slice(0, d).join("/"))).size <= 100);

  const folders = new Map();
  const folder = (parts) => {
    const path = [...top, ...parts].join("/") || ".";
    if (!folders.has(path)) folders.set(path, { path, depth: parts.length, files: 0, bytes: 0, kinds: {}, about: "" });
    return folders.get(path);
  };
  folder([]);
  const there = new Set([""]); // all folders, those that are not listed too
  for (const file of found.entries) {
    const whole = inside(file.path);
    for (let i = whole.length; i > 0 && !there.has(whole.slice(0, i).join("/")); i--) there.add(whole.slice(0, i).join("/"));
    // A file counts for its folder, or for the nearest above that is listed.
    const parts = whole.slice(0, depth);
    for (let i = 1; i < parts.length; i++) folder(parts.slice(0, i));
    const f = folder(parts);
    f.files += 1;
    f.bytes += file.size;
    f.kinds[kind(file.path)] = (f.kinds[kind(file.path)] ?? 0) + 1;
  }
  // A README says more than a manifest, and that more than a comment; of one kind the first counts.
  const say = (file, words) => {
    const f = folders.get(file.split("/").slice(0, -1).join("/") || ".");
    if (f && words && !f.about) f.about = words;
  };
  const readmes = found.entries.map((f) => f.path).filter((p) => /(^|\/)readme(\.md|\.markdown)?$/i.test(p) && inside(p).length <= depth);
  const heads = await Promise.all(readmes.slice(0, 900).map((file) => ctx.tool("read", { file_path: file, limit: 100 })));
  heads.forEach((head, i) => say(readmes[i], intro(head.text ?? "")));
  for (const hit of manifests.entries) say(hit.file, /[:=]\s*"(.*)"/.exec(hit.text)?.[1]);
  for (const hit of comments.entries) say(hit.file, comment(hit));

  const key = (path) => path.replaceAll("/", "\0"); // what lies in a folder follows it
  const list = [...folders.values()].sort((a, b) => (a.path === b.path ? 0 : a.depth === 0 || b.depth > 0 && key(a.path) < key(b.path) ? -1 : 1));
  const report = { files: found.entries.length, bytes: list.reduce((sum, f) => sum + f.bytes, 0), unreadable: found.unreadable, ignored: found.ignored, folders: list };
  return inputs.format === "json" ? report : render(report, there.size);
}

async function pages(ctx, name, args) {
  const entries = [];
  let unreadable = 0, ignored = 0;
  for (let cursor; ;) {
    const page = await ctx.tool(name, cursor ? { ...args, cursor } : args);
    if (page.exitCode !== 0) ctx.fail(page.output);
    for (const entry of page.data) entries.push(entry);
    unreadable += page.metadata.skipped.unreadable;
    ignored += page.metadata.skipped.ignored;
    cursor = page.metadata.next;
    if (!page.metadata.more) return { entries, unreadable, ignored };
    if (!cursor) ctx.fail("there are too many files; name a smaller path");
  }
}

// The comments with which packages of Go, Python and Rust begin.
const COMMENT = '^(// Package \\w+ |/\\*\\s*Package \\w+ |// Command [\\w-]+ [a-z]+s |Package \\w+ |[rR]?"""|//! )';

function comment({ file, line, text, before, after = [] }) {
  if (file.endsWith(".py")) return /(^|\/)__init__\.py$/.test(file) && line < 30 ? plain(text.replace(/^r?"""|"""$/gi, "") || after[0] || "") : "";
  if (file.endsWith(".rs") && !/(^|\/)(lib|main|mod)\.rs$/.test(file) || file.endsWith("_test.go")) return "";
  if (text.startsWith("Package ") && !/\/\*\s*$/.test(before?.at(-1) ?? "")) return "";
  const mark = /^\/\/!?/.exec(text)?.[0] ?? "";
  const end = after.findIndex((row) => !row.startsWith(mark) || row.slice(mark.length).trim() === "");
  return plain([text, ...(end < 0 ? after : after.slice(0, end))].map((row) => row.slice(mark.length).replace(/^\/\*/, "")).join(" "));
}

// intro is the first sentence of a document, or its title if it has none.
function intro(text) {
  let title = "", fence = "", paragraph = [];
  for (const row of [...text.replace(/<!--[^]*?-->/g, "").split("\n"), ""]) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(row)?.[1];
    if (fence) {
      if (mark?.startsWith(fence)) fence = "";
      continue;
    }
    const heading = /^ {0,3}#{1,6}\s+(.*?)#*\s*$/.exec(row)?.[1] ?? /<h1[^>]*>(.*)<\/h1>/i.exec(row)?.[1];
    const underlined = paragraph.length > 0 && /^ {0,3}(=+|-+)\s*$/.test(row);
    if (row.trim() !== "" && !mark && heading === undefined && !underlined && !/^( {4}|\t|\s*([-*+|>]|\d+\.)\s)/.test(row)) {
      paragraph.push(row);
      continue;
    }
    if (underlined) title ||= plain(paragraph.join(" "));
    else if (says(paragraph.join(" "))) return plain(paragraph.join(" "));
    title ||= plain(heading ?? "");
    paragraph = [];
    if (mark) fence = mark;
  }
  return title;
}

// A row of badges, or of links to other pages, says nothing.
function says(paragraph) {
  const words = plain(paragraph.replace(/\[[^\]]*\]\([^)]*\)|\[[^\]]*\]\[[^\]]*\]|<a\b[^]*?<\/a>/g, ""));
  return /[a-z\u00c0-\uffff]{2}.*\s.*[a-z\u00c0-\uffff]{2}/i.test(words);
}

const plain = (text) => text
  .replace(/!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])/g, "")
  .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, "$1")
  .replace(/<\/?[a-z][^>]*>/gi, "")
  .replace(/\*\*|__|`/g, "")
  .replace(/\s+/g, " ").trim()
  .replace(/^(.{20,}?[.!?])\s.*$/, "$1");

function kind(file) {
  const name = file.split("/").pop();
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : name;
}

function size(bytes) {
  for (const unit of ["B", "KB", "MB"]) {
    if (bytes < 1000) return `${bytes < 10 && unit !== "B" ? bytes.toFixed(1) : Math.round(bytes)} ${unit}`;
    bytes /= 1000;
  }
  return `${bytes.toFixed(1)} GB`;
}

function render(report, there) {
  const rows = report.folders.map((f) => {
    const kinds = Object.entries(f.kinds).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const rest = kinds.slice(4).reduce((sum, [, n]) => sum + n, 0);
    return {
      name: f.depth === 0 ? f.path : "  ".repeat(f.depth - 1) + f.path.split("/").pop() + "/",
      size: f.files === 0 ? "" : size(f.bytes),
      about: kinds.slice(0, 4).map(([k, n]) => `${n} ${k}`).join(", ") + (rest > 0 ? `, ${rest} more` : "") +
        (f.about ? "  — " + (f.about.length > 100 ? f.about.slice(0, 99) + "…" : f.about) : ""),
    };
  });
  const width = Math.min(40, Math.max(...rows.map((r) => r.name.length)));
  const listed = there > rows.length ? `, listed ${Math.max(...report.folders.map((f) => f.depth))} deep` : "";
  const unread = report.unreadable > 0 ? `; ${report.unreadable} folders could not be read` : "";
  const ignored = report.files === 0 && report.ignored > 0 ? `; ${report.ignored} files or folders do not count, as version control ignores them or they hold no sources` : "";
  return [`${report.files} files, ${size(report.bytes)}, in ${there} folders${listed}${unread}${ignored}`, "",
    ...rows.map((r) => `${r.name.padEnd(width)}  ${r.size.padStart(6)}  ${r.about}`.trimEnd())].join("\n");
}
