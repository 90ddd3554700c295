/*---
kind: script
name: repo-map
description: Map a repository. For each folder, what it says of itself, its files by language, and their size.
allowed_tools: [glob, grep, ls]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: "."}
    depth: {type: integer, minimum: 1, maximum: 20, default: 3, description: how deep to list folders}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 20000, maxToolCalls: 20, maxOutputBytes: 8388608}
---*/
export default async function run(ctx, inputs) {
  const [all, packages, headings] = await Promise.all([
    ctx.tool("glob", { pattern: "**/*", path: inputs.path }),
    ctx.tool("grep", { pattern: "^(// Package |// Command [\\w-]+ [a-z]+s |\"\"\"|//! )", path: inputs.path, max_results: 5000 }),
    ctx.tool("grep", { pattern: "^# ", path: inputs.path, glob: "**/README.md", max_results: 2000 }),
  ]);
  for (const result of [all, packages, headings]) {
    if (result.exitCode !== 0) throw new Error(result.output);
  }
  const folders = new Map();
  const folder = (name) => {
    if (!folders.has(name)) folders.set(name, { path: name, files: 0, languages: {}, about: "" });
    return folders.get(name);
  };
  for (const file of all.data) {
    // A file counts for its folder, or for the ancestor that is listed.
    const parts = file.split("/");
    const name = parts.slice(0, Math.min(parts.length - 1, inputs.depth)).join("/") || ".";
    for (let i = 1; i < parts.length && i < inputs.depth; i++) folder(parts.slice(0, i).join("/"));
    const f = folder(name);
    f.files += 1;
    const language = extension(file);
    f.languages[language] = (f.languages[language] ?? 0) + 1;
  }
  // A README says more than a comment, a package's comment more than another's,
  // and the first more than the next.
  const comments = [...packages.data].reverse().sort((a, b) => /Package/.test(a.text) - /Package/.test(b.text));
  for (const hit of [...comments, ...headings.data]) {
    const f = folders.get(hit.file.split("/").slice(0, -1).join("/") || ".");
    if (f) f.about = hit.text.replace(/^(\/\/!?|#|""")\s*/, "").trim();
  }
  const list = [...folders.values()].sort((a, b) => a.path.localeCompare(b.path));
  const report = { files: all.data.length, truncated: all.truncated, folders: list };
  return inputs.format === "json" ? report : render(report);
}

function extension(file) {
  const name = file.split("/").pop();
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : name;
}

function render(report) {
  const rows = report.folders.map((f) => {
    const depth = f.path === "." ? 0 : f.path.split("/").length;
    const kinds = Object.entries(f.languages).sort((a, b) => b[1] - a[1]).slice(0, 4).map(([k, n]) => `${n} ${k}`).join(", ");
    const name = f.path === "." ? "." : "  ".repeat(depth - 1) + f.path.split("/").pop() + "/";
    return `${name.padEnd(28)} ${kinds}${f.about ? "  — " + f.about.slice(0, 100) : ""}`;
  });
  return [`${report.files} files in ${report.folders.length} folders`, "", ...rows].join("\n");
}
