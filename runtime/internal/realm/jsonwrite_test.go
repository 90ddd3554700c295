package realm_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// What is nested very deep is refused at once, in logs and in results, and says so.
func TestDeepJSONIsRefused(t *testing.T) {
	t.Parallel()
	const deep = "let o = {}; for (let i = 0; i < 1e5; i++) o = { o };"
	e := run(t, "function run() { "+deep+" console.log(o); return 1 }", nil)
	if e.throw != nil || len(e.logs) != 1 || !strings.HasPrefix(e.logs[0].Text, "[object Object] (…") || !strings.HasSuffix(e.logs[0].Text, ".o.o is nested more than 10,000 deep)") {
		t.Errorf("%+v %+v", e.throw, e.logs)
	}
	e = run(t, "function run() { "+deep+" return o }", nil)
	if e.throw == nil || e.throw.Cause != wire.CauseNotJSON || !strings.HasSuffix(e.throw.Message, ".o.o is nested more than 10,000 deep") {
		t.Errorf("%+v", e.throw)
	}
	// Calls in calls count together: what they would take of the stack is what ends a process.
	for _, code := range []string{
		"let a = { toJSON() { return JSON.stringify(o) } }, o = a; for (let i = 0; i < 5000; i++) o = [o]; return JSON.stringify(o)",
		`const s = "[".repeat(5000) + "]".repeat(5000), f = (k, v) => v.length === 0 ? JSON.parse(s, f) : v; return JSON.parse(s, f)`,
	} {
		e = run(t, "function run() { try { "+code+" } catch (e) { return e.name } }", nil)
		if e.value != `"RangeError"` {
			t.Errorf("%s: %q, %+v", code, e.value, e.throw)
		}
	}
	e = run(t, `function run() { try { `+deep+` JSON.stringify(o) } catch (e) { return JSON.stringify([[1]]) + e.message } }`, nil)
	if e.value != `"[[1]]the value is nested more than 10000 deep"` {
		t.Errorf("%q, %+v", e.value, e.throw)
	}
}

// A run that is over does not go on with a long list.
func TestJSONIsNotWrittenToItsEndAfterAStop(t *testing.T) {
	t.Parallel()
	const src = "function run() { const a = [{ toJSON: console.log }]; a.length = 1e5; a.push(a[0]); JSON.stringify(a) }"
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: src}, nil)
	if len(flaws) > 0 {
		t.Fatal(flaws)
	}
	start, err := wire.New(wire.KindStart, wire.Start{Name: "t.js", Digest: src, Source: checked.Source, Entry: checked.Entry, MaxOutputBytes: 1 << 16}, nil)
	if err != nil {
		t.Fatal(err)
	}
	logs := 0
	var end wire.Throw
	var r *realm.Realm
	r = realm.New(realm.Config{Programs: &realm.Programs{}, Emit: func(f wire.Frame) error {
		switch f.Kind {
		case wire.KindLog:
			logs++
			r.Deliver(wire.Frame{Kind: wire.KindStop})
		case wire.KindThrow:
			return f.Decode(&end)
		}
		return nil
	}})
	r.Run(start)
	if logs != 1 || end.Cause != wire.CauseInterrupted {
		t.Errorf("%d logs, %+v", logs, end)
	}
}

func TestJSONOfPrimitives(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`String.prototype.toString = () => 42; return JSON.stringify([new String("a")])`:                                                     `"[\"42\"]"`,
		`const s = new String("a"); s.toString = () => Symbol(); try { JSON.stringify(s) } catch (e) { return e.name }`:                      `"TypeError"`,
		`Object.defineProperty(BigInt.prototype, "toJSON", { get() { "use strict"; return () => typeof this } }); return JSON.stringify(1n)`: `"\"bigint\""`,
	} {
		if e := run(t, "function run() { "+code+" }", nil); e.value != want {
			t.Errorf("%s: %s, want %s, %+v", code, e.value, want, e.throw)
		}
	}
}
