/*---
kind: script
name: dependencies
description: List the dependencies that go.mod and package.json files declare, and those declared in several versions.
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
limits: {timeoutMs: 20000, maxToolCalls: 500, maxOutputBytes: 4194304}
---*/
export default async function run(ctx, inputs) {
  const found = await ctx.tool("glob", { pattern: "**/{go.mod,package.json}", path: inputs.path });
  if (found.exitCode !== 0) throw new Error(found.output);
  const manifests = await Promise.all(found.data.slice(0, 490).map(async (file) => {
    const text = await ctx.readFile(file);
    const dependencies = file.endsWith("go.mod") ? goMod(text) : packageJSON(text, file);
    return { file, dependencies: dependencies.filter((d) => inputs.indirect || !d.indirect) };
  }));
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
    conflicts: [...versions].filter(([, v]) => v.size > 1).map(([name, v]) => ({ name, versions: [...v].sort() })),
  };
  return inputs.format === "json" ? report : render(report);
}

function goMod(text) {
  const out = [];
  let block = false;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (/^require\s*\($/.test(line)) block = true;
    else if (line === ")") block = false;
    else {
      const m = /^(?:require\s+)?([^\s()]+\.[^\s()]+)\s+(v\S+)(\s*\/\/ indirect)?/.exec(line);
      if (m && (block || line.startsWith("require"))) out.push({ name: m[1], version: m[2], indirect: Boolean(m[3]) });
    }
  }
  return out;
}

function packageJSON(text, file) {
  let manifest;
  try {
    manifest = JSON.parse(text);
  } catch (e) {
    throw new Error(`${file} is not JSON: ${e.message}`);
  }
  return ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, version]) => ({ name, version: String(version), kind, indirect: false })));
}

function render(report) {
  if (report.manifests.length === 0) return "There is no go.mod and no package.json.";
  const lines = [`${report.total} dependencies in ${report.manifests.length} manifests`];
  for (const m of report.manifests) {
    lines.push("", `${m.file} (${m.dependencies.length})`);
    for (const d of m.dependencies) lines.push(`  ${d.name} ${d.version}${d.kind && d.kind !== "dependencies" ? ` (${d.kind})` : ""}`);
  }
  if (report.conflicts.length > 0) {
    lines.push("", "in several versions:");
    for (const c of report.conflicts) lines.push(`  ${c.name}: ${c.versions.join(", ")}`);
  }
  return lines.join("\n");
}
