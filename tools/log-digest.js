/*---
kind: script
name: log-digest
description: Digest a log file. Levels, bursts by minute, and the most frequent messages with numbers and ids masked; of a web server, the most frequent requests.
allowed_tools: [read]
input_schema:
  type: object
  required: [file]
  additionalProperties: false
  properties:
    file: {type: string}
    top: {type: integer, minimum: 1, maximum: 200, default: 10, description: how many messages to list}
    level: {type: string, description: "only lines of this level: trace, debug, info, notice, warn, error, fatal, panic, or none"}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 60000, maxToolCalls: 1000, maxOutputBytes: 8388608, maxResultBytes: 67108864, maxMemoryBytes: 1073741824}
---*/
// @ts-check
const PAGE = 4000;
const WORD = "trace|debug|info|notice|warn|warning|error|err|fatal|panic|critical";
const SAME = { warning: "warn", err: "error", critical: "fatal", i: "info", w: "warn", e: "error", f: "fatal" };

/** @type {import("./scriptrun").Run<"log-digest">} */
export default async function run(ctx, inputs) {
  const wanted = inputs.level && same(inputs.level.toLowerCase());
  if (wanted && wanted !== "none" && !WORD.split("|").includes(wanted)) ctx.fail(`there is no level ${inputs.level}; the levels are ${WORD.split("|").filter((w) => !SAME[w]).join(", ")} and none`);
  const levels = new Map(), minutes = new Map(), messages = new Map();
  let lines = 0, all = 0;
  for (let offset = 0; ; offset += PAGE) {
    const page = await ctx.tool("read", { file_path: inputs.file, offset, limit: PAGE });
    if (page.exitCode !== 0) ctx.fail(page.output);
    const { more, returned_lines: returned } = page.metadata.range;
    if (page.truncated || more && returned < PAGE) ctx.fail(`${inputs.file} has lines that are too long to read`);
    for (const [i, row] of page.text.split("\n").slice(0, returned).entries()) {
      if (row.trim() === "") continue;
      all += 1;
      const { level, minute, message, status } = parse(row);
      if (wanted && level !== wanted) continue;
      lines += 1;
      bump(levels, level);
      if (minute) bump(minutes, minute);
      const key = mask(message) + (status ? ` ${status}` : "");
      const known = messages.get(key) ?? { count: 0, line: offset + i + 1, message: key };
      known.count += 1;
      messages.set(key, known);
    }
    ctx.progress({ done: offset + returned, message: "lines" });
    if (!more) break;
  }
  const report = {
    file: inputs.file,
    lines,
    all,
    level: wanted ?? "",
    levels: Object.fromEntries(ranked(levels)),
    bursts: bursts(minutes),
    different: messages.size,
    messages: [...messages.values()].sort((a, b) => b.count - a.count || a.line - b.line).slice(0, inputs.top),
  };
  return inputs.format === "json" ? report : render(report);
}

const same = (word) => SAME[word] ?? word;
const UPPER = new RegExp(`\\b(${WORD.toUpperCase()})\\b`);
const MARKED = new RegExp(`\\b(?:level|lvl|severity)=["']?(${WORD})\\b|[\\[<(](${WORD})[\\]>)]|(?:^|\\s)(${WORD}):`, "i");
// Behind the time at the beginning of a line.
const LEADING = new RegExp(`^\\S*\\d{4}-\\d\\d-\\d\\d[T ]\\S*\\s+(${WORD})\\s`, "i");
const ISO = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/;
const APACHE = /\[(\d\d\/\w{3}\/\d{4}):(\d\d:\d\d)/;
// Web servers write who, when, "METHOD path protocol" and status.
const ACCESS = /^\S+ [^"[]*\[\d\d\/\w{3}\/\d{4}:[^\]]*\] "((?:[^"\\]|\\.)*)" (\d{3}) /;
const SYSLOG = /^(\w{3} [ \d]\d) (\d\d:\d\d):\d\d /;

// A line says its level as a field, in capitals, or with a mark around it; a word in the
// middle of a sentence is none.
function parse(row) {
  if (row.startsWith("{")) {
    try {
      const { level, severity, lvl, msg, message, time, ts, timestamp } = JSON.parse(row);
      const said = String(level ?? severity ?? lvl ?? "none").toLowerCase();
      const at = ISO.exec(String(time ?? ts ?? timestamp));
      return { level: same(said), minute: at && `${at[1]} ${at[2]}`, message: String(msg ?? message ?? row) };
    } catch {
      // it only looks like JSON
    }
  }
  const fields = logfmt(row);
  if (fields) return fields;
  const access = ACCESS.exec(row);
  if (access) {
    const at = APACHE.exec(row);
    return { level: "none", minute: at && `${at[1]} ${at[2]}`, message: request(access[1]), status: access[2] };
  }
  const marked = MARKED.exec(row)?.slice(1).find(Boolean) ?? UPPER.exec(row)?.[1] ?? LEADING.exec(row)?.[1] ?? /^([IWEF])\d{4} /.exec(row)?.[1] ?? "none";
  const at = ISO.exec(row) ?? APACHE.exec(row) ?? SYSLOG.exec(row);
  return { level: same(marked.toLowerCase()), minute: at && `${at[1]} ${at[2]}`, message: row.replace(/^\S*\d{4}-\d\d-\d\d[T ]\S*\s*/, "").replace(SYSLOG, "") };
}

// A line of key=value pairs with a level and a msg, as slog and logrus write it; undefined for any other.
function logfmt(row) {
  if (!/(?:^|\s)msg=/.test(row) || !/(?:^|\s)(?:level|lvl|severity)=/.test(row)) return undefined;
  const of = {};
  for (const [, key, text, word] of row.matchAll(/(?:^|\s)([\w.-]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g)) of[key] ??= text ?? word;
  const at = ISO.exec(of.time ?? of.ts ?? of.t ?? "") ?? ISO.exec(row);
  const said = String(of.level ?? of.lvl ?? of.severity ?? "none").toLowerCase();
  const why = of.err ?? of.error;
  return { level: same(said), minute: at && `${at[1]} ${at[2]}`, message: why ? `${of.msg}: ${why}` : of.msg };
}

// Requests are of one kind by method and path, without what is asked for by number.
function request(text) {
  const [, method, path] = /^([A-Z]+) (\S+)/.exec(text) ?? [];
  return method ? `${method} ${path.replace(/[?#].*/, "")}` : "(no request)";
}

const bump = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
const ranked = (map) => [...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

// What differs from one occurrence to the next is masked, so that a message
// counts as one.
function mask(line) {
  return line
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
  const head = report.level ? `${report.file}: ${report.lines} of ${report.all} lines are ${report.level}` : `${report.file}: ${report.lines} lines`;
  const out = [head, "levels: " + Object.entries(report.levels).map(([l, n]) => `${l} ${n}`).join(", ")];
  for (const b of report.bursts) out.push(`burst: ${b.minute}  ${b.count} lines (median ${b.median})`);
  out.push("", ...report.messages.map((m) => `${String(m.count).padStart(7)}  ${report.file}:${m.line}  ${m.message}`));
  const more = report.different - report.messages.length;
  if (more > 0) out.push(`… and ${more} other messages`);
  return out.join("\n");
}
