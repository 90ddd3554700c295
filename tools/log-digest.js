/*---
kind: script
name: log-digest
description: Digest a log file. Levels, bursts by minute, and the most frequent messages with numbers and ids masked.
allowed_tools: [read]
input_schema:
  type: object
  required: [file]
  additionalProperties: false
  properties:
    file: {type: string}
    top: {type: integer, minimum: 1, maximum: 200, default: 10, description: how many messages to list}
    level: {type: string, description: "only lines of this level, such as error"}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 60000, maxToolCalls: 1000, maxOutputBytes: 8388608}
---*/
const PAGE = 20000;
const LEVEL = /\b(trace|debug|info|notice|warn(?:ing)?|error|err|fatal|panic|critical)\b/i;
const SAME = { warning: "warn", err: "error", critical: "fatal" };
const TIME = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/;

export default async function run(ctx, inputs) {
  const levels = new Map(), minutes = new Map(), messages = new Map();
  let lines = 0;
  for (let offset = 0; ; offset += PAGE) {
    const page = await ctx.tool("read", { file_path: inputs.file, offset, limit: PAGE });
    if (page.exitCode !== 0) throw new Error(page.output);
    const returned = page.metadata.range.returned_lines;
    for (const line of page.text.split("\n").slice(0, returned)) {
      if (line.trim() === "") continue;
      const word = LEVEL.exec(line)?.[1].toLowerCase() ?? "none";
      const level = SAME[word] ?? word;
      if (inputs.level && level !== inputs.level.toLowerCase()) continue;
      lines += 1;
      bump(levels, level);
      const time = TIME.exec(line);
      if (time) bump(minutes, `${time[1]} ${time[2]}`);
      bump(messages, mask(line));
    }
    ctx.progress({ done: offset + returned, message: "lines" });
    if (returned < PAGE) break;
  }
  const report = {
    file: inputs.file,
    lines,
    levels: Object.fromEntries(ranked(levels)),
    bursts: bursts(minutes),
    messages: ranked(messages).slice(0, inputs.top).map(([message, count]) => ({ count, message })),
  };
  return inputs.format === "json" ? report : render(report);
}

const bump = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
const ranked = (map) => [...map].sort((a, b) => b[1] - a[1]);

// What differs from one occurrence to the next is masked, so that a message
// counts as one.
function mask(line) {
  return line
    .replace(/^\S*\d{4}-\d\d-\d\d[T ]\S*\s*/, "")
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/gi, "<id>")
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/gi, "<hex>")
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\d+(\.\d+)?/g, "#")
    .trim()
    .slice(0, 200);
}

// A burst is a minute with more than three times the median of all minutes.
function bursts(minutes) {
  const counts = [...minutes.values()].sort((a, b) => a - b);
  const median = counts[Math.floor(counts.length / 2)] ?? 0;
  return ranked(minutes).filter(([, n]) => counts.length > 2 && n > 3 * median).slice(0, 10).map(([minute, count]) => ({ minute, count, median }));
}

function render(report) {
  const out = [`${report.file}: ${report.lines} lines`, "levels: " + Object.entries(report.levels).map(([l, n]) => `${l} ${n}`).join(", ")];
  for (const b of report.bursts) out.push(`burst: ${b.minute}  ${b.count} lines (median ${b.median})`);
  out.push("", ...report.messages.map((m) => `${String(m.count).padStart(7)}  ${m.message}`));
  return out.join("\n");
}
