/*---
kind: script
name: dependencies
description: List the dependencies that go.mod, package.json, pyproject.toml and requirements.txt files declare, each with its line, and those declared in several versions.
allowed_tools: [glob, read]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: "."}
    indirect: {type: boolean, default: false, description: include what go.mod marks as indirect}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 60000, maxToolCalls: 1000, maxOutputBytes: 16777216, maxResultBytes: 67108864}
---*/
// @ts-check
/** @type {import("./scriptrun").Run<"dependencies">} */
export default async function run(ctx, inputs) {
  const found = await ctx.tool("glob", { pattern: "**/{go.mod,package.json,pyproject.toml,requirements*.txt}", path: inputs.path });
  if (found.exitCode !== 0) ctx.fail(found.output);
  if (found.truncated || found.data.length > 950) ctx.fail(`there are ${found.data.length} manifests or more; name a smaller path`);
  const unread = [];
  const manifests = (await Promise.all(found.data.map(async (file) => {
    try {
      const dependencies = reader(file)(await ctx.readFile(file));
      return { file, dependencies: dependencies.filter((d) => inputs.indirect || !d.indirect) };
    } catch (e) {
      unread.push({ file, why: e.message });
      return null;
    }
  }))).filter(Boolean);
  const versions = new Map();
  for (const m of manifests) {
    for (const d of m.dependencies) {
      if (!versions.has(d.name)) versions.set(d.name, new Set());
      versions.get(d.name).add(d.version);
    }
  }
  const report = {
    manifests,
    total: versions.size,
    declared: manifests.reduce((sum, m) => sum + m.dependencies.length, 0),
    conflicts: [...versions].filter(([, v]) => v.size > 1).map(([name, v]) => ({ name, versions: [...v].sort() })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    unread: unread.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
  return inputs.format === "json" ? report : render(report);
}

const reader = (file) => (file.endsWith("go.mod") ? goMod : file.endsWith("package.json") ? packageJSON : file.endsWith(".toml") ? pyproject : requirements);

function goMod(text) {
  const out = [], replaced = new Map();
  let block = "";
  for (const [i, raw] of text.split("\n").entries()) {
    const [code, comment = ""] = raw.split("//", 2).map((part) => part.trim());
    const opened = /^(\w+)\s*\($/.exec(code);
    if (opened) block = opened[1];
    else if (code === ")") block = "";
    else {
      const words = (block ? `${block} ${code}` : code).split(/\s+/).map((word) => word.replace(/^"(.*)"$/, "$1"));
      if (words[0] === "require" && words.length === 3) out.push({ name: words[1], version: words[2], line: i + 1, indirect: /^indirect\b/.test(comment) });
      const arrow = words.indexOf("=>");
      if (words[0] === "replace" && arrow > 0) replaced.set(words[1] + (arrow === 3 ? ` ${words[2]}` : ""), words.slice(arrow + 1).join(" "));
    }
  }
  return out.map((d) => {
    const by = replaced.get(`${d.name} ${d.version}`) ?? replaced.get(d.name);
    return by ? { ...d, replacedBy: by } : d;
  });
}

function packageJSON(text) {
  const manifest = JSON.parse(text);
  const lines = text.split("\n");
  return ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap((kind) => {
    const from = lines.findIndex((line) => line.includes(`"${kind}"`));
    return Object.entries(manifest[kind] ?? {}).map(([name, version]) =>
      ({ name, version: String(version), line: lines.findIndex((line, i) => i >= from && line.includes(JSON.stringify(name))) + 1, kind, indirect: false }));
  });
}

// A requirement of Python: a name, extras, and a version, or where it is from.
function requirement(text, line, kind) {
  const url = /^(\w[\w+.-]*:\/\/\S+)/.exec(text.trim())?.[1];
  if (url) return [{ name: url, version: "any", line, kind, indirect: false }];
  const m = /^([A-Za-z0-9][\w.-]*)\s*(\[[^\]]*\])?\s*([^;#]*)/.exec(text.trim());
  return m ? [{ name: m[1].toLowerCase().replace(/[-_.]+/g, "-"), version: m[3].trim() || "any", line, kind, indirect: false }] : [];
}

function requirements(text) {
  // What follows on the next lines are options, such as hashes.
  return text.split("\n").flatMap((row, i) => requirement(row.replace(/\s#.*$/, "").replace(/\s*\\\s*$/, "").replace(/\s--\w.*$/, ""), i + 1));
}

// The lists of pyproject.toml, and the table that Poetry has.
function pyproject(text) {
  const out = [];
  let table = "", list = "";
  for (const [i, row] of text.split("\n").entries()) {
    const header = !list && /^\s*\[+([^\]]+)\]+/.exec(row)?.[1].trim();
    if (header) {
      table = header;
      continue;
    }
    let rest = row;
    const poetry = /^tool\.poetry\.(?:group\.(.+)\.)?(dev-)?dependencies$/.exec(table);
    const pair = !list && /^\s*"?([\w.-]+)"?\s*=\s*(.*)$/.exec(row);
    if (poetry && pair && pair[1] !== "python") out.push(...requirement(`${pair[1]} ${/^"([^"]*)"/.exec(pair[2])?.[1] ?? /version\s*=\s*"([^"]*)"/.exec(pair[2])?.[1] ?? pair[2]}`, i + 1, poetry[1] ?? poetry[2] ?? undefined));
    if (pair && pair[2].startsWith("[") && (table === "project" && pair[1] === "dependencies" || table === "project.optional-dependencies" || table === "dependency-groups")) {
      [list, rest] = [pair[1], pair[2].slice(1)];
    }
    if (!list) continue;
    for (const m of rest.matchAll(/#.*$|"([^"]*)"|'([^']*)'|\]/g)) {
      if (m[0] === "]") list = "";
      else if (m[0][0] !== "#" && list) out.push(...requirement(m[1] ?? m[2], i + 1, list === "dependencies" ? undefined : list));
    }
  }
  return out;
}

function render(report) {
  if (report.manifests.length + report.unread.length === 0) return "There is no go.mod, package.json, pyproject.toml or requirements.txt.";
  const lines = [`${report.total} dependencies in ${report.manifests.length} manifests`];
  for (const m of report.manifests) {
    lines.push("", `${m.file} (${m.dependencies.length})`);
    for (const d of m.dependencies) {
      const about = [d.kind && d.kind !== "dependencies" ? ` (${d.kind})` : "", d.replacedBy ? ` => ${d.replacedBy}` : ""].join("");
      lines.push(`  ${m.file}:${d.line}  ${d.name} ${d.version}${about}`);
    }
  }
  if (report.conflicts.length > 0) {
    lines.push("", "in several versions:");
    for (const c of report.conflicts) lines.push(`  ${c.name}: ${c.versions.join("; ")}`);
  }
  if (report.unread.length > 0) lines.push("", "not read:", ...report.unread.map((u) => `  ${u.file}: ${u.why}`));
  return lines.join("\n");
}
