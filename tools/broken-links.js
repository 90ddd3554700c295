/*---
kind: script
name: broken-links
description: Find links in Markdown files that lead to no file, or to no heading, of the workspace. Web links are not fetched.
allowed_tools: [glob, read]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: "."}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 30000, maxToolCalls: 1000, maxOutputBytes: 8388608}
---*/
export default async function run(ctx, inputs) {
  // Links may lead out of the path that is checked, so all files are known.
  const [everything, checked] = await Promise.all([
    ctx.tool("glob", { pattern: "**/*" }),
    ctx.tool("glob", { pattern: "**/*.md", path: inputs.path }),
  ]);
  for (const result of [everything, checked]) {
    if (result.exitCode !== 0) throw new Error(result.output);
    if (result.truncated) throw new Error("there are too many files; name a smaller path");
  }
  const files = new Set(everything.data);
  const folders = new Set(everything.data.flatMap((file) => file.split("/").slice(0, -1).map((_, i, parts) => parts.slice(0, i + 1).join("/"))));
  const documents = new Map(await Promise.all(checked.data.slice(0, 900).map(async (file) => [file, await ctx.readFile(file)])));

  const anchors = new Map();
  const anchorsOf = async (file) => {
    if (!anchors.has(file)) anchors.set(file, headings(documents.get(file) ?? await ctx.readFile(file)));
    return anchors.get(file);
  };
  const broken = [];
  let links = 0;
  for (const [file, text] of documents) {
    for (const link of linksOf(text)) {
      links += 1;
      const why = await wrong(file, link.target, { files, folders, anchorsOf });
      if (why) broken.push({ file, line: link.line, target: link.target, why });
    }
  }
  const report = { documents: documents.size, links, broken };
  return inputs.format === "json" ? report : render(report);
}

async function wrong(file, target, { files, folders, anchorsOf }) {
  let [path, anchor] = target.split("#", 2);
  try {
    path = decodeURIComponent(path);
  } catch {
    return "it is not a URL";
  }
  const resolved = path === "" ? file : join(file.split("/").slice(0, -1), path);
  if (resolved === null) return "it leads out of the workspace";
  if (resolved !== "" && !files.has(resolved) && !folders.has(resolved)) return "there is no such file";
  if (!anchor || !resolved.endsWith(".md")) return "";
  return (await anchorsOf(resolved)).has(anchor.toLowerCase()) ? "" : "there is no such heading";
}

function join(folder, path) {
  const parts = path.startsWith("/") ? [] : [...folder];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

// Lines of code blocks are not text.
function* textLines(text) {
  let fence = "";
  let line = 0;
  for (const raw of text.split("\n")) {
    line += 1;
    const mark = /^\s*(```+|~~~+)/.exec(raw)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && raw.trim().startsWith(fence)) fence = "";
    else if (!fence) yield { line, text: raw.replace(/`[^`]*`/g, "") };
  }
}

function linksOf(text) {
  const out = [];
  for (const { line, text: row } of textLines(text)) {
    const targets = [...row.matchAll(/!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)/g), ...row.matchAll(/^\s*\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)/g)];
    for (const [, target] of targets) {
      if (!/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) out.push({ line, target });
    }
  }
  return out;
}

// Anchors as GitHub makes them: lower case, no punctuation, dashes for spaces.
function headings(text) {
  const seen = new Map();
  const out = new Set();
  let fence = false;
  for (const row of text.split("\n")) {
    if (/^\s*(```|~~~)/.test(row)) fence = !fence;
    const heading = !fence && /^#{1,6}\s+(.*?)\s*#*$/.exec(row)?.[1];
    const explicit = /<a\s+(?:id|name)="([^"]+)"/.exec(row)?.[1];
    if (explicit) out.add(explicit.toLowerCase());
    if (!heading) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = [...plain].filter((c) => c === " " || c === "-" || c === "_" || /[a-z0-9]/.test(c) || c > "\x7f").join("").replaceAll(" ", "-");
    const n = seen.get(slug) ?? 0;
    seen.set(slug, n + 1);
    out.add(n === 0 ? slug : `${slug}-${n}`);
  }
  return out;
}

function render(report) {
  const head = `${report.links} links in ${report.documents} documents, ${report.broken.length} broken`;
  return [head, ...report.broken.map((b) => `${b.file}:${b.line}: ${b.target}: ${b.why}`)].join("\n");
}
