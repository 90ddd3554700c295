// What the global crypto gives, under the names of Node. Hashes are asynchronous here.
"use strict";
const bytes = (size) => {
	const made = Buffer.alloc(size);
	for (let at = 0; at < size; at += 65536) crypto.getRandomValues(made.subarray(at, at + 65536));
	return made;
};
const randomInt = (from, to) => {
	if (to === undefined) [from, to] = [0, from];
	const range = to - from;
	if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || range <= 0 || range > 2 ** 48 - 1) throw new RangeError('The value of "max" is out of range');
	const most = 2 ** 48 - 2 ** 48 % range;
	for (;;) {
		const n = bytes(6).readUIntBE(0, 6);
		if (n < most) return from + n % range;
	}
};
const asynchronous = (name) => () => { throw new Error(`crypto.${name} is not here; await crypto.subtle.digest or crypto.subtle.sign`); };
module.exports = {
	webcrypto: crypto, subtle: crypto.subtle, getRandomValues: (array) => crypto.getRandomValues(array), randomUUID: () => crypto.randomUUID(),
	randomBytes: (size, done) => done ? void queueMicrotask(() => done(null, bytes(size))) : bytes(size), randomInt,
	randomFillSync: (array) => (new Uint8Array(array.buffer ?? array, array.byteOffset ?? 0, array.byteLength).set(bytes(array.byteLength)), array),
	timingSafeEqual: (a, b) => {
		if (a.byteLength !== b.byteLength) throw new RangeError("Input buffers must have the same byte length");
		let different = 0;
		const x = Buffer.from(a.buffer ?? a, a.byteOffset, a.byteLength), y = Buffer.from(b.buffer ?? b, b.byteOffset, b.byteLength);
		for (let i = 0; i < x.length; i++) different |= x[i] ^ y[i];
		return different === 0;
	},
	createHash: asynchronous("createHash"), createHmac: asynchronous("createHmac"), getHashes: () => [],
};
