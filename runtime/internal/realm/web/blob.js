// Blob and File: bytes that do not change.
(function (native, part) {
  "use strict";
  const { TextEncoder, TextDecoder, bytesOf } = part("text");
  const encoder = new TextEncoder();
  let brand;

  const typeOf = (type) => {
    const text = `${type}`;
    return /[^\x20-\x7e]/.test(text) ? "" : text.toLowerCase();
  };
  const object = (options, what) => {
    if (options === undefined || options === null) return {};
    if (typeof options !== "object" && typeof options !== "function") throw new TypeError("the options of a " + what + " are an object");
    return options;
  };

  class Blob {
    #bytes; #type;
    constructor(parts = [], options) {
      const iterate = typeof parts === "object" && parts !== null || typeof parts === "function" ? parts[Symbol.iterator] : undefined;
      if (typeof iterate !== "function") throw new TypeError("a Blob needs a list of its parts");
      // Parts are converted before the options are read, and line ends need those.
      const given = [];
      for (const p of { [Symbol.iterator]: () => iterate.call(parts) }) {
        given.push(Blob.#is(p) || ArrayBuffer.isView(p) || p instanceof ArrayBuffer ? p : `${p}`);
      }
      const settings = object(options, "Blob"), ends = settings.endings, endings = ends === undefined ? "transparent" : `${ends}`;
      const kind = settings.type, type = kind === undefined ? "" : `${kind}`;
      const unix = endings === "native";
      if (endings !== "transparent" && !unix) throw new TypeError(`endings is "transparent" or "native", not ${endings}`);
      const chunks = [];
      let size = 0;
      for (const p of given) {
        const chunk = typeof p === "string" ? encoder.encode(unix ? p.replace(/\r\n?|\n/g, "\n") : p)
          : Blob.#is(p) ? p.#bytes : bytesOf(p);
        chunks.push(chunk);
        size += chunk.length;
        if (!native.fits(size)) throw new RangeError("a Blob of " + size + " bytes is larger than the memory of the run");
      }
      this.#bytes = new Uint8Array(size);
      let at = 0;
      for (const chunk of chunks) {
        this.#bytes.set(chunk, at);
        at += chunk.length;
      }
      this.#type = typeOf(type);
    }
    get size() { return this.#bytes.length; }
    get type() { return this.#type; }
    slice(start, end, type = "") {
      const size = this.#bytes.length;
      const from = clamp(start, size, 0), to = clamp(end, size, size);
      const blob = new Blob();
      blob.#bytes = this.#bytes.subarray(from, Math.max(from, to));
      blob.#type = typeOf(type);
      return blob;
    }
    async text() { return new TextDecoder().decode(this.#bytes); }
    async arrayBuffer() { return this.#bytes.slice().buffer; }
    async bytes() { return this.#bytes.slice(); }
    static #is(value) { return typeof value === "object" && value !== null && #bytes in value; }
    static {
      brand = {
        is: Blob.#is,
        copy(value) {
          const blob = new Blob();
          blob.#bytes = value.#bytes;
          blob.#type = value.#type;
          return blob;
        },
        become(file, blob) { file.#bytes = blob.#bytes; file.#type = blob.#type; },
      };
    }
  }

  const clamp = (value, size, missing) => {
    if (value === undefined) return missing;
    const x = Number(value), down = Math.floor(x);
    // Halves go to the even number, as [Clamp] of Web IDL has it.
    const n = (x - down === 0.5 ? down + Math.abs(down % 2) : Math.round(x)) || 0;
    return n < 0 ? Math.max(size + n, 0) : Math.min(n, size);
  };

  class File extends Blob {
    #name; #modified;
    constructor(parts, name, options) {
      if (arguments.length < 2) throw new TypeError("a File needs a list of its parts and a name");
      super(parts, options);
      this.#name = `${name}`.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
      const modified = options?.lastModified;
      this.#modified = modified === undefined ? Date.now() : Math.trunc(Number(modified)) || 0;
    }
    get name() { return this.#name; }
    get lastModified() { return this.#modified; }
    static {
      const copy = brand.copy;
      brand.copy = (value) => {
        if (!(#name in value)) return copy(value);
        const file = new File([], value.#name, { lastModified: value.#modified });
        brand.become(file, value);
        return file;
      };
    }
  }

  for (const c of [Blob, File]) {
    Object.defineProperty(c.prototype, Symbol.toStringTag, { value: c.name, configurable: true });
    for (const key of Object.getOwnPropertyNames(c.prototype)) {
      if (key !== "constructor") Object.defineProperty(c.prototype, key, { enumerable: true });
    }
  }
  return { Blob, File, brand };
})
