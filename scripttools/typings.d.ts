// Types of tool files, written by scriptrun types: run it again rather than change this file.
//
//	// @ts-check
//	/** @type {import("./scriptrun").Run<"NAME">} */
//	export default async function run(ctx, inputs) { … }

/** What a call gives. A call that failed has another exitCode than 0. */
export interface Result<Data = any> {
  readonly name: string;
  readonly output: string;
  /** The lines of a file that read read; null elsewhere. */
  readonly text: string | null;
  readonly exitCode: number;
  readonly data: Data;
  readonly metadata: any;
  readonly truncated: boolean;
}

/** Why a call rejects. */
export interface ToolError extends Error {
  readonly name: "ToolError";
  readonly code: "denied" | "unknown_tool" | "over_limit" | "invalid_args" | "failed" | "truncated" | "cancelled" | "not_found";
  readonly tool: string;
  readonly exitCode?: number;
  readonly output?: string;
}

export interface Entry {
  path: string;
  type: string;
  size: number;
  modified: string;
}

export interface Line {
  file: string;
  line: number;
  text: string;
  before?: string[];
  after?: string[];
}

/** How a command ended, and what it wrote. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  signal: string;
  timedOut: boolean;
  truncated: boolean;
  durationMs: number;
  oomKilled?: boolean;
  refused?: string[];
  stdoutEncoding?: "base64";
  stderrEncoding?: "base64";
}

/** What a command in the background has written so far. */
export interface CommandOutput extends Omit<CommandResult, "durationMs"> {
  output: string;
  next: number;
  running: boolean;
  droppedBytes: number;
}

/** A command in the background. */
export interface Command {
  output(options?: { since?: number }): Promise<CommandOutput>;
  waitOutput(options?: { since?: number; timeoutMs?: number }): Promise<CommandOutput>;
  write(input: string | Uint8Array | ArrayBuffer): Promise<void>;
  closeInput(): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
  wait(): Promise<CommandResult>;
  kill(signal?: string): Promise<void>;
  release(): Promise<void>;
}

/** The data of host tools that come with scriptrun, by the arguments of the call. */
interface Data<Args> {
  bash: CommandResult;
  delete: { trashed: string };
  edit: { replacements: number };
  fetch: { status: number; url: string; headers: Record<string, string>; body: string; encoding?: "base64" };
  glob: Args extends { details: true } ? Entry[] : string[];
  grep: Args extends { output_mode: "files_with_matches" } ? string[]
    : Args extends { output_mode: "count" } ? { file: string; count: number }[]
    : Args extends { output_mode: "summary" } ? { matches: number; files: number }
    : Line[];
  ls: { name: string; type: string; size: number; modified: string }[];
  move: { from: string; to: string };
  write: { bytes: number; created: boolean };
}

type DataOf<Name, Args> = Name extends keyof Data<Args> ? Data<Args>[Name] : any;

/** Arguments without names that the tool does not take. */
type Exactly<Args, Wanted> = Args & { [Key in Exclude<keyof Args, keyof Wanted>]: NoArgument<Key> };

interface NoArgument<Name> {
  "the tool has no argument of this name": Name;
}

type Without<Args, Keys extends string> = Omit<Args, Keys>;

interface Always<Calls extends keyof HostTools> {
  /** Calls a host tool. It resolves when the tool ran and failed: look at exitCode. */
  tool<Name extends Calls, const Args extends HostTools[Name]>(name: Name, args: Exactly<Args, HostTools[Name]>): Promise<Result<DataOf<Name, Args>>>;
  tool<Name extends Calls>(name: {} extends HostTools[Name] ? Name : never): Promise<Result<DataOf<Name, {}>>>;
  readonly tools: { readonly [Name in Calls]: <const Args extends HostTools[Name]>(args: Exactly<Args, HostTools[Name]>) => Promise<Result<DataOf<Name, Args>>> };
  /** Waits for a person; rejects if they say no. */
  approve(question: string, details?: unknown): Promise<true>;
  progress(report: { done?: number; total?: number; message?: string }): void;
  /** Throws: the tool could not do it, in its own words. */
  fail(message?: unknown, data?: unknown): never;
  webSearch(args: { query: string; [key: string]: unknown }): Promise<any>;
}

interface WithRead {
  read(path: string, options?: Without<HostTools["read"], "path">): Promise<Result>;
  readFile(path: string, options?: Without<HostTools["read"], "path">): Promise<string>;
}
interface WithWrite {
  write(path: string, content: string): Promise<Result<Data<{}>["write"]>>;
}
interface WithEdit {
  edit(path: string, from: string, to: string, options?: { replace_all?: boolean }): Promise<Result<Data<{}>["edit"]>>;
}
interface WithLs {
  ls(path?: string, options?: Without<HostTools["ls"], "path">): Promise<string>;
}
interface WithGlob {
  glob(pattern: string, options?: Without<HostTools["glob"], "pattern">): Promise<string>;
}
interface WithGrep {
  grep(pattern: string, options?: Without<HostTools["grep"], "pattern"> & { "-i"?: boolean }): Promise<string>;
}
interface WithSearch {
  search(query: string, options?: Without<HostTools["search"], "query" | "mode"> & { "-i"?: boolean }): Promise<string>;
  bm25(query: string, options?: Without<HostTools["search"], "query" | "mode"> & { "-i"?: boolean }): Promise<string>;
}
interface WithGit {
  git(words: string[], options?: Omit<HostTools["git"], "args">): Promise<Result>;
  git(args: HostTools["git"]): Promise<Result>;
}
interface WithBash {
  bash(command: string, options?: Without<HostTools["bash"], "command">): Promise<string>;
  verify(args: HostTools["bash"]): Promise<Result<CommandResult>>;
  readonly shell: {
    run(command: string | readonly string[], options?: Without<HostTools["bash"], "command" | "argv">): Promise<CommandResult>;
    start(command: string | readonly string[], options?: Without<HostTools["bash"], "command" | "argv">): Promise<Command & { readonly id: string }> & Command;
  };
}

/** What a script sees: calls of the host tools that its allowed_tools name. */
export type Context<Calls extends keyof HostTools = keyof HostTools> = Always<Calls>
  & ("read" extends Calls ? WithRead : {})
  & ("write" extends Calls ? WithWrite : {})
  & ("edit" extends Calls ? WithEdit : {})
  & ("ls" extends Calls ? WithLs : {})
  & ("glob" extends Calls ? WithGlob : {})
  & ("grep" extends Calls ? WithGrep : {})
  & ("search" extends Calls ? WithSearch : {})
  & ("git" extends Calls ? WithGit : {})
  & ("bash" extends Calls ? WithBash : {});

/** The function of a tool file. */
export type Run<Name extends keyof Tools> = (ctx: Context<Tools[Name]["calls"]>, inputs: Tools[Name]["inputs"]) => Tools[Name]["value"] | Promise<Tools[Name]["value"]>;
export type Inputs<Name extends keyof Tools> = Tools[Name]["inputs"];
export type Value<Name extends keyof Tools> = Tools[Name]["value"];
