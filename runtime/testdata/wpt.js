// As much of testharness.js as the tests of the web platform that run here use. It is no part
// of them: each assertion throws, and what a test throws fails it.
const self = globalThis;
const GLOBAL = self.GLOBAL = { isWindow: () => false, isWorker: () => false, isShadowRealm: () => false };
const failed = [], pending = [];
let passed = 0, elsewhere = 0, harnessInputs;
let structuredCloneBatteryOfTests;
const generate_tests = (f, list) => { for (const [name, ...args] of list) test(() => f(...args), name); };
const setup = (f) => { if (typeof f === "function") f(); };
const promise_setup = (f) => { pending.push(f()); };
const done = () => {};
const fetch = async (name) => ({ json: async () => harnessInputs[name] });
const fetch_json = async (name) => harnessInputs[name];
const format_value = (v) => { try { return typeof v === "string" ? JSON.stringify(v) : String(v); } catch { return "?"; } };
const subsetTest = (f, ...args) => f(...args);
const subsetTestByKey = (key, f, ...args) => f(...args);
const location = { href: "http://web-platform.test/", origin: "http://web-platform.test", search: "" };

class Failed extends Error {}
const fail = (...words) => { throw new Failed(words.filter((w) => w !== undefined).map(String).join(" ")); };
const same = (a, b) => Object.is(a, b);
const assert_true = (v, why) => { if (v !== true) fail(format_value(v), "is not true", why); };
const assert_false = (v, why) => { if (v !== false) fail(format_value(v), "is not false", why); };
const assert_equals = (a, b, why) => { if (!same(a, b)) fail(format_value(a), "is not", format_value(b), why); };
const assert_not_equals = (a, b, why) => { if (same(a, b)) fail(format_value(a), "is the same", why); };
const assert_in_array = (a, list, why) => { if (!list.includes(a)) fail(format_value(a), "is not in", list, why); };
const assert_array_equals = (a, b, why) => {
  if (a === null || typeof a !== "object" || a.length !== b.length) fail(format_value(a), "has not the length of", format_value(b), why);
  for (let i = 0; i < a.length; i++) if (!same(a[i], b[i])) fail("at", i, format_value(a[i]), "is not", format_value(b[i]), why);
};
const assert_object_equals = (a, b, why) => { if (JSON.stringify(a) !== JSON.stringify(b)) fail(JSON.stringify(a), "is not", JSON.stringify(b), why); };
const assert_greater_than = (a, b, why) => { if (!(a > b)) fail(a, "is not greater than", b, why); };
const assert_greater_than_equal = (a, b, why) => { if (!(a >= b)) fail(a, "is less than", b, why); };
const assert_less_than = (a, b, why) => { if (!(a < b)) fail(a, "is not less than", b, why); };
const assert_less_than_equal = (a, b, why) => { if (!(a <= b)) fail(a, "is greater than", b, why); };
const assert_approx_equals = (a, b, e, why) => { if (!(Math.abs(a - b) <= e)) fail(a, "is not about", b, why); };
const assert_regexp_match = (a, re, why) => { if (!re.test(a)) fail(a, "does not match", re, why); };
const assert_class_string = (v, name, why) => assert_equals({}.toString.call(v), "[object " + name + "]", why);
const assert_own_property = (o, name, why) => { if (!Object.prototype.hasOwnProperty.call(o, name)) fail("no own property", String(name), why); };
const assert_not_own_property = (o, name, why) => { if (Object.prototype.hasOwnProperty.call(o, name)) fail("an own property", String(name), why); };
const assert_inherits = (o, name, why) => { if (Object.prototype.hasOwnProperty.call(o, name) || !(name in o)) fail("does not inherit", String(name), why); };
const assert_readonly = (o, name, why) => { const old = o[name]; try { o[name] = old + "x"; } catch {} if (!same(o[name], old)) fail(String(name), "is not read-only", why); };
const assert_unreached = (why) => fail("it was reached", why);
const assert_idl_attribute = (o, name, why) => { if (!(name in o)) fail("no attribute", name, why); };
const assert_implements = (v, why) => { if (!v) fail("not implemented", why); };
const assert_implements_optional = assert_implements;
const assert_any = (f, a, list, ...more) => { for (const one of list) { try { return f(a, one, ...more); } catch {} } fail("none fits"); };
const thrown = (f, why) => { try { f(); } catch (e) { return e; } fail("nothing was thrown", why); };
const isOf = (e, Class, why) => { if (e === null || typeof e !== "object" || e.constructor !== Class || e.name !== Class.name) fail("it threw", format_value(e), "and no", Class.name, why); };
const assert_throws_js = (Class, f, why) => isOf(thrown(f, why), Class, why);
const assert_throws_exactly = (value, f, why) => assert_equals(thrown(f, why), value, why);
const names = { INDEX_SIZE_ERR: "IndexSizeError", INVALID_CHARACTER_ERR: "InvalidCharacterError", INVALID_STATE_ERR: "InvalidStateError", DATA_CLONE_ERR: "DataCloneError", NOT_SUPPORTED_ERR: "NotSupportedError" };
const isDOM = (e, name, why) => { if (!(e instanceof DOMException) || e.name !== (names[name] ?? name)) fail("it threw", format_value(e), "and no", name, why); };
const assert_throws_dom = (name, f, g, why) => typeof g === "function" ? isDOM(thrown(g, why), name, why) : isDOM(thrown(f, g), name, g);
const assert_throws_quotaexceedederror = (f) => isDOM(thrown(f), "QuotaExceededError");
const rejected = async (promise, why) => { try { await promise; } catch (e) { return e; } fail("it was not rejected", why); };
const promise_rejects_js = async (t, Class, promise, why) => isOf(await rejected(promise, why), Class, why);
const promise_rejects_dom = async (t, name, promise, other, why) => isDOM(await rejected(typeof promise === "function" ? other : promise, why), name, why);
const promise_rejects_exactly = async (t, value, promise, why) => assert_equals(await rejected(promise, why), value, why);

// notHere is about what scripts have not, and the documentation does not promise.
const notHere = (name, error) =>
  error instanceof ReferenceError && /^(document|Request|Response|FormData|MessageChannel|ReadableStream|WebAssembly|Float16Array) is not defined$/.test(error.message) ||
  /SharedArrayBuffer/.test(name) || /The ".*" encoding is not supported/.test(error.message) ||
  /MessagePort|Document|Float16|Resizable|Length-tracking|OOB/.test(name) || /generateKey of ECDSA is not supported/.test(error.message);

const ended = (name, error) => {
  if (error === undefined) passed++;
  else if (notHere(name, error)) elsewhere++;
  else failed.push(String(name).slice(0, 200) + ": " + String(error && error.message !== undefined ? error.name + " " + error.message : error).slice(0, 300));
};
const guard = (cleanups, t) => Object.assign(t, {
  add_cleanup: (f) => cleanups.push(f),
  step_timeout: (f, ms, ...args) => setTimeout(t.step_func(f), ms, ...args),
  step_wait: async (f) => { while (!f()) await new Promise((go) => setTimeout(go, 1)); },
  unreached_func: (why) => t.step_func(() => fail("it was reached", why)),
});
const clean = (cleanups) => { for (const f of cleanups) f(); };

function test(f, name) {
  const cleanups = [];
  let late;
  const t = guard(cleanups, {
    step: (g, ...args) => g(...args),
    step_func: (g) => (...args) => { try { return g(...args); } catch (e) { late = e; throw e; } },
    step_func_done: (g) => (...args) => { if (g) g(...args); },
    done() {},
  });
  try { f(t); clean(cleanups); ended(name, late); } catch (e) { clean(cleanups); ended(name, e); }
}
let last = Promise.resolve();
function promise_test(f, name) {
  const run = async () => {
    const cleanups = [];
    let late;
    const t = guard(cleanups, {
      step: (g, ...args) => g(...args),
      step_func: (g) => (...args) => { try { return g(...args); } catch (e) { late = e; throw e; } },
      step_func_done: (g) => (...args) => { if (g) g(...args); },
      done() {},
    });
    try { await f(t); ended(name, late); } catch (e) { ended(name, e); }
    clean(cleanups);
  };
  last = last.then(run);
  pending.push(last);
}
function async_test(f, name) {
  const title = typeof f === "string" ? f : name, cleanups = [];
  pending.push(new Promise((resolve) => {
    let over = false;
    const end = (e) => { if (!over) { over = true; clean(cleanups); ended(title, e); resolve(); } };
    const t = guard(cleanups, {
      step(g, ...args) { try { return g.apply(t, args); } catch (e) { end(e); } },
      step_func: (g) => (...args) => t.step(g, ...args),
      step_func_done: (g) => (...args) => { if (g) t.step(g, ...args); end(); },
      done: () => end(),
    });
    setTimeout(() => end(new Failed("it did not end")), 3000);
    if (typeof f === "function") t.step(f, t);
    async_test.made = t;
  }));
  return async_test.made;
}

export default async function run(ctx, inputs) {
  harnessInputs = inputs;
  await (async function () {
/* TESTS */
  }).call(globalThis);
  for (let i = 0; i < pending.length; i++) await pending[i];
  return { passed, failed, elsewhere };
}
