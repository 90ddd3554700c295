// Assertions. Values are compared as structured ones: prototypes, own enumerable properties, contents of collections.
"use strict";
class AssertionError extends Error {
	constructor({ message, actual, expected, operator } = {}) {
		super(message ?? `${require("util").inspect(actual)} ${operator} ${require("util").inspect(expected)}`);
		Object.assign(this, { name: "AssertionError", code: "ERR_ASSERTION", actual, expected, operator, generatedMessage: message === undefined });
	}
}

const fail = (actual, expected, operator, message) => {
	if (message instanceof Error) throw message;
	throw new AssertionError({ actual, expected, operator, message });
};

const boxed = (v) => [Number, String, Boolean, Symbol, BigInt].find((type) => v instanceof type);

const equal = (a, b, strict, pairs) => {
	const single = [a, b].map((v) => v === null || typeof v !== "object" && typeof v !== "function");
	if (strict ? Object.is(a, b) : a === b || single[0] && single[1] && (a == b || a !== a && b !== b)) return true;
	if (single[0] || single[1] || typeof a !== "object" || typeof b !== "object") return false;
	if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
	if (pairs.some(([x, y]) => x === a && y === b)) return true;
	const inner = (x, y) => equal(x, y, strict, [...pairs, [a, b]]);
	if (a instanceof Date && !Object.is(a.getTime(), b.getTime()) || a instanceof RegExp && (String(a) !== String(b) || a.lastIndex !== b.lastIndex)) return false;
	if (boxed(a) && !Object.is(a.valueOf(), b.valueOf())) return false;
	if (a instanceof Error && (a.message !== b.message || a.name !== b.name || !inner(a.cause, b.cause))) return false;
	if (a instanceof Promise || a instanceof WeakMap || a instanceof WeakSet) return false;
	if (a instanceof Set || a instanceof Map) {
		if (a.size !== b.size) return false;
		const rest = new Set(b instanceof Map ? b.entries() : b);
		for (const one of a instanceof Map ? a.entries() : a) {
			let found = [...rest].find((other) => Object.is(other, one)) ?? [...rest].find((other) => inner(one, other));
			if (found === undefined && !(one === undefined && rest.has(undefined))) return false;
			rest.delete(found);
		}
	}
	if (a instanceof ArrayBuffer) return inner(new Uint8Array(a), new Uint8Array(b));
	const keys = Reflect.ownKeys(a).filter((key) => Object.prototype.propertyIsEnumerable.call(a, key));
	const others = Reflect.ownKeys(b).filter((key) => Object.prototype.propertyIsEnumerable.call(b, key));
	if (Array.isArray(a) && a.length !== b.length || keys.length !== others.length) return false;
	return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && inner(a[key], b[key]));
};

// matches reports whether an error is what was expected: a class, a pattern, a function, or an object of its properties.
const matches = (error, expected) => {
	if (expected === undefined) return true;
	if (expected instanceof RegExp) return expected.test(String(error));
	if (typeof expected !== "function") return Reflect.ownKeys(expected).every((key) => expected[key] instanceof RegExp && typeof error[key] === "string" ? expected[key].test(error[key]) : equal(error[key], expected[key], true, []));
	if (expected.prototype !== undefined && error instanceof expected) return true;
	return !Error.isPrototypeOf(expected) && expected !== Error && expected.call({}, error) === true;
};

const assert = (value, message) => { if (!value) fail(value, true, "==", message); };
const check = (operator, right) => (actual, expected, message) => { if (!right(actual, expected)) fail(actual, expected, operator, message); };
const expectation = (expected, message) => typeof expected === "string" ? [undefined, expected] : [expected, message];

const thrown = (error, expected, message) => {
	[expected, message] = expectation(expected, message);
	if (!matches(error, expected)) throw typeof expected === "function" ? error : new AssertionError({ actual: error, expected, operator: "throws", message });
};

Object.assign(assert, {
	AssertionError, ok: assert, fail: (message = "Failed") => fail(undefined, undefined, "fail", message),
	equal: check("==", (a, b) => a == b || a !== a && b !== b), notEqual: check("!=", (a, b) => !(a == b || a !== a && b !== b)),
	strictEqual: check("strictEqual", Object.is), notStrictEqual: check("notStrictEqual", (a, b) => !Object.is(a, b)),
	deepEqual: check("deepEqual", (a, b) => equal(a, b, false, [])), notDeepEqual: check("notDeepEqual", (a, b) => !equal(a, b, false, [])),
	deepStrictEqual: check("deepStrictEqual", (a, b) => equal(a, b, true, [])), notDeepStrictEqual: check("notDeepStrictEqual", (a, b) => !equal(a, b, true, [])),
	match: check("match", (text, pattern) => typeof text === "string" && pattern.test(text)), doesNotMatch: check("doesNotMatch", (text, pattern) => typeof text !== "string" || !pattern.test(text)),
	ifError: (error) => { if (error !== null && error !== undefined) throw error; },
	throws(f, expected, message) {
		try {
			f();
		} catch (error) {
			return thrown(error, expected, message);
		}
		fail(undefined, expected, "throws", expectation(expected, message)[1] ?? "Missing expected exception.");
	},
	doesNotThrow: (f) => { f(); },
	async rejects(f, expected, message) {
		try {
			await (typeof f === "function" ? f() : f);
		} catch (error) {
			return thrown(error, expected, message);
		}
		fail(undefined, expected, "rejects", expectation(expected, message)[1] ?? "Missing expected rejection.");
	},
	doesNotReject: async (f) => { await (typeof f === "function" ? f() : f); },
});
assert.strict = Object.assign((value, message) => assert(value, message), assert, {
	equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict.strict = assert.strict;
module.exports = assert;
