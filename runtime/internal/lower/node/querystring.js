// Query strings in the form that they had before URLSearchParams.
"use strict";
const escape = encodeURIComponent;
const unescape = (text) => {
	try {
		return decodeURIComponent(text);
	} catch {
		return Buffer.from(text.replace(/%([0-9a-f]{2})|[^]/gi, (whole, hex) => hex ? String.fromCharCode(parseInt(hex, 16)) : String.fromCharCode(...Buffer.from(whole))), "latin1").toString();
	}
};
const primitive = (value) => ["string", "boolean", "bigint"].includes(typeof value) || Number.isFinite(value) ? escape(String(value)) : "";

const stringify = (object, separator = "&", equals = "=") => Object.entries(object ?? {}).flatMap(([key, value]) =>
	(Array.isArray(value) ? value : [value]).map((one) => escape(key) + equals + primitive(one))).join(separator);

const parse = (text, separator = "&", equals = "=", { maxKeys = 1000 } = {}) => {
	const found = Object.create(null);
	for (const pair of typeof text === "string" && text ? text.split(separator, maxKeys > 0 ? maxKeys : undefined) : []) {
		if (pair === "") continue;
		const at = pair.indexOf(equals), plain = (part) => unescape(part.replaceAll("+", " "));
		const key = plain(at < 0 ? pair : pair.slice(0, at)), value = at < 0 ? "" : plain(pair.slice(at + equals.length));
		found[key] = key in found ? [found[key], value].flat() : value;
	}
	return found;
};
module.exports = { parse, stringify, escape, unescape, decode: parse, encode: stringify };
