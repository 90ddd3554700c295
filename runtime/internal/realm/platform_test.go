package realm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// platformCase is an expression and its value as JSON; an error is its text.
type platformCase struct{ code, want string }

// platform checks cases, all of them in one realm: what is measured is what a script sees.
func platform(t *testing.T, cases []platformCase) {
	t.Helper()
	var b strings.Builder
	b.WriteString("export default async function run() {\nconst out = [];\nconst each = async (f) => { try { const v = await f(); out.push(v === undefined ? 'undefined' : JSON.stringify(v)); } catch (e) { out.push(String(e)); } };\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "await each(async () => (%s));\n", c.code)
	}
	b.WriteString("return out.map((one) => one + '\\x01').join('') }")
	e := run(t, b.String(), nil)
	if e.throw != nil {
		t.Fatalf("%+v", e.throw)
	}
	got := strings.Split(unquoted(t, e.value), "\x01")
	if len(got) != len(cases)+1 {
		t.Fatalf("%d answers to %d cases", len(got)-1, len(cases))
	}
	for i, c := range cases {
		if got[i] != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.code, got[i], c.want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	platform(t, []platformCase{
		{`[...new TextEncoder().encode("é\ud800€")]`, `[195,169,239,191,189,226,130,172]`},
		{`new TextEncoder().encodeInto("a€b", new Uint8Array(3))`, `{"read":1,"written":1}`},
		{`new TextEncoder().encodeInto("😀", new Uint8Array(9))`, `{"read":2,"written":4}`},
		{`new TextDecoder().decode(Uint8Array.of(0xf0, 0x9f, 0x92, 0x41, 0xff, 0xfe))`, `"�A��"`},
		{`new TextDecoder().decode(Uint8Array.of(0xed, 0xa0, 0x80))`, `"���"`},
		{`new TextDecoder().decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))`, `"A"`},
		{`new TextDecoder("utf-8", {ignoreBOM: true}).decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41)).length`, `2`},
		{`(() => { const d = new TextDecoder(); return d.decode(Uint8Array.of(0xe2, 0x82), {stream: true}) + "|" + d.decode(Uint8Array.of(0xac)) })()`, `"|€"`},
		{`(() => { const d = new TextDecoder(); return d.decode(Uint8Array.of(0xe2, 0x82), {stream: true}) + d.decode() })()`, `"�"`},
		{`new TextDecoder("utf-8", {fatal: true}).decode(Uint8Array.of(0xff))`, `TypeError: The encoded data was not valid for encoding utf-8`},
		{`new TextDecoder(" Latin1 ").encoding`, `"windows-1252"`},
		{`new TextDecoder("latin1").decode(Uint8Array.of(0x80, 0xe9, 0x9f))`, `"€éŸ"`},
		{`new TextDecoder("utf-16").decode(Uint8Array.of(0x3d, 0xd8, 0x00, 0xde))`, `"😀"`},
		{`new TextDecoder("utf-16be").decode(Uint8Array.of(0xfe, 0xff, 0x00, 0x41, 0xd8, 0x00))`, `"A�"`},
		{`new TextDecoder("shift_jis")`, `RangeError: The "shift_jis" encoding is not supported; there are utf-8, utf-16le, utf-16be, windows-1252`},
		{`new TextDecoder().decode(new DataView(Uint8Array.of(65, 66, 67).buffer, 1))`, `"BC"`},
		{`new TextDecoder().decode([65])`, `TypeError: the bytes must be an ArrayBuffer, a typed array or a DataView`},
		{`atob(" YW\nI= ")`, `"ab"`},
		{`atob("YQ")`, `"a"`},
		{`atob("YQ===")`, `InvalidCharacterError: atob: the text is not base64`},
		{`atob("YQ=")`, `InvalidCharacterError: atob: the text is not base64`},
		{`atob("Y")`, `InvalidCharacterError: atob: the text is not base64`},
		{`atob("YQ\u000b")`, `InvalidCharacterError: atob: the text is not base64`},
		{`atob(null).length`, `3`},
		{`atob("gICA").length`, `3`},
		{`btoa("\x00\xff")`, `"AP8="`},
		{`btoa(undefined)`, `"dW5kZWZpbmVk"`},
		{`btoa("€")`, `InvalidCharacterError: btoa: a character is above U+00FF; encode the text first, as in Buffer.from(text).toString("base64")`},
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	platform(t, []platformCase{
		{`(() => { const d = new DOMException("m", "AbortError"); return [d.name, d.message, d.code, d instanceof Error, DOMException.ABORT_ERR] })()`, `["AbortError","m",20,true,20]`},
		{`new DOMException().name`, `"Error"`},
		{`DOMException.prototype.name`, `TypeError: Cannot read private member #name from an object whose class did not declare it`},
		{`(() => { const t = new EventTarget(), seen = []; t.addEventListener("x", (e) => seen.push(e.type, e.target === t, e.eventPhase)); t.dispatchEvent(new Event("x")); return seen })()`, `["x",true,2]`},
		{`(() => { const t = new EventTarget(); let n = 0; t.addEventListener("x", () => n++, {once: true}); t.dispatchEvent(new Event("x")); t.dispatchEvent(new Event("x")); return n })()`, `1`},
		{`(() => { const t = new EventTarget(), c = new AbortController(); let n = 0; t.addEventListener("x", () => n++, {signal: c.signal}); c.abort(); t.dispatchEvent(new Event("x")); return n })()`, `0`},
		{`(() => { const t = new EventTarget(); t.addEventListener("x", (e) => e.preventDefault()); return [t.dispatchEvent(new Event("x")), t.dispatchEvent(new Event("x", {cancelable: true}))] })()`, `[true,false]`},
		{`new CustomEvent("x", {detail: {a: 1}}).detail`, `{"a":1}`},
		{`new AbortSignal()`, `TypeError: Illegal constructor: AbortController, AbortSignal.abort, any and timeout make a signal`},
		{`AbortSignal.abort().reason.name`, `"AbortError"`},
		{`AbortSignal.abort(1).throwIfAborted()`, `1`},
		{`(() => { const a = new AbortController(), b = new AbortController(), any = AbortSignal.any([a.signal, b.signal]); let n = 0; any.onabort = () => n++; b.abort("why"); a.abort(); return [any.aborted, any.reason, n] })()`, `[true,"why",1]`},
		{`new Promise((done) => { const s = AbortSignal.timeout(1); s.onabort = () => done(s.reason.name) })`, `"TimeoutError"`},
		{`AbortSignal.timeout(-1)`, `TypeError: AbortSignal.timeout needs milliseconds, not -1`},
	})
}

func TestStructuredClone(t *testing.T) {
	t.Parallel()
	platform(t, []platformCase{
		{`(() => { const a = {x: [1, {y: 2}]}; a.self = a; const b = structuredClone(a); return [b !== a, b.self === b, b.x] })()`, `[true,true,[1,{"y":2}]]`},
		{`[...structuredClone(new Map([[{a: 1}, new Set([2])]])).keys()]`, `[{"a":1}]`},
		{`(() => { const e = structuredClone(new RangeError("m", {cause: {a: 1}})); return [e instanceof RangeError, e.message, e.cause] })()`, `[true,"m",{"a":1}]`},
		{`(() => { const r = structuredClone(/a/gi); return [r.source, r.flags] })()`, `["a","gi"]`},
		{`structuredClone(new Date(5)).getTime()`, `5`},
		{`typeof structuredClone(Object(1n))`, `"object"`},
		{`(() => { const b = new ArrayBuffer(4), v = structuredClone({a: new Uint8Array(b, 1), b: new Uint16Array(b)}); return [v.a.buffer === v.b.buffer, v.a.byteOffset] })()`, `[true,1]`},
		{`(() => { const b = new ArrayBuffer(4), c = structuredClone(b, {transfer: [b]}); return [b.byteLength, c.byteLength] })()`, `[0,4]`},
		{`structuredClone({f() {}})`, `DataCloneError: f() {} could not be cloned.`},
		{`structuredClone([Symbol("s")])`, `DataCloneError: Symbol(s) could not be cloned.`},
		{`structuredClone(new Proxy({}, {}))`, `DataCloneError: #<Proxy> could not be cloned.`},
		{`structuredClone(Promise.resolve())`, `DataCloneError: #<Promise> could not be cloned.`},
		{`structuredClone(new WeakMap())`, `DataCloneError: #<WeakMap> could not be cloned.`},
		{`structuredClone(new EventTarget())`, `DataCloneError: #<events> could not be cloned.`},
		{`structuredClone()`, `TypeError: structuredClone needs a value`},
		{`(() => { const deep = {}; let at = deep; for (let i = 0; i < 5000; i++) at = at.x = {}; let n = 0; for (let c = structuredClone(deep); c.x; c = c.x) n++; return n })()`, `5000`},
		{`structuredClone(new Blob(["ab"], {type: "X/y"})).type`, `"x/y"`},
		{`new Blob(["a", Uint8Array.of(0xe2, 0x82, 0xac), new Blob(["b"])]).text()`, `"a€b"`},
		{`new Blob(["abcdef"]).slice(1, -2).text()`, `"bcd"`},
		{`new File(["x"], "n", {lastModified: 5}).lastModified`, `5`},
		{`performance.now() >= 0 && performance.timeOrigin > 1e12`, `true`},
	})
}

// unquoted is the text that a value in JSON is.
func unquoted(t *testing.T, value string) (text string) {
	t.Helper()
	if err := json.Unmarshal([]byte(value), &text); err != nil {
		t.Fatalf("%q: %v", value, err)
	}
	return text
}
