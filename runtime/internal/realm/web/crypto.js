// crypto: random values, digests, and HMAC. What else there is elsewhere is refused by name.
(function (native, part) {
  "use strict";
  const { DOMException } = part("exception");
  const { bytesOf } = part("text");
  const fail = (name, message) => { throw new DOMException(message, name); };
  let making = false;
  const illegal = () => { if (!making) throw new TypeError("Illegal constructor"); };

  const hashes = { "SHA-1": [512, 160], "SHA-256": [512, 256], "SHA-384": [1024, 384], "SHA-512": [1024, 512] };
  const names = Object.keys(hashes).join(", ");
  const nameOf = (algorithm) => {
    const name = algorithm !== null && typeof algorithm === "object" ? algorithm.name : algorithm;
    if (name === undefined || name === null) throw new TypeError("an algorithm has a name");
    return `${name}`;
  };
  const hashOf = (algorithm) => {
    const name = nameOf(algorithm), found = name.toUpperCase();
    return Object.hasOwn(hashes, found) ? found : fail("NotSupportedError", `there is no hash ${name} here, only ${names}`);
  };
  const isHMAC = (algorithm, what) => {
    const name = nameOf(algorithm);
    if (name.toUpperCase() !== "HMAC") fail("NotSupportedError", `crypto.subtle.${what} of ${name} is not supported here, only HMAC`);
  };
  const data = (value) => bytesOf(value).slice(); // it may be changed before the promise is settled
  const usagesOf = (list) => {
    if (list === null || list === undefined || typeof list[Symbol.iterator] !== "function") throw new TypeError("the usages of a key are a list");
    const given = [...list].map((u) => `${u}`);
    const known = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];
    for (const u of given) if (!known.includes(u)) throw new TypeError(`a key has no usage ${u}`);
    if (given.some((u) => u !== "sign" && u !== "verify")) fail("SyntaxError", "a key of HMAC is for sign and verify");
    if (given.length === 0) fail("SyntaxError", "a secret key needs a usage");
    return ["sign", "verify"].filter((u) => given.includes(u));
  };

  class CryptoKey {
    #bytes; #algorithm; #extractable; #usages;
    constructor(bytes, hash, extractable, usages) {
      illegal();
      this.#bytes = bytes;
      this.#algorithm = { hash: { name: hash }, length: bytes.length * 8, name: "HMAC" };
      this.#extractable = extractable;
      this.#usages = usages;
    }
    get type() { this.#bytes; return "secret"; }
    get extractable() { return this.#extractable; }
    get algorithm() { return this.#algorithm; }
    get usages() { return this.#usages; }
    static of(key) {
      if (typeof key !== "object" || key === null || !(#bytes in key)) throw new TypeError("it is no CryptoKey");
      return { bytes: key.#bytes, hash: key.#algorithm.hash.name, extractable: key.#extractable, usages: key.#usages };
    }
  }
  const { of } = CryptoKey;
  delete CryptoKey.of;
  const make = (Class, ...args) => {
    making = true;
    try { return new Class(...args); } finally { making = false; }
  };

  const base64url = (bytes) => part("base64").btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const fromJWK = (jwk, hash, extractable, usages) => {
    if (typeof jwk !== "object" || jwk === null) throw new TypeError("a key in JWK is an object");
    const bad = (why) => fail("DataError", "the key in JWK " + why);
    if (jwk.kty !== "oct") bad('has no kty "oct"');
    if (typeof jwk.k !== "string" || /[^A-Za-z0-9_-]/.test(jwk.k)) bad("has no k in base64url");
    if (jwk.alg !== undefined && jwk.alg !== "HS" + hash.slice(4)) bad(`is for ${jwk.alg}`);
    if (jwk.use !== undefined && jwk.use !== "sig") bad(`is for ${jwk.use}`);
    if (jwk.key_ops !== undefined && usages.some((u) => !jwk.key_ops.includes(u))) bad("is for other usages");
    if (jwk.ext === false && extractable) bad("cannot be extracted");
    const text = part("base64").atob(jwk.k.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(Array.from(text, (c) => c.charCodeAt(0)));
  };
  const lengthOf = (algorithm, bits) => {
    if (algorithm.length === undefined) return bits;
    const length = Number(algorithm.length);
    if (!Number.isInteger(length) || length < 0 || length > 0xffffffff) throw new TypeError("the length of a key is a number of bits");
    return length;
  };

  class SubtleCrypto {
    #own = true;
    constructor() { illegal(); }
    async digest(algorithm, input) {
      this.#own;
      if (arguments.length < 2) throw new TypeError("digest needs an algorithm and bytes");
      return native.digest(hashOf(algorithm), bytesOf(input));
    }
    async importKey(format, key, algorithm, extractable, usages) {
      this.#own;
      if (arguments.length < 5) throw new TypeError("importKey needs a format, a key, an algorithm, whether it is extractable, and usages");
      isHMAC(algorithm, "importKey");
      const hash = hashOf(algorithm.hash), allowed = usagesOf(usages);
      let bytes;
      switch (`${format}`) {
        case "raw": case "raw-secret": bytes = data(key); break;
        case "jwk": bytes = fromJWK(key, hash, Boolean(extractable), allowed); break;
        default: fail("NotSupportedError", `a key of HMAC is imported as raw or jwk, not as ${format}`);
      }
      if (bytes.length === 0) fail("DataError", "the key is empty");
      const length = lengthOf(algorithm, bytes.length * 8);
      if (length > bytes.length * 8 || length <= bytes.length * 8 - 8) fail("DataError", "the key has another length");
      return make(CryptoKey, bytes, hash, Boolean(extractable), allowed);
    }
    async generateKey(algorithm, extractable, usages) {
      this.#own;
      isHMAC(algorithm, "generateKey");
      const hash = hashOf(algorithm.hash), bits = lengthOf(algorithm, hashes[hash][0]), allowed = usagesOf(usages);
      if (bits === 0 || bits > 65536 * 8) fail("OperationError", "a key has 1 to 524,288 bits");
      const bytes = new Uint8Array(Math.ceil(bits / 8));
      native.fill(bytes);
      return make(CryptoKey, bytes, hash, Boolean(extractable), allowed);
    }
    async exportKey(format, key) {
      this.#own;
      const { bytes, hash, extractable, usages } = of(key);
      if (!["raw", "raw-secret", "jwk"].includes(`${format}`)) fail("NotSupportedError", `a key of HMAC is exported as raw or jwk, not as ${format}`);
      if (!extractable) fail("InvalidAccessError", "the key is not extractable");
      return `${format}` === "jwk"
        ? { kty: "oct", k: base64url(bytes), alg: "HS" + hash.slice(4), key_ops: [...usages], ext: true }
        : bytes.slice().buffer;
    }
    async sign(algorithm, key, input) {
      this.#own;
      const bytes = data(input);
      isHMAC(algorithm, "sign");
      const own = of(key);
      if (!own.usages.includes("sign")) fail("InvalidAccessError", "the key is not for sign");
      return native.hmac(own.hash, own.bytes, bytes);
    }
    async verify(algorithm, key, signature, input) {
      this.#own;
      const bytes = data(input), given = data(signature);
      isHMAC(algorithm, "verify");
      const own = of(key);
      if (!own.usages.includes("verify")) fail("InvalidAccessError", "the key is not for verify");
      return native.equal(new Uint8Array(native.hmac(own.hash, own.bytes, bytes)), given);
    }
  }
  for (const what of ["encrypt", "decrypt", "deriveBits", "deriveKey", "wrapKey", "unwrapKey"]) {
    const refused = { async [what](algorithm) {
      const name = typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm;
      fail("NotSupportedError", `crypto.subtle.${what}${typeof name === "string" ? " of " + name : ""} is not supported here; there are digest, and sign and verify of HMAC`);
    } }[what];
    Object.defineProperty(SubtleCrypto.prototype, what, { value: refused, writable: true, configurable: true });
  }
  const subtle = make(SubtleCrypto);

  const kindOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
  class Crypto {
    #own = true;
    constructor() { illegal(); }
    get subtle() { this.#own; return subtle; }
    getRandomValues(array) {
      this.#own;
      if (arguments.length === 0) throw new TypeError("getRandomValues needs a typed array");
      const kind = ArrayBuffer.isView(array) ? kindOf.call(array) : undefined;
      if (!ArrayBuffer.isView(array) || kind === undefined || kind.startsWith("Float")) {
        fail("TypeMismatchError", "getRandomValues fills a typed array of integers");
      }
      if (array.byteLength > 65536) fail("QuotaExceededError", `getRandomValues fills at most 65,536 bytes, not ${array.byteLength}`);
      native.fill(bytesOf(array));
      return array;
    }
    randomUUID() {
      this.#own;
      const bytes = new Uint8Array(16);
      native.fill(bytes);
      bytes[6] = bytes[6] & 0x0f | 0x40;
      bytes[8] = bytes[8] & 0x3f | 0x80;
      let text = "";
      bytes.forEach((b, i) => { text += (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + (b + 256).toString(16).slice(1); });
      return text;
    }
  }
  for (const c of [Crypto, SubtleCrypto, CryptoKey]) {
    Object.defineProperty(c.prototype, Symbol.toStringTag, { value: c.name, configurable: true });
    for (const key of Object.getOwnPropertyNames(c.prototype)) {
      if (key !== "constructor") Object.defineProperty(c.prototype, key, { enumerable: true });
    }
  }
  return { crypto: make(Crypto), Crypto, SubtleCrypto, CryptoKey };
})
