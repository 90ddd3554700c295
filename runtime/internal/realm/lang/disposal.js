// SuppressedError, DisposableStack and AsyncDisposableStack.
(function (kit, global) {
  "use strict";
  const { TypeError, Symbol, method, apply, isObject } = kit;
  const { Error, ReferenceError, Object } = global;

  function SuppressedError(error, suppressed, message) {
    const made = kit.construct(Error, message === undefined ? [] : [message], new.target || SuppressedError);
    kit.own(made, "error", error);
    kit.own(made, "suppressed", suppressed);
    return made;
  }
  Object.setPrototypeOf(SuppressedError, Error);
  const errors = Object.create(Error.prototype);
  kit.own(errors, "constructor", SuppressedError);
  kit.own(errors, "name", "SuppressedError");
  kit.own(errors, "message", "");
  kit.defineProperty(SuppressedError, "prototype", { value: errors, writable: false });
  if (!global.SuppressedError) kit.own(global, "SuppressedError", SuppressedError);

  const disposer = (value, asynchronous) => {
    if (!isObject(value)) throw new TypeError("what is used must be an object, null or undefined");
    if (asynchronous) {
      const found = method(value, Symbol.asyncDispose);
      if (found !== undefined) return () => apply(found, value, []);
    }
    const found = method(value, Symbol.dispose);
    if (found === undefined) throw new TypeError("what is used has no method Symbol.dispose");
    return asynchronous ? () => { apply(found, value, []); } : () => apply(found, value, []);
  };
  const callable = (f) => {
    if (typeof f !== "function") throw new TypeError("it is not a function");
  };
  const add = (list, f) => kit.put(list, list.length, f);
  const open = (list) => {
    if (list === undefined) throw new ReferenceError("the stack is disposed already");
    return list;
  };
  const joined = (error, failed) => (failed ? new SuppressedError(error, failed.error) : error);

  const make = (asynchronous) => class {
    #list = [];
    use(value) {
      const list = open(this.#list);
      if (value !== null && value !== undefined) add(list, disposer(value, asynchronous));
      else if (asynchronous) add(list, undefined);
      return value;
    }
    adopt(value, onDispose) {
      const list = open(this.#list);
      callable(onDispose);
      add(list, () => onDispose(value));
      return value;
    }
    defer(onDispose) {
      const list = open(this.#list);
      callable(onDispose);
      add(list, () => onDispose());
    }
    move() {
      const list = open(this.#list), moved = new Stack[asynchronous]();
      moved.#list = list;
      this.#list = undefined;
      return moved;
    }
    get disposed() { return this.#list === undefined; }
    static take(self) {
      const list = self.#list;
      self.#list = undefined;
      return list || [];
    }
  };
  const Stack = { false: make(false), true: make(true) };
  const { false: DisposableStack, true: AsyncDisposableStack } = Stack;
  const { take } = DisposableStack, { take: takeAsync } = AsyncDisposableStack;

  const ending = async (self) => {
    const list = takeAsync(self);
    let failed, waits = false, waited = false;
    for (let i = list.length - 1; i >= 0; i--) {
      if (list[i] === undefined) {
        waits = true;
        continue;
      }
      try {
        waited = true;
        await list[i]();
      } catch (error) {
        failed = { error: joined(error, failed) };
      }
    }
    if (waits && !waited) await undefined;
    if (failed) throw failed.error;
  };
  kit.define(DisposableStack.prototype, {
    dispose() {
      const list = take(this);
      let failed;
      for (let i = list.length - 1; i >= 0; i--) {
        try {
          list[i]();
        } catch (error) {
          failed = { error: joined(error, failed) };
        }
      }
      if (failed) throw failed.error;
    },
  });
  kit.define(AsyncDisposableStack.prototype, {
    disposeAsync() { return ending(this); },
  });
  const finish = (C, dispose, symbol, name) => {
    delete C.take;
    kit.defineProperty(C, "name", { value: name, configurable: true });
    kit.own(C.prototype, symbol, C.prototype[dispose]);
    kit.tag(C.prototype, name);
    kit.own(global, name, C);
  };
  finish(DisposableStack, "dispose", Symbol.dispose, "DisposableStack");
  finish(AsyncDisposableStack, "disposeAsync", Symbol.asyncDispose, "AsyncDisposableStack");
})
