// The parts of ctx, made anew for every run: what this returns gives one by its
// name. call(name, args, shape) is the one way to a tool.
(function (call, rare) {
  "use strict";
  const RESULT = 0, OUTPUT = 1, TEXT = 2, DATA = 3, START = 4, WORDS = 5, DONE = 6;
  const freeze = Object.freeze;

  // Each part is made and frozen when it is first asked for. It is one function
  // with a switch, as a table of functions would be made whole for every run,
  // and most runs use one or two of them.
  let made;
  const part = (key) => {
    made = made || {};
    return made[key] || (made[key] = freeze(make(key)));
  };
  const make = (key) => {
    // Options are an object: the letters of a text, or the elements of a list, are none.
    const given = (options, like) => {
      if (options === undefined || options === null || typeof options === "object" && !Array.isArray(options)) return options;
      throw new TypeError(`the options must be an object, as in ctx.${like}`);
    };
    const LINES = `${key}("a.txt", {limit: 10})`, WITHIN = `${key}("x", {path: "src"})`, LIST = 'ls("src", {limit: 10})';
    const COMMAND = key === "shell" ? 'shell.run("ls", {cwd: "src"})' : 'bash("ls", {cwd: "src"})';
    const EDIT = 'edit("a.txt", "from", "to", {replace_all: true})';
    // What a helper takes as its first argument is a text: an object there is the arguments of ctx.tool.
    const text = (value, like) => {
      if (typeof value !== "object" || value === null || value instanceof String || typeof value.toJSON === "function") return value;
      throw new TypeError(`ctx.${key} takes a text first, as in ctx.${like}`);
    };
    // More than a helper takes would be dropped without a word.
    const alone = (rest, why) => {
      if (rest.some((value) => value !== undefined)) throw new TypeError(`ctx.${key} ${why}`);
    };
    const command = (args, options) => {
      if (Array.isArray(args)) return { ...given(options, 'git(["log"], {limit: 10})'), args };
      alone([options], 'takes options after a list of words, as in ctx.git(["log"], {limit: 10})');
      if (typeof args !== "string") return args;
      throw new TypeError('ctx.git takes the words of a command, as in ctx.git(["log", "-5"]), or an object');
    };
    // The A3S spelling of an option: "-i".
    const search = (options) => {
      const args = { ...given(options, WITHIN) };
      if ("-i" in args) {
        args.case_sensitive = !args["-i"];
        delete args["-i"];
      }
      return args;
    };
    // What a command that was started is reached by. It is a promise of itself
    // too, so that it can be awaited, and used at once as well.
    const handle = (tool, starting) => {
      // What is written arrives in the order in which it was, awaited or not.
      let written = Promise.resolve();
      const inOrder = (write) => {
        const next = written.then(write);
        written = next.catch(() => {});
        return next;
      };
      const methods = (to) => ({
        output: (options) => to("output", { ...options }),
        waitOutput: (options) => to("waitOutput", { ...options }),
        write: (input) => {
          const taken = rare("copied", input);
          return inOrder(() => to("write", taken));
        },
        closeInput: () => inOrder(() => to("closeInput", {})),
        resize: (cols, rows) => to("resize", { cols, rows }),
        wait: () => to("wait", {}),
        kill: (signal) => to("kill", signal === undefined ? {} : { signal }),
        release: () => to("release", {}),
      });
      const running = starting.then((id) =>
        freeze({ id: `${tool}-${id}`, ...methods((operation, args) => rare("operate", id, tool, operation, args)) }));
      running.catch(() => {}); // whoever uses it hears of it
      return freeze(Object.assign(running, methods((operation, args) =>
        starting.then((id) => rare("operate", id, tool, operation, args)))));
    };
    switch (key) {
      case "tool": return (name, args, ...rest) =>
        call(name, args, RESULT, alone(rest, "takes a name and one object of arguments"));
      case "tools": {
        // It has what is granted; what is not is called all the same, and says why it is refused.
        const door = (name) => (args, ...rest) => {
          alone(rest, `has ${name}(args): one object of arguments`);
          return call(name, args, RESULT);
        };
        const granted = Object.create(null);
        const asked = { __proto__: null, then: 1, toJSON: 1, toString: 1, valueOf: 1 }; // of any object, by the engine
        for (const name of rare("names")) if (!(name in asked)) granted[name] = door(name);
        return new Proxy(freeze(granted), {
          get: (_, name) => typeof name !== "string" || name in asked
            ? undefined
            : granted[name] || door(name),
        });
      }
      case "read": return (path, options) => call("read", { ...given(options, LINES), file_path: text(path, LINES) }, DONE);
      case "readFile": return (path, options) => call("read", { ...given(options, LINES), file_path: text(path, LINES) }, TEXT);
      case "write": return (path, content, ...rest) =>
        call("write", { ...alone(rest, "takes a path and the whole text; to add to a file, read it first"), file_path: text(path, 'write("a.txt", "text")'), content }, DONE);
      case "edit": return (path, from, to, options) =>
        call("edit", { ...given(options, EDIT), file_path: text(path, EDIT), old_string: from, new_string: to }, DONE);
      case "ls": return (path, options) => call("ls", path === undefined ? { ...given(options, LIST) } : { ...given(options, LIST), path: text(path, LIST) }, OUTPUT);
      case "glob": return (pattern, options) => call("glob", { ...given(options, WITHIN), pattern: text(pattern, WITHIN) }, OUTPUT);
      case "grep": return (pattern, options) => call("grep", { ...search(options), pattern: text(pattern, WITHIN) }, OUTPUT);
      case "search": return (query, options) =>
        call("search", { mode: "grep", ...search(options), query: text(query, WITHIN) }, OUTPUT);
      case "bm25": return (query, options) =>
        call("search", { ...search(options), mode: "bm25", query: text(query, WITHIN) }, OUTPUT);
      case "bash": return (command, options) => call("bash", { ...given(options, COMMAND), command: text(command, COMMAND) }, WORDS);
      case "git": return (args, options) => call("git", command(args, options), DONE);
      case "webSearch": return (args) => call("web_search", args, DONE);
      // Whether the command failed is what it is asked for, so that is no rejection.
      case "verify": return (args) => call("bash", args, RESULT);
      case "shell": {
        const ask = (command, options, shape) =>
          call("bash", { ...given(options, COMMAND), [Array.isArray(command) ? "argv" : "command"]: command }, shape);
        return {
          run: freeze((command, options) => ask(command, options, DATA)),
          start: freeze((command, options) => handle("bash", ask(command, options, START))),
        };
      }
      case "approve": return (question, details) =>
        call("approve", details === undefined ? { question } : { question, details }, DATA);
      case "progress": return (report) => rare("progress", report);
      case "fail": return (message, data) => {
        if (data === undefined && typeof message === "object" && !(message instanceof Error)) {
          data = message ?? undefined;
          message = undefined;
        }
        const error = new Error(message === undefined ? "the tool could not do it" : message);
        error.name = "Failure";
        rare("failed", error, data);
        throw error;
      };
    }
  };
  return part;
})
