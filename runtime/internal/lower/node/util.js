// What packages use of util. Text of values is for people, and simpler than Node's.
"use strict";
const custom = Symbol.for("nodejs.util.inspect.custom"), promised = Symbol.for("nodejs.util.promisify.custom");
const isTag = (tag) => (value) => Object.prototype.toString.call(value) === `[object ${tag}]`;

const types = {
	isArrayBuffer: (v) => v instanceof ArrayBuffer, isAnyArrayBuffer: (v) => v instanceof ArrayBuffer, isDate: (v) => v instanceof Date,
	isMap: (v) => v instanceof Map, isSet: (v) => v instanceof Set, isWeakMap: (v) => v instanceof WeakMap, isWeakSet: (v) => v instanceof WeakSet,
	isNativeError: (v) => v instanceof Error, isPromise: (v) => v instanceof Promise, isRegExp: (v) => v instanceof RegExp,
	isTypedArray: (v) => ArrayBuffer.isView(v) && !(v instanceof DataView), isUint8Array: (v) => v instanceof Uint8Array, isDataView: (v) => v instanceof DataView,
	isArrayBufferView: ArrayBuffer.isView, isGeneratorFunction: isTag("GeneratorFunction"), isGeneratorObject: isTag("Generator"),
	isAsyncFunction: (v) => isTag("AsyncFunction")(v) || isTag("AsyncGeneratorFunction")(v), isProxy: () => false,
	isBoxedPrimitive: (v) => [Number, String, Boolean, Symbol, BigInt].some((type) => Object(v) === v && v instanceof type),
};

// quoted puts a text in those quotes that it does not have.
const quoted = (text) => {
	const mark = ["'", '"', "`"].find((mark) => !text.includes(mark)) ?? "'";
	return mark + text.replace(/[\\\n\r\t\b\f\v]/g, (c) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v" })[c] ?? "\\\\").replaceAll(mark, "\\" + mark) + mark;
};

const inspectWith = (value, depth, above) => {
	const inner = (one) => inspectWith(one, depth - 1, [...above, value]);
	switch (typeof value) {
	case "string": return quoted(value);
	case "bigint": return `${value}n`;
	case "function": return value.name ? `[Function: ${value.name}]` : "[Function (anonymous)]";
	case "object": break;
	default: return Object.is(value, -0) ? "-0" : String(value);
	}
	if (value === null) return "null";
	if (above.includes(value)) return "[Circular]";
	if (typeof value[custom] === "function") {
		const made = value[custom](depth, { depth }, inspect);
		return typeof made === "string" ? made : inner(made);
	}
	if (value instanceof Error) return value.stack ?? String(value);
	if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
	if (value instanceof RegExp) return String(value);
	const name = Array.isArray(value) ? "Array" : value.constructor?.name ?? "[Object: null prototype]";
	if (depth < 0) return `[${name}]`;
	const head = name === "Object" || name === "Array" ? "" : name + " ";
	if (Array.isArray(value) || types.isTypedArray(value)) return `${head}[ ${Array.from(value, inner).join(", ")} ]`.replace("[  ]", "[]");
	if (value instanceof Map) return `Map(${value.size}) { ${[...value].map(([k, v]) => inner(k) + " => " + inner(v)).join(", ")} }`;
	if (value instanceof Set) return `Set(${value.size}) { ${[...value].map(inner).join(", ")} }`;
	if (value instanceof Promise) return "Promise {}";
	const rows = Object.keys(value).map((key) => `${/^[\w$]+$/.test(key) ? key : quoted(key)}: ${inner(value[key])}`);
	return rows.length ? `${head}{ ${rows.join(", ")} }` : head + "{}";
};
const inspect = (value, options) => inspectWith(value, options?.depth === null ? 100 : options?.depth ?? 2, []);
inspect.custom = custom;
inspect.defaultOptions = {};

const asText = (value) => typeof value === "string" ? value : typeof value === "object" || typeof value === "function" ? inspect(value, { depth: 0 }) : inspect(value);
const format = (first, ...rest) => {
	if (typeof first !== "string") return [first, ...rest].map((one) => typeof one === "string" ? one : inspect(one)).join(" ");
	if (!rest.length) return first;
	const text = first.replace(/%[sdifjoOc%]/g, (verb) => {
		if (verb === "%%") return "%";
		if (!rest.length) return verb;
		const value = rest.shift();
		switch (verb) {
		case "%s": return asText(value);
		case "%d": return typeof value === "bigint" ? `${value}n` : typeof value === "object" ? "NaN" : String(Number(value));
		case "%i": return typeof value === "bigint" ? `${value}n` : typeof value === "object" ? "NaN" : String(parseInt(value));
		case "%f": return typeof value === "symbol" ? "NaN" : String(parseFloat(value));
		case "%j": return JSON.stringify(value);
		case "%c": return "";
		default: return inspect(value, { depth: 4 });
		}
	});
	return [text, ...rest.map((one) => typeof one === "string" ? one : inspect(one))].join(" ");
};

const promisify = (callback) => {
	if (typeof callback !== "function") throw new TypeError('The "original" argument must be of type function');
	if (callback[promised]) return callback[promised];
	const made = function (...args) {
		return new Promise((resolve, reject) => callback.call(this, ...args, (error, value) => error ? reject(error) : resolve(value)));
	};
	return Object.defineProperty(made, "name", { value: callback.name });
};
promisify.custom = promised;

const callbackify = (original) => function (...args) {
	const done = args.pop();
	original.apply(this, args).then((value) => queueMicrotask(() => done(null, value)), (error) => queueMicrotask(() => done(error ?? new Error("rejected without a reason"))));
};

const inherits = (constructor, parent) => {
	Object.defineProperty(constructor, "super_", { value: parent, writable: true, configurable: true });
	Object.setPrototypeOf(constructor.prototype, parent.prototype);
};

const same = (a, b) => {
	try {
		require("assert").deepStrictEqual(a, b);
		return true;
	} catch {
		return false;
	}
};

module.exports = {
	types, inspect, format, promisify, callbackify, inherits, isDeepStrictEqual: same, deprecate: (f) => f, debuglog: () => Object.assign(() => {}, { enabled: false }),
	stripVTControlCharacters: (text) => String(text).replace(/\x1b\[[0-9;?]*[ -\/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, ""),
	toUSVString: (text) => String(text).toWellFormed(), TextEncoder, TextDecoder, isArray: Array.isArray,
};
module.exports.debug = module.exports.debuglog;
