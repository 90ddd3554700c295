// What code asks of its process. There are no arguments, no environment and no current folder.
"use strict";
const none = (name, instead) => () => { throw new Error(`process.${name} is not here; ${instead}`); };
module.exports = {
	argv: ["scriptrun", "script"], env: {}, platform: "linux", arch: "x64", version: "", versions: {}, pid: 1, execArgv: [], title: "scriptrun", browser: true,
	nextTick: (f, ...args) => queueMicrotask(() => f(...args)), hrtime: Object.assign(([s, n] = [0, 0]) => {
		const now = performance.now(), whole = Math.floor(now / 1e3) - s, rest = Math.floor(now % 1e3 * 1e6) - n;
		return rest < 0 ? [whole - 1, rest + 1e9] : [whole, rest];
	}, { bigint: () => BigInt(Math.floor(performance.now() * 1e6)) }),
	uptime: () => performance.now() / 1e3, emitWarning: (warning) => console.warn(String(warning)), on() { return this; }, once() { return this; }, off() { return this; }, emit: () => false, listeners: () => [],
	cwd: none("cwd()", "paths of ctx are below the workspace"), exit: none("exit()", "return from run, or call ctx.fail"), memoryUsage: none("memoryUsage()", "the report of the run says it"),
};
