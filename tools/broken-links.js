/*---
kind: script
name: broken-links
description: Find links in Markdown files, in HTML within them too, that lead to no file, folder or heading of the workspace. Web links are not fetched.
allowed_tools: [glob, grep, read]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: "."}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 300000, maxToolCalls: 1000, maxOutputBytes: 8388608, maxResultBytes: 16777216, maxMemoryBytes: 1073741824}
---*/
// @ts-check
const SITE = "it is an address of a site";
const MARKDOWN = /\.(md|markdown)$/i;

/** @type {import("./scriptrun").Run<"broken-links">} */
export default async function run(ctx, inputs) {
  // Links may lead out of the path that is checked, so all files are known.
  const [everything, documents] = await Promise.all([pages(ctx, "glob", { pattern: "**/*" }), readAll(ctx, inputs.path)]);
  const known = { files: new Set(everything), folders: new Set([""]), lower: new Map() };
  for (const file of everything) {
    known.lower.set(file.toLowerCase(), file);
    for (let at = file.lastIndexOf("/"); at > 0 && !known.folders.has(file.slice(0, at)); at = file.lastIndexOf("/", at - 1)) known.folders.add(file.slice(0, at));
  }
  const anchors = new Map();
  const anchorsOf = async (file) => {
    if (!anchors.has(file)) anchors.set(file, headings(documents.get(file) ?? withoutBlocks(await ctx.readFile(file))));
    return anchors.get(file);
  };
  const broken = [];
  let links = 0, unchecked = 0;
  for (const [file, text] of documents) {
    for (const link of linksOf(text)) {
      links += 1;
      const why = link.why ?? await wrong(file, link.target, known, anchorsOf);
      if (why === SITE) unchecked += 1;
      else if (why) broken.push({ file, line: link.line, target: link.target, why });
    }
  }
  const report = { documents: documents.size, links, unchecked, broken };
  return inputs.format === "json" ? report : render(report);
}

async function pages(ctx, name, args) {
  const entries = [];
  for (let cursor; ;) {
    const page = await ctx.tool(name, cursor ? { ...args, cursor } : args);
    if (page.exitCode !== 0) ctx.fail(page.output);
    for (const entry of page.data) entries.push(entry);
    cursor = page.metadata.next;
    if (!page.metadata.more) return entries;
    if (!cursor) ctx.fail("there are too many files; name a smaller path");
  }
}

// The documents come by the line, many of them in one call. A line that was too long for
// that makes its file be read.
async function readAll(ctx, path) {
  const lines = new Map(), long = new Set();
  for (const hit of await pages(ctx, "grep", { pattern: "^", path, glob: "**/*.{md,markdown,MD}", limit: 4000 })) {
    if (!lines.has(hit.file)) lines.set(hit.file, []);
    lines.get(hit.file)[hit.line - 1] = hit.text;
    if (/ … \(\d+ bytes\)$/.test(hit.text)) long.add(hit.file);
  }
  const texts = new Map([...lines].map(([file, rows]) => [file, rows.join("\n")]));
  if (long.size > 900) ctx.fail("there are too many documents with long lines; name a smaller path");
  await Promise.all([...long].map(async (file) => texts.set(file, await ctx.readFile(file))));
  return new Map([...texts].map(([file, text]) => [file, withoutBlocks(text)]));
}

async function wrong(file, target, { files, folders, lower }, anchorsOf) {
  let path, anchor;
  try {
    [path, anchor = ""] = target.split("#", 2).map((part, i) => decodeURIComponent(i === 0 ? part.split("?")[0] : part));
  } catch {
    return "it is not a URL";
  }
  let resolved = path === "" ? file : join(file.split("/").slice(0, -1), path);
  if (resolved === null) return "it leads out of the workspace";
  if (!files.has(resolved) && !folders.has(resolved)) {
    // GitHub takes a / at the beginning for the top of the repository, and generators of
    // sites for that of the site, where there are no files to be looked up.
    if (path.startsWith("/") && !(/\.\w+$/.test(resolved) && folders.has(resolved.split("/")[0]))) return SITE;
    const near = lower.get(resolved.toLowerCase()) ?? lower.get(resolved.toLowerCase() + ".md");
    return "there is no such file" + (near ? `; there is ${near}` : "");
  }
  if (folders.has(resolved)) resolved = lower.get(`${resolved}/readme.md`.replace(/^\//, "")) ?? "";
  if (anchor === "" || anchor === "top" || !MARKDOWN.test(resolved)) return "";
  return (await anchorsOf(resolved)).has(anchor.toLowerCase().replace(/^user-content-/, "")) ? "" : "there is no such heading";
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

const blank = (text) => text.replace(/[^\n]/g, " ");

// withoutBlocks is a document without what is no text of it: blocks of code, comments, and
// what stands above it about it. Lines and columns stay.
function withoutBlocks(text) {
  const rows = text.replace(/\r/g, "").replace(/^---\n[^]*?\n---(?=\n)/, blank).replace(/<!--[^]*?-->/g, blank).split("\n");
  let fence = "", base = 0, afterBlank = true; // base is how far the text of a list's entry is indented
  return rows.map((row) => {
    const [, mark, rest] = /^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})(.*)$/.exec(row) ?? [];
    if (fence) {
      if (mark && mark.startsWith(fence) && rest.trim() === "") fence = "";
      return "";
    }
    if (mark && !(mark[0] === "`" && rest.includes("`"))) {
      fence = mark;
      return "";
    }
    if (row.trim() === "") {
      afterBlank = true;
      return "";
    }
    const indent = /^[ \t]*/.exec(row)[0].replaceAll("\t", "    ").length;
    if (afterBlank && indent >= base + 4) return "";
    const entry = /^\s*([-*+]|\d+[.)]) {1,4}/.exec(row);
    if (entry) base = entry[0].length;
    else base = Math.min(base, indent);
    afterBlank = false;
    return row;
  }).join("\n");
}

// What stands between as many backticks, within a paragraph, is code.
function withoutCode(paragraph) {
  const runs = [...paragraph.matchAll(/\\`|`+/g)].filter((m) => m[0][0] === "`");
  let out = "", at = 0;
  for (let i = 0; i < runs.length; i++) {
    const end = runs.findIndex((m, j) => j > i && m[0].length === runs[i][0].length);
    if (end < 0) continue;
    const to = runs[end].index + runs[end][0].length;
    out += paragraph.slice(at, runs[i].index) + blank(paragraph.slice(runs[i].index, to));
    at = to;
    i = end;
  }
  return out + paragraph.slice(at);
}

// A destination stands in < >, or has no spaces and as many ( as ).
const INLINE = /[^\\]\]\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\]|\([^\s()]*\))*\))*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/g;
const DEFINITION = /^[ >]{0,6}\[(?!\^)((?:[^\]\\\n]|\\.)+)\]:[ \t]*\n?[ \t]*(?:<([^<>\n]*)>|(\S+))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/gm;
const USE = /(?:^|[^\w\]\\])\[((?:[^[\]\\]|\\.|\[[^[\]]*\])+)\]\[([^[\]\n]*)\]/g;
const HTML = /<(?:a|img|source|video|audio|iframe)\s(?:[^>]*?\s)?(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

function linksOf(document) {
  const found = [], defined = new Set();
  const label = (s) => s.trim().toLowerCase().replace(/\s+/g, " ");
  const unescape = (s) => s.replace(/\\([!-/:-@[-`{-~])/g, "$1").replaceAll("&amp;", "&");
  let line = 1;
  // Paragraph by paragraph, as no link goes beyond one.
  for (const part of document.split(/(\n(?:[ \t]*\n)+)/)) {
    const text = part.includes("`") ? withoutCode(part) : part;
    const take = (pattern, target) => {
      for (const m of text.matchAll(pattern)) found.push({ line: line + lineEnds(text.slice(0, m.index)) + (m[0].startsWith("\n") ? 1 : 0), ...target(m) });
    };
    if (text.includes("](")) take(INLINE, (m) => ({ target: unescape(m[1] ?? m[2]) }));
    if (text.includes("<")) take(HTML, (m) => ({ target: (m[1] ?? m[2] ?? m[3]).trim().replaceAll("&amp;", "&") }));
    if (text.includes("]:")) {
      take(DEFINITION, (m) => {
        defined.add(label(m[1]));
        return { target: unescape(m[2] ?? m[3]) };
      });
    }
    if (text.includes("][")) {
      take(USE, (m) => {
        const name = m[2] || m[1];
        return { target: `[${name}]`, use: m[1] === m[2] ? null : label(name) }; // [tab][tab] are keys
      });
    }
    line += lineEnds(part);
  }
  return found
    .filter((f) => f.use === undefined || f.use !== null && !defined.has(f.use))
    .filter((f) => !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(f.target) && !/\{\{|\{%|\$\{/.test(f.target))
    .map(({ line, target, use }) => ({ line, target, why: use && "this reference is defined nowhere" }))
    .sort((a, b) => a.line - b.line);
}

const lineEnds = (text) => text.split("\n").length - 1;

// Anchors as GitHub makes them: lower case, no punctuation, dashes for spaces.
function headings(text) {
  const seen = new Map(), out = new Set();
  const add = (heading) => {
    const explicit = /\{#([\w-]+)\}\s*$/.exec(heading)?.[1];
    if (explicit) out.add(explicit.toLowerCase());
    const plain = heading.replace(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, "$1").replace(/(`[^`]*`)|<\/?[a-z][^>]*>/gi, "$1").trim().toLowerCase();
    const slug = plain.replace(PUNCTUATION, "").replaceAll(" ", "-");
    let n = seen.get(slug) ?? 0, name = slug;
    for (; out.has(name); n++) name = `${slug}-${n + 1}`;
    seen.set(slug, n);
    out.add(name);
  };
  let above = "";
  for (const row of text.split("\n")) {
    for (const m of row.matchAll(/<[a-z][^>]*?\s(?:id|name)\s*=\s*["']?([^"'\s>]+)/gi)) out.add(m[1].toLowerCase());
    const heading = /^[ >]{0,5}#{1,6}\s+(.*?)(\s+#+)?\s*$/.exec(row)?.[1] ?? /<h[1-6][^>]*>(.*?)<\/h[1-6]>/i.exec(row)?.[1];
    if (heading !== undefined) add(heading);
    else if (/^ {0,3}(=+|-+)\s*$/.test(row) && above.trim() !== "") add(above);
    above = heading === undefined ? row : "";
  }
  return out;
}

// Letters and digits of all languages stay.
const PUNCTUATION = /[^\w\- \u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u200c\u200d\u2c00-\u2dff\u3005-\u3007\u3040-\ud7ff\uf900-\ufdff\ufe00-\ufe0f\ufe70-\ufeff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc]/g;

function render(report) {
  const head = `${report.links} links in ${report.documents} documents, ${report.broken.length} broken` +
    (report.unchecked > 0 ? `; ${report.unchecked} begin with / as addresses of a site do, and were not checked` : "");
  return [head, ...report.broken.map((b) => `${b.file}:${b.line}: ${b.target}: ${b.why}`)].join("\n");
}
