// URL. It is its text and where its parts are in that, as native says; a part that is set is
// set there.
(function (native, part) {
  "use strict";
  const HREF = 0, PROTOCOL = 1, USERNAME = 2, PASSWORD = 4, HOST = 6, PORT = 8, PATH = 10, SEARCH = 11, HASH = 12;
  const cut = (parts, from, to) => parts[from] === parts[to] ? "" : parts[HREF].slice(parts[from], parts[to]);
  const searchOf = (parts) => parts[HASH] - parts[SEARCH] < 2 ? "" : cut(parts, SEARCH, HASH);

  const invalid = (input, base) => {
    const shown = input.length > 200 ? input.slice(0, 200) + "…" : input;
    const error = new TypeError("Invalid URL: " + JSON.stringify(shown));
    error.code = "ERR_INVALID_URL";
    error.input = input;
    if (base !== undefined) error.base = base;
    return error;
  };
  const given = (base) => base === undefined ? undefined : `${base}`;

  class URL {
    #parts; #params = null;
    constructor(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError("a URL needs a text");
      const text = `${url}`, from = given(base);
      const parts = native.parse(text, from);
      if (parts === null) throw invalid(text, from);
      this.#parts = parts;
    }
    static canParse(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError("URL.canParse needs a text");
      return native.can(`${url}`, given(base));
    }
    static parse(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError("URL.parse needs a text");
      const text = `${url}`, from = given(base);
      return native.can(text, from) ? new URL(text, from) : null;
    }
    #set(what, value) {
      this.#parts = native.set(this.#parts[HREF], what, `${value}`);
    }
    #setSearch(what, value) {
      this.#set(what, value);
      if (this.#params !== null) link.update(this.#params, searchOf(this.#parts));
    }
    get href() { return this.#parts[HREF]; }
    set href(value) {
      const text = `${value}`, parts = native.parse(text, undefined);
      if (parts === null) throw invalid(text);
      this.#parts = parts;
      if (this.#params !== null) link.update(this.#params, searchOf(parts));
    }
    get origin() { return native.origin(this.#parts[HREF]); }
    get protocol() { return this.#parts[HREF].slice(0, this.#parts[PROTOCOL]); }
    set protocol(value) { this.#set("protocol", value); }
    get username() { return cut(this.#parts, USERNAME, USERNAME + 1); }
    set username(value) { this.#set("username", value); }
    get password() { return cut(this.#parts, PASSWORD, PASSWORD + 1); }
    set password(value) { this.#set("password", value); }
    get host() { return cut(this.#parts, HOST, PORT + 1); }
    set host(value) { this.#set("host", value); }
    get hostname() { return cut(this.#parts, HOST, HOST + 1); }
    set hostname(value) { this.#set("hostname", value); }
    get port() { return cut(this.#parts, PORT, PORT + 1); }
    set port(value) { this.#set("port", value); }
    get pathname() { return cut(this.#parts, PATH, SEARCH); }
    set pathname(value) { this.#set("pathname", value); }
    get search() { return searchOf(this.#parts); }
    set search(value) { this.#setSearch("search", value); }
    get searchParams() {
      const parts = this.#parts;
      return this.#params ??= link.make(searchOf(parts), (query) => { this.#set("query", query); });
    }
    get hash() { const parts = this.#parts; return parts[HREF].length - parts[HASH] < 2 ? "" : parts[HREF].slice(parts[HASH]); }
    set hash(value) { this.#set("hash", value); }
    toString() { return this.#parts[HREF]; }
    toJSON() { return this.#parts[HREF]; }
    static {
      URL.isOwn = (value) => typeof value === "object" && value !== null && #parts in value;
    }
  }
  const { isOwn } = URL;
  delete URL.isOwn;

  // The part searchparams is made when the first searchParams is read.
  const link = {
    make: (...args) => part("searchparams").link.make(...args),
    update: (...args) => part("searchparams").link.update(...args),
  };

  Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: "URL", configurable: true });
  for (const holder of [URL, URL.prototype]) {
    for (const key of Object.getOwnPropertyNames(holder)) {
      if (!["constructor", "length", "name", "prototype"].includes(key)) Object.defineProperty(holder, key, { enumerable: true });
    }
  }
  return { URL, isOwn };
})
