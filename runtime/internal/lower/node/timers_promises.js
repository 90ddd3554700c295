"use strict";
const wait = (ms, value, { signal } = {}) => new Promise((resolve, reject) => {
	if (signal?.aborted) return reject(signal.reason);
	const stop = () => { clearTimeout(timer); reject(signal.reason); };
	const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); resolve(value); }, ms);
	signal?.addEventListener("abort", stop);
});
module.exports = { setTimeout: wait, setImmediate: (value, options) => wait(0, value, options), scheduler: { wait: (ms, options) => wait(ms, undefined, options), yield: () => wait(0) } };
