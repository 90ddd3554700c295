// ctx, made anew for every run. call(name, args, shape) is the one way out.
(function (call, progress) {
  "use strict";
  const RESULT = 0, OUTPUT = 1, TEXT = 2, DATA = 3;
  const freeze = Object.freeze;
  const isObject = (v) => typeof v === "object" && v !== null;

  // The A3S spelling of search options: {path, glob, "-i"}.
  const search = (options, glob) => {
    const args = isObject(options) ? { ...options } : {};
    if ("-i" in args) {
      args.case_sensitive = !args["-i"];
      delete args["-i"];
    }
    if (glob !== "glob" && "glob" in args) {
      args[glob] = args.glob;
      delete args.glob;
    }
    return args;
  };

  const make = {
    tool: () => (name, args) => call(name, args, RESULT),
    tools: () => new Proxy(freeze(Object.create(null)), {
      get: (_, name) => typeof name !== "string" || name === "then"
        ? undefined
        : (args) => call(name, args, RESULT),
    }),
    read: () => (path, options) => call("read", { ...options, file_path: path }, RESULT),
    readFile: () => (path, options) => call("read", { ...options, file_path: path }, TEXT),
    write: () => (path, content) => call("write", { file_path: path, content }, RESULT),
    edit: () => (path, from, to, options) =>
      call("edit", { ...options, file_path: path, old_string: from, new_string: to }, RESULT),
    ls: () => (path) => call("ls", path === undefined ? {} : { path }, OUTPUT),
    glob: () => (pattern, options) => call("glob", { ...options, pattern }, OUTPUT),
    grep: () => (query, options) => call("grep", { ...search(options, "glob"), pattern: query }, OUTPUT),
    search: () => (query, options) =>
      call("search", { mode: "grep", ...search(options, "include"), query }, OUTPUT),
    bm25: () => (query, options) =>
      call("search", { ...search(options, "include"), mode: "bm25", query }, OUTPUT),
    bash: () => (command, options) => call("bash", { ...options, command }, OUTPUT),
    shell: () => freeze({
      run: freeze((command, options) =>
        call("bash", { ...options, [Array.isArray(command) ? "argv" : "command"]: command }, DATA)),
    }),
    progress: () => progress,
  };

  // Each part is made and frozen when it is first asked for; most runs ask for
  // one or two of them.
  const made = Object.create(null);
  const ctx = {
    get tool() { return part("tool"); },
    get tools() { return part("tools"); },
    get read() { return part("read"); },
    get readFile() { return part("readFile"); },
    get write() { return part("write"); },
    get edit() { return part("edit"); },
    get ls() { return part("ls"); },
    get glob() { return part("glob"); },
    get grep() { return part("grep"); },
    get search() { return part("search"); },
    get bm25() { return part("bm25"); },
    get bash() { return part("bash"); },
    get shell() { return part("shell"); },
    get progress() { return part("progress"); },
  };
  const part = (name) => made[name] || (made[name] = freeze(make[name]()));
  return freeze(ctx);
})
