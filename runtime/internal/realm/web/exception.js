// DOMException: errors of the web platform, told apart by their names.
(function () {
  "use strict";

  const codes = {
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
    InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
    InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
    URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
  };
  const constants = [
    "INDEX_SIZE_ERR", "DOMSTRING_SIZE_ERR", "HIERARCHY_REQUEST_ERR", "WRONG_DOCUMENT_ERR", "INVALID_CHARACTER_ERR",
    "NO_DATA_ALLOWED_ERR", "NO_MODIFICATION_ALLOWED_ERR", "NOT_FOUND_ERR", "NOT_SUPPORTED_ERR", "INUSE_ATTRIBUTE_ERR",
    "INVALID_STATE_ERR", "SYNTAX_ERR", "INVALID_MODIFICATION_ERR", "NAMESPACE_ERR", "INVALID_ACCESS_ERR",
    "VALIDATION_ERR", "TYPE_MISMATCH_ERR", "SECURITY_ERR", "NETWORK_ERR", "ABORT_ERR", "URL_MISMATCH_ERR",
    "QUOTA_EXCEEDED_ERR", "TIMEOUT_ERR", "INVALID_NODE_TYPE_ERR", "DATA_CLONE_ERR",
  ];

  // What an exception knows is kept on an error of the language, for its stack.
  class Slots extends function (error) { return error; } {
    #name; #message;
    constructor(error, name, message) {
      super(error);
      this.#name = name;
      this.#message = message;
    }
    static in(value) { return typeof value === "object" && value !== null && #name in value; }
    static name(value) { return value.#name; }
    static message(value) { return value.#message; }
  }

  const { construct, defineProperty } = Reflect;
  let building = false;
  const DOMException = function DOMException(message = "", options = "Error") {
    if (new.target === undefined) throw new TypeError("DOMException is a class; write new DOMException");
    const given = typeof options === "object" && options !== null ? options : { name: options };
    const text = `${message}`, name = given.name === undefined ? "Error" : `${given.name}`;
    let error, stack;
    building = true; // an error reads its name and its message for its stack
    try { stack = (error = construct(Error, [], new.target)).stack; } finally { building = false; }
    if (typeof stack === "string") {
      const rest = stack.indexOf("\n"), head = text ? name + ": " + text : name;
      defineProperty(error, "stack", { value: rest < 0 ? head : head + stack.slice(rest), writable: true, configurable: true });
    }
    if (given !== options || !("cause" in given)) return new Slots(error, name, text);
    defineProperty(error, "cause", { value: given.cause, writable: true, configurable: true });
    return new Slots(error, name, text);
  };
  const prototype = Object.create(Error.prototype, {
    constructor: { value: DOMException, writable: true, configurable: true },
    [Symbol.toStringTag]: { value: "DOMException", configurable: true },
  });
  defineProperty(DOMException, "prototype", { value: prototype, writable: false });
  defineProperty(DOMException, "length", { value: 0, configurable: true });
  const getters = {
    get name() { return building ? "Error" : Slots.name(this); },
    get message() { return building ? "" : Slots.message(this); },
    get code() {
      const name = Slots.name(this);
      return Object.hasOwn(codes, name) ? codes[name] : 0;
    },
  };
  for (const key of ["name", "message", "code"]) defineProperty(prototype, key, Object.getOwnPropertyDescriptor(getters, key));
  constants.forEach((name, i) => {
    for (const holder of [DOMException, prototype]) defineProperty(holder, name, { value: i + 1, enumerable: true });
  });

  return { DOMException, isException: Slots.in };
})
