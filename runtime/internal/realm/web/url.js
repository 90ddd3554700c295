// URL. Its parts are what native returns; a part that is set is set there.
(function (native, part) {
  "use strict";
  const HREF = 0, PROTOCOL = 1, USERNAME = 2, PASSWORD = 3, HOSTNAME = 4, PORT = 5, PATHNAME = 6, SEARCH = 7, HASH = 8, ORIGIN = 9;

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
      if (this.#params !== null) link.update(this.#params, this.#parts[SEARCH]);
    }
    get href() { return this.#parts[HREF]; }
    set href(value) {
      const text = `${value}`, parts = native.parse(text, undefined);
      if (parts === null) throw invalid(text);
      this.#parts = parts;
      if (this.#params !== null) link.update(this.#params, parts[SEARCH]);
    }
    get origin() { return this.#parts[ORIGIN]; }
    get protocol() { return this.#parts[PROTOCOL]; }
    set protocol(value) { this.#set("protocol", value); }
    get username() { return this.#parts[USERNAME]; }
    set username(value) { this.#set("username", value); }
    get password() { return this.#parts[PASSWORD]; }
    set password(value) { this.#set("password", value); }
    get host() {
      const port = this.#parts[PORT];
      return port === "" ? this.#parts[HOSTNAME] : this.#parts[HOSTNAME] + ":" + port;
    }
    set host(value) { this.#set("host", value); }
    get hostname() { return this.#parts[HOSTNAME]; }
    set hostname(value) { this.#set("hostname", value); }
    get port() { return this.#parts[PORT]; }
    set port(value) { this.#set("port", value); }
    get pathname() { return this.#parts[PATHNAME]; }
    set pathname(value) { this.#set("pathname", value); }
    get search() { return this.#parts[SEARCH]; }
    set search(value) { this.#setSearch("search", value); }
    get searchParams() {
      const parts = this.#parts;
      return this.#params ??= link.make(parts[SEARCH], (query) => { this.#set("query", query); });
    }
    get hash() { return this.#parts[HASH]; }
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
