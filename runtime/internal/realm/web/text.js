// TextEncoder and TextDecoder.
(function (native, part) {
  "use strict";

  const bytesOf = (input) => {
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    if (native.isBuffer(input)) return new Uint8Array(input);
    throw new TypeError("the bytes must be an ArrayBuffer, a typed array or a DataView");
  };

  class TextEncoder {
    #own = true;
    get encoding() { this.#own; return "utf-8"; }
    encode(text = "") {
      this.#own;
      return new Uint8Array(native.encode(`${text}`));
    }
    encodeInto(source, destination) {
      this.#own;
      if (arguments.length < 2) throw new TypeError("encodeInto needs a text and a Uint8Array");
      const text = `${source}`;
      if (!(destination instanceof Uint8Array)) throw new TypeError("encodeInto writes into a Uint8Array");
      const [read, written] = native.encodeInto(text, destination);
      return { read, written };
    }
  }

  // The labels of the encoding standard for the encodings that are here.
  const labels = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16be": "unicodefffe utf-16be",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 " +
      "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
  };
  const encodingOf = (label) => {
    const asked = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").toLowerCase();
    for (const name of Object.keys(labels)) {
      if (labels[name].split(" ").includes(asked)) return name;
    }
    throw Object.assign(new RangeError(`The "${label}" encoding is not supported; there are ${Object.keys(labels).join(", ")}`),
      { code: "ERR_ENCODING_NOT_SUPPORTED" });
  };

  class TextDecoder {
    #encoding; #fatal; #ignoreBOM; #step;
    constructor(label = "utf-8", options = {}) {
      this.#encoding = encodingOf(`${label}`);
      if (options === null) options = {};
      if (typeof options !== "object" && typeof options !== "function") throw new TypeError("the options of a TextDecoder are an object");
      this.#fatal = Boolean(options.fatal);
      this.#ignoreBOM = Boolean(options.ignoreBOM);
      this.#step = native.decoder(this.#encoding, this.#fatal, this.#ignoreBOM);
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input, options) {
      const step = this.#step;
      const stream = options !== undefined && options !== null && Boolean(options.stream);
      const text = step(input === undefined ? undefined : bytesOf(input), stream);
      if (text !== null) return text;
      throw Object.assign(new TypeError("The encoded data was not valid for encoding " + this.#encoding), { code: "ERR_ENCODING_INVALID_ENCODED_DATA" });
    }
  }

  for (const c of [TextEncoder, TextDecoder]) {
    Object.defineProperty(c.prototype, Symbol.toStringTag, { value: c.name, configurable: true });
  }
  return { TextEncoder, TextDecoder, bytesOf };
})
