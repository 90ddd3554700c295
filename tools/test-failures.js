/*---
kind: script
name: test-failures
description: Summarise failing Go tests, each with its first error lines. Runs go test -json, or reads what it wrote.
allowed_tools: ["bash(go test -json *)", read]
input_schema:
  type: object
  additionalProperties: false
  properties:
    packages: {type: array, items: {type: string, pattern: "^[^-]"}, default: ["./..."], description: what to test}
    run: {type: string, description: only tests that match this expression}
    file: {type: string, description: "output of go test -json to read, instead of running tests"}
    lines: {type: integer, minimum: 1, maximum: 100, default: 12, description: lines of output for each failure}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 600000, maxToolCalls: 4, maxOutputBytes: 16777216}
---*/
export default async function run(ctx, inputs) {
  const text = inputs.file ? await ctx.readFile(inputs.file) : await test(ctx, inputs);
  const tests = new Map();
  const counts = { pass: 0, fail: 0, skip: 0 };
  const noise = [];
  for (const row of text.split("\n")) {
    let event;
    try {
      event = JSON.parse(row);
    } catch {
      if (row.trim()) noise.push(row); // what the compiler says is not JSON
      continue;
    }
    const name = event.Test ? `${event.Package}.${event.Test}` : event.Package ?? event.ImportPath;
    if (!tests.has(name)) tests.set(name, { package: event.Package ?? event.ImportPath, test: event.Test ?? "", seconds: 0, output: [], failed: false });
    const t = tests.get(name);
    if (event.Action === "output" || event.Action === "build-output") t.output.push(event.Output.replace(/\n$/, ""));
    if (event.Action === "build-fail") t.failed = true;
    if (["pass", "fail", "skip"].includes(event.Action)) {
      t.seconds = event.Elapsed ?? 0;
      t.failed = event.Action === "fail";
      if (event.Test) counts[event.Action] += 1;
    }
  }
  const failed = [...tests.values()].filter((t) => t.failed);
  // A package fails because of its tests, a test because of its subtests: the
  // innermost tell why.
  const reasons = failed.filter((t) => !failed.some((o) =>
    o !== t && o.package === t.package && o.test && (t.test === "" || o.test.startsWith(t.test + "/"))));
  const failures = reasons.map((t) => ({
    package: t.package, test: t.test, seconds: t.seconds,
    output: t.output.filter((l) => !/^\s*(=== |--- |PASS|FAIL|ok\s)/.test(l)).slice(0, inputs.lines),
  }));
  const report = { ...counts, failures, other: noise.slice(0, 50) };
  return inputs.format === "json" ? report : render(report);
}

async function test(ctx, inputs) {
  const args = ["go", "test", "-json"];
  if (inputs.run) args.push(`-run=${inputs.run}`);
  const result = await ctx.shell.run([...args, ...inputs.packages], { timeoutMs: 590000 });
  if (result.timedOut) throw new Error("go test did not end in time");
  if (!result.stdout.trim()) throw new Error(result.stderr.trim() || "go test wrote nothing");
  return result.stdout + "\n" + result.stderr;
}

function render(report) {
  const head = `${report.fail} failed, ${report.pass} passed, ${report.skip} skipped`;
  if (report.failures.length === 0) return [head, ...report.other].join("\n");
  const parts = report.failures.map((f) =>
    [`${f.package}${f.test ? " " + f.test : ""} (${f.seconds}s)`, ...f.output.map((l) => "    " + l.trim())].join("\n"));
  return [head, "", ...parts, ...report.other].join("\n");
}
