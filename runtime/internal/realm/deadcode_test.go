package realm_test

import "testing"

// TestCodeThatCannotRun changes nothing of what runs, whatever it jumps to.
func TestCodeThatCannotRun(t *testing.T) {
	t.Parallel()
	cases := map[string]string{}
	for body, want := range map[string]string{
		`for (const i of [1, 2, 3]) { if (false) { let x = l.length; if (x) break; } l.push(i) }`:                                                              `[1,2,3]`,
		`for (let i = 0; i < 3; i++) { if (false) { let q = () => i; if (q()) break; } l.push(i) }`:                                                            `[0,1,2]`,
		`for (let i = 0; i < 3; i++) { const n = i; if (0) { const x = n; if (x > 9) continue; } l.push(n) }`:                                                  `[0,1,2]`,
		`for (let i = 0; i < 3; i++) { l.push(i); if (0) { try { if (l) break; } finally { l.push(2) } } if (l.length > 9) continue; l.push("e") }`:            `[0,"e",1,"e",2,"e"]`,
		`for (const i of [1, 2]) { if (true) { l.push(i) } else { try { if (i) continue } catch { break } } }`:                                                 `[1,2]`,
		`for (const i of [1, 2, 3]) { l.push(i); if (!1) { try { if (i) continue; } catch (e) { l.push(1); break } } }`:                                        `[1,2,3]`,
		`a: for (const i of [1, 2]) { for (const j of [1, 2]) { if ("" && l) { let x = j; if (x) continue a; break a } l.push(i * j) } }`:                      `[1,2,2,4]`,
		`for (const i of [1, 2]) { while (false) { let x = i; if (x) break; continue } for (; null;) { let y = i; if (y) continue } l.push(i) }`:               `[1,2]`,
		`for (const i of [1, 2]) { for (let k = 0; 0; k++) { const f = () => k; if (f()) break } l.push(i) }`:                                                  `[1,2]`,
		`a: { if (1 > 2) { let x = 1; if (x) break a; l.push("no") } l.push("yes") }`:                                                                          `["yes"]`,
		`switch (1) { case 1: if (false) { let x = 1; if (x) break; } l.push("one"); break; default: l.push("other") }`:                                        `["one"]`,
		`for (const i of [1, 2, 3]) { if (i === 2) break; l.push(i); continue; let x = 5; if (x) break; l.push(x) }`:                                           `[1]`,
		`let n = 0; while (!0) { if (n++ > 2) break; if (false) { let x = n; if (x) break } l.push(n) } for (;;) { break } while (1) { break; let z = 1; z } `: `[1,2,3]`,
		`if (false) { var hoisted = 1; function f() {} } l.push(typeof hoisted, void 0 === hoisted)`:                                                           `["undefined",true]`,
	} {
		cases["(() => { const l = []; "+body+"; return l })()"] = want
	}
	runExpressions(t, cases)
	for _, loop := range []string{"for (const i of [1, 2, 3]) {", "for (let i = 1; i < 4; i++) {", "let i = 0; while (i < 3) { i++;"} {
		// At the top level of a file, where the engine keeps the result of the last statement.
		src := "const l = []\n" + loop + " l.push(i); if (i > 2) { break; let x = 5; if (x) continue; l.push(x) } continue; let y = 6; if (y) break }\nfunction run() { return l }\n"
		if e := runTypes(t, "t.js", src); e.value != "[1,2,3]" {
			t.Errorf("%s: %s %+v", src, e.value, e.throw)
		}
	}
}
