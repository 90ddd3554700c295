// The methods of console that few scripts call. What it keeps is by label.
(function (native) {
  "use strict";
  const MAX_ROWS = 1000, MAX_COLUMNS = 40, MAX_CELL = 200;
  const counts = new Map(), times = new Map();
  let depth = 0;
  const labelOf = (label) => label === undefined ? "default" : `${label}`;
  const warn = (text) => native.log("warn", text);

  const cellOf = (value) => {
    const text = typeof value === "string" ? "'" + value + "'" : native.inspect(value);
    return (text.length > MAX_CELL ? text.slice(0, MAX_CELL - 1) + "…" : text).replace(/\n/g, "\\n");
  };
  const render = (head, rows, more) => {
    const widths = head.map((h, i) => 2 + rows.reduce((w, row) => Math.max(w, [...(row[i] ?? "")].length), [...h].length));
    const line = (left, middle, right) => left + widths.map((w) => "─".repeat(w)).join(middle) + right;
    const row = (cells) => "│" + widths.map((w, i) => {
      const cell = cells[i] ?? "", needed = w - [...cell].length;
      return " ".repeat(Math.floor(needed / 2)) + cell + " ".repeat(Math.ceil(needed / 2));
    }).join("│") + "│";
    const lines = [line("┌", "┬", "┐"), row(head), line("├", "┼", "┤"), ...rows.map(row), line("└", "┴", "┘")];
    if (more > 0) lines.push("… " + more + " more");
    return lines.join("\n");
  };

  const table = (data, wanted) => {
    if (wanted !== undefined && !Array.isArray(wanted)) throw new TypeError("the columns of console.table are a list");
    if (data === null || typeof data !== "object") return native.log("log", native.format(...(data === undefined ? [] : [data])));
    const rows = [], columns = [], seen = new Set();
    let values = false, total = 0, index = "(index)";
    const add = (key, value) => {
      if (++total > MAX_ROWS) return;
      const row = { key, cells: new Map(), value: undefined };
      if (value !== null && (typeof value === "object" || typeof value === "function")) {
        for (const name of wanted ?? Object.keys(value)) {
          if (!seen.has(name)) {
            if (columns.length >= MAX_COLUMNS) continue;
            seen.add(name);
            columns.push(String(name));
          }
          if (Object.hasOwn(value, name)) row.cells.set(String(name), cellOf(value[name]));
        }
      } else {
        values = true;
        row.value = cellOf(value);
      }
      rows.push(row);
    };
    if (data instanceof Map) {
      index = "(iteration index)";
      const pairs = [];
      for (const [k, v] of data) if (++total <= MAX_ROWS) pairs.push([String(total - 1), cellOf(k), cellOf(v)]);
      return native.log("log", render([index, "Key", "Values"], pairs, total - pairs.length));
    }
    if (data instanceof Set) {
      index = "(iteration index)";
      let i = 0;
      for (const v of data) add(String(i++), v);
    } else {
      for (const key of Object.keys(data)) add(key, data[key]);
    }
    const head = [index, ...columns];
    if (values) head.push("Values");
    native.log("log", render(head, rows.map((row) =>
      [row.key, ...columns.map((c) => row.cells.get(c) ?? ""), ...(values ? [row.value ?? ""] : [])]), total - rows.length));
  };

  const spent = (label, method) => {
    if (times.has(label)) {
      const ms = native.elapsed() - times.get(label);
      return label + ": " + (ms >= 1000 ? (ms / 1000).toFixed(3) + "s" : Number(ms.toFixed(3)) + "ms");
    }
    warn(`No such label '${label}' for console.${method}()`);
    return undefined;
  };
  const group = (...args) => {
    if (args.length > 0) native.log("log", native.format(...args));
    native.indent(++depth);
  };

  return {
    table,
    group,
    groupCollapsed: group,
    groupEnd: () => { if (depth > 0) native.indent(--depth); },
    dir: (value) => native.log("log", native.format(value)),
    dirxml: (...args) => native.log("log", native.format(...args)),
    assert: (condition, ...args) => {
      if (condition) return;
      if (typeof args[0] === "string") args[0] = "Assertion failed: " + args[0];
      else args.unshift("Assertion failed");
      native.log("error", native.format(...args));
    },
    trace: (...args) => native.log("error", (args.length > 0 ? "Trace: " + native.format(...args) : "Trace") + native.places()),
    count: (label) => {
      const name = labelOf(label), n = (counts.get(name) ?? 0) + 1;
      counts.set(name, n);
      native.log("log", name + ": " + n);
    },
    countReset: (label) => {
      const name = labelOf(label);
      if (!counts.delete(name)) warn(`Count for '${name}' does not exist`);
    },
    time: (label) => {
      const name = labelOf(label);
      if (times.has(name)) warn(`Label '${name}' already exists for console.time()`);
      else times.set(name, native.elapsed());
    },
    timeEnd: (label) => {
      const name = labelOf(label), text = spent(name, "timeEnd");
      if (text !== undefined) native.log("log", text);
      times.delete(name);
    },
    timeLog: (label, ...args) => {
      const text = spent(labelOf(label), "timeLog");
      if (text !== undefined) native.log("log", native.format(text, ...args));
    },
  };
})
