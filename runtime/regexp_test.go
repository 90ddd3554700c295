package runtime_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// TestRegExpEnds: no regular expression outlives the deadline, and in process its goroutine
// ends as well. What needs no back reference takes no long time in the first place.
func TestRegExpEnds(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		runner := workers(t, options)
		for _, body := range []string{
			`return /(a+)+\1!/.test("a".repeat(5000))`,
			`return new RegExp("^(a|a\\1)*!").test("a".repeat(5000))`,
			`return "a".repeat(5000).replace(/(?:(a+)+\1)*!!/g, "")`,
			`return "a".repeat(3000).split(/(a*)*\1b/)`,
			`return "a".repeat(3000).search("(?=(a+)+\\1!)")`,
			`return [..."a".repeat(3000).matchAll(/(?<=(a+)+\1!)b|(a*)*\2!/g)]`,
			`return /(?:.{1,300}){1,300}!/.test("a".repeat(5000))`,
			`const r = /a/; Object.defineProperty(r, "flags", { value: "g" }); return "a".replace(r, "b")`,
			`RegExp.prototype.exec = () => ({ length: 2 ** 53 - 1, index: 0, 0: "" }); return "abc".replace(/a/, "$1")`,
			`const r = /b/; r.exec = () => { r.constructor = 0; return { length: 1e9, index: 0, 0: "" } }; return "abc".replace(r, "$1")`,
			`return "abc".split({ [Symbol.split]: (s) => { class R extends RegExp { exec() { this.lastIndex = 2; return { length: 1e12, index: 1, 0: "b" } } } return RegExp.prototype[Symbol.split].call(new R("b"), s) } })`,
			`const s = "ab".repeat(1 << 20); for (;;) s.split(/b/)`,
			`const p = "[\\p{L}é]".repeat(20000); for (let i = 0; ; i++) new RegExp(p + i, "iu")`,
		} {
			began := time.Now()
			report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, body), Limits: runtime.Limits{Timeout: 150 * time.Millisecond}})
			if report.Outcome != runtime.OutcomeTimeout || time.Since(began) > 30*time.Second {
				t.Errorf("%s: %s after %s", body, report, time.Since(began))
			}
		}
	})
}

// TestRegExpSoon: the same texts, without back references.
func TestRegExpSoon(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		runner := workers(t, options)
		report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, `
			const s = "a".repeat(20000) + "!";
			return [/(a+)+$/, /^(a|aa)+$/, /(.*)*x/, /(?=(a+)+$)b/, /(?<!b)(a+)+$/, /(?:(a)|b)*$/m].map((r) => r.test(s)).join()`)})
		if want := `"false,false,false,false,false,true"`; string(report.Value) != want {
			t.Errorf("%s: %s", report, report.Value)
		}
	})
}

// TestRegExpCheck: a literal that is no regular expression is found when the file is checked.
func TestRegExpCheck(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		runner := workers(t, options)
		for body, place := range map[string]string{
			"const a = 1;\nreturn /b(/.test(a)":       "2:10",
			"return /[z-a]/u":                         "1:10",
			"return /a/gg":                            "1:8",
			"return `${/(?<n>a)(?<n>b)/.test('ab')}`": "1:22",
		} {
			_, err := runner.Compile(t.Context(), runtime.Source{Name: "t.js", Body: []byte(body), FunctionBody: true})
			var bad *runtime.CompileError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), "t.js:"+place) || !strings.Contains(err.Error(), "regular expression") {
				t.Errorf("%s: %v, want an error at %s", body, err, place)
			}
		}
	})
}

// TestRegExpInRealm: the regular expressions of a run are the exact ones, however a script
// comes to them.
func TestRegExpInRealm(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		runner := workers(t, options)
		for body, want := range map[string]string{
			`return "naïve é".match(/\b\w+\b/g)`:                                 `["na","ve"]`,
			`return "é".replace(globalThis["Reg" + "Exp"](/\w/), "")`:            `"é"`,
			`return new globalThis["Reg" + "Exp"]("\\p{Lu}", "u").test("É")`:     `true`,
			`return "é"["mat" + "ch"]("\\w")`:                                    `null`,
			`const name = "mat" + "ch"; return "é"[name]("\\w")`:                 `null`,
			`return "abc"["sea" + "rch"]("(?<=a)b")`:                             `1`,
			`return structuredClone(/\p{L}/gu).source`:                           `"\\p{L}"`,
			`return Object.getOwnPropertyNames(globalThis).includes("RegExp")`:   `true`,
			`return [typeof RegExp, /a/.constructor === RegExp]`:                 `["function",true]`,
			`return (/a/.constructor.constructor === Function) + String(RegExp)`: `"truefunction () { [native code] }"`,
		} {
			report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, body)})
			if string(report.Value) != want {
				t.Errorf("%s: %s %s, want %s", body, report, report.Value, want)
			}
		}
	})
}

// TestSearchesOfBytesEnd: they do not outlive the deadline, and in process their goroutine
// ends as well.
func TestSearchesOfBytesEnd(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		runner := workers(t, options)
		for _, search := range []string{"indexOf", "lastIndexOf"} {
			began := time.Now()
			report := runner.Run(t.Context(), runtime.Request{Limits: runtime.Limits{Timeout: 300 * time.Millisecond}, Program: compiled(t, runner,
				`return Buffer.alloc(1 << 23, "ab").`+search+`(Buffer.alloc(1 << 21, "ba"), undefined, "utf16le")`)})
			if report.Outcome != runtime.OutcomeTimeout || time.Since(began) > 30*time.Second {
				t.Errorf("%s: %s after %s", search, report, time.Since(began))
			}
		}
	})
}
