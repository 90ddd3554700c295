/*---
kind: script
name: test-failures
description: Summarise failing Go tests and packages that do not build, each with its place and its first error lines. Runs go test -json, or reads what it wrote.
allowed_tools: ["bash(go test -json *)", read]
input_schema:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, default: ".", description: the folder to run go test in}
    packages: {type: array, items: {type: string, pattern: "^[^-]"}, default: ["./..."], description: what to test}
    run: {type: string, description: only tests that match this expression}
    file: {type: string, description: "output of go test -json to read, instead of running tests"}
    lines: {type: integer, minimum: 1, maximum: 100, default: 12, description: lines of output for each failure}
    format: {enum: [text, json], default: text}
output_schema:
  type: [object, string]
limits: {timeoutMs: 600000, maxToolCalls: 500, maxOutputBytes: 16777216, maxResultBytes: 67108864, maxMemoryBytes: 1073741824}
---*/
// @ts-check
/** @type {import("./scriptrun").Run<"test-failures">} */
export default async function run(ctx, inputs) {
  const text = inputs.file ? await readAll(ctx, inputs.file) : await test(ctx, inputs);
  const module = await moduleOf(ctx, inputs.path);
  const { packages, other } = parse(text);
  if (packages.size === 0) ctx.fail(inputs.file ? `${inputs.file} is not what go test -json writes` : text.trim());

  const report = { pass: 0, fail: 0, skip: 0, packages: packages.size, notBuilt: [], failures: [], bySubtests: 0, other };
  for (const p of [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (p.notBuilt) report.notBuilt.push({ package: p.name, ...cut(p.notBuilt, inputs.lines) });
    // A package fails because of its tests, a test because of its subtests: the
    // innermost tell why. Others are told of if they say why themselves.
    const failed = [...p.tests.values()].filter((t) => t.result === "fail");
    for (const t of p.tests.values()) {
      report[t.result] += 1;
      if (t.result !== "fail") continue;
      if (failed.some((o) => o.name.startsWith(t.name + "/")) && !t.output.some((l) => /\.go:\d+: /.test(l))) report.bySubtests += 1;
      else report.failures.push({ package: p.name, test: t.name, place: place(p.name, module, t.output), seconds: t.seconds, ...cut(t.output, inputs.lines) });
    }
    if (p.failed && !p.notBuilt && failed.length === 0) {
      report.failures.push({ package: p.name, test: "", place: place(p.name, module, p.output), seconds: p.seconds, ...cut(p.output, inputs.lines) });
    }
  }
  const offline = !inputs.file && /module lookup disabled by GOPROXY=off/.test(text) ? `\n\n${OFFLINE}` : "";
  const summary = render(report) + offline;
  if (!inputs.file && module === null && report.notBuilt.length === packages.size && /go\.mod file not found|main module/.test(text)) {
    ctx.fail(`${inputs.path === "." ? "the workspace" : inputs.path} is in no Go module: there is no go.mod in it or above it; set path to a folder that has one`);
  }
  if (report.notBuilt.length === packages.size) ctx.fail(summary, inputs.format === "json" ? report : undefined);
  if (report.fail + report.pass + report.skip + report.failures.length + report.notBuilt.length === 0) {
    ctx.fail(inputs.run ? `no test matches run=${inputs.run}` : `there are no tests in ${inputs.file || inputs.path}`);
  }
  return inputs.format === "json" ? report : summary;
}

const OFFLINE = 'Modules are missing, and go may not fetch them: let it, with [sandbox] network = ["preset:go"] in the settings (what it fetched stays), or run go mod vendor outside';

/** @param {any} ctx @param {import("./scriptrun").Inputs<"test-failures">} inputs */
async function test(ctx, { path, packages, run }) {
  const args = run ? [`-run=${run}`] : [];
  const result = await ctx.shell.run(["go", "test", "-json", ...args, ...packages], { cwd: path, timeoutMs: 590000 })
    .catch((error) => ctx.fail(error.output || error.message));
  if (result.timedOut) ctx.fail("go test did not end in time; name fewer packages");
  if (result.truncated) ctx.fail("go test wrote too much to be read; name fewer packages");
  if (result.stdout.trim() === "") {
    const said = result.stderr.trim();
    ctx.fail(/no packages/.test(said) || result.exitCode === 0 ? `there is nothing to test in ${path}: ${said}` : `the build failed; go test says:\n${said}`);
  }
  return `${result.stdout}\n${result.stderr}`;
}

// The module that a folder belongs to, and the module's own folder.
async function moduleOf(ctx, path) {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  for (; ; parts.pop()) {
    const goMod = await ctx.tool("read", { file_path: [...parts, "go.mod"].join("/") });
    if (goMod.exitCode === 0) return { path: /^module\s+"?([^\s"]+)/m.exec(goMod.text)?.[1] ?? "", folder: parts.map((part) => part + "/").join("") };
    if (parts.length === 0) return null;
  }
}

async function readAll(ctx, file) {
  const parts = [];
  for (let offset = 0; ; offset += 4000) {
    const page = await ctx.tool("read", { file_path: file, offset, limit: 4000 });
    if (page.exitCode !== 0) ctx.fail(page.output);
    const { more, returned_lines: returned } = page.metadata.range;
    if (page.truncated || more && returned < 4000) ctx.fail(`${file} is too large to read`);
    parts.push(page.text);
    if (!more) return parts.join("");
  }
}

function parse(text) {
  const packages = new Map(), builds = new Map(), other = [];
  for (const row of text.split("\n")) {
    let event;
    try {
      event = JSON.parse(row);
    } catch {
      if (row.trim()) other.push(row); // go itself, and compilers before Go 1.24, write text
      continue;
    }
    const line = event.Output?.replace(/\n$/, "");
    if (event.Action === "build-output") builds.set(event.ImportPath, [...(builds.get(event.ImportPath) ?? []), line]);
    if (!event.Package) continue;
    if (!packages.has(event.Package)) packages.set(event.Package, { name: event.Package, tests: new Map(), output: [], seconds: 0 });
    const p = packages.get(event.Package);
    if (event.Test && !p.tests.has(event.Test)) p.tests.set(event.Test, { name: event.Test, output: [], seconds: 0 });
    const at = event.Test ? p.tests.get(event.Test) : p;
    if (event.Action === "output" && / \[(build|setup) failed\]$/.test(line) && !event.Test) p.notBuilt = [];
    if (event.Action === "output" && !FRAME.test(line)) at.output.push(line);
    if (event.Action === "fail" && !event.Test) p.failed = true;
    if (event.Action === "fail" && event.FailedBuild) p.notBuilt = builds.get(event.FailedBuild) ?? [];
    if (["pass", "fail", "skip"].includes(event.Action)) {
      at.seconds = event.Elapsed ?? 0;
      if (event.Test) at.result = event.Action;
    }
  }
  for (const p of packages.values()) {
    for (const t of p.tests.values()) {
      if (t.result) continue;
      t.result = "fail";
      t.output.push("it did not end", ...p.output);
    }
  }
  return { packages, other };
}

// What go test writes around the words of tests.
const FRAME = /^\s*(=== (RUN|PAUSE|CONT|NAME) |--- (PASS|FAIL|SKIP|BENCH): |(PASS|FAIL)$|(FAIL|ok {2}|\? {3})\t)/;

function cut(lines, most) {
  return { output: lines.slice(0, most), more: Math.max(0, lines.length - most) };
}

// Where a test says that it failed: of a stack, the first line in the package itself.
function place(name, module, output) {
  const own = module && (name === module.path || name.startsWith(module.path + "/"));
  const inside = own && name !== module.path ? name.slice(module.path.length + 1) + "/" : "";
  for (const line of output) {
    const [, folder, file] = /^\s*((?:\/|[A-Za-z]:)\S*\/)?([^\s/:]+\.go:\d+)\b/.exec(line) ?? [];
    if (file && (!folder || own && folder.endsWith("/" + inside) && !/\/src\/(testing|runtime)\/$/.test(folder))) return (own ? module.folder : "") + inside + file;
  }
  return "";
}

function render(report) {
  const by = report.bySubtests > 0 ? ` (${report.bySubtests} by subtests)` : "";
  const tests = `${report.fail} failed${by}, ${report.pass} passed, ${report.skip} skipped`;
  const broken = report.notBuilt.length;
  const head = broken === 0 ? tests : `the build failed: ${broken} of ${report.packages} packages did not build; ${broken === report.packages ? "nothing was tested" : `of the others ${tests}`}`;
  const block = (title, { output, more }) =>
    [title, ...output.map((l) => "    " + l.replace(/^ {4}/, "")), ...(more > 0 ? [`    … ${more} more lines`] : [])].join("\n");
  const blocks = [
    ...report.notBuilt.map((b) => block(`${b.package} did not build`, b)),
    ...report.failures.map((f) => block(`${f.place ? f.place + ": " : ""}${f.test || "the package"} failed in ${f.package} (${f.seconds}s)`, f)),
  ];
  if (report.other.length > 0) blocks.push(block("go test also says", cut(report.other, 20)));
  return [head, ...blocks].join("\n\n");
}
