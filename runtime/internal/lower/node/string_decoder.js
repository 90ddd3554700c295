"use strict";
class StringDecoder {
	constructor(encoding = "utf8") {
		this.encoding = String(encoding).toLowerCase().replace("-", "");
		if (!Buffer.isEncoding(encoding)) throw new TypeError(`Unknown encoding: ${encoding}`);
		this.rest = Buffer.alloc(0);
		if (this.encoding === "utf8") this.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	}
	write(bytes) {
		if (typeof bytes === "string") return bytes;
		if (this.decoder) return this.decoder.decode(bytes, { stream: true });
		const all = Buffer.concat([this.rest, bytes]), size = { base64: 3, base64url: 3, utf16le: 2, ucs2: 2 }[this.encoding] ?? 1;
		const whole = all.length - all.length % size;
		this.rest = all.subarray(whole);
		return all.subarray(0, whole).toString(this.encoding);
	}
	end(bytes) {
		const text = bytes === undefined ? "" : this.write(bytes), rest = this.rest;
		this.rest = Buffer.alloc(0);
		return text + (this.decoder ? this.decoder.decode() : rest.toString(this.encoding));
	}
}
module.exports = { StringDecoder };
