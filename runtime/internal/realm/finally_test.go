package realm_test

import "testing"

// TestWhatAFinallyThrowsPassesItsOwnCatch: the catch of the same statement is for the body alone.
func TestWhatAFinallyThrowsPassesItsOwnCatch(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`(() => { const l = []; try { try { l.push("body") } catch (e) { l.push("catch") } finally { l.push("end"); throw new Error("boom") } } catch (e) { l.push(e.message) } return l })()`:                                `["body","end","boom"]`,
		`(() => { const f = () => { try { return 1 } catch (e) { return "rolled back" } finally { throw new Error("close") } }; try { return f() } catch (e) { return e.message } })()`:                                       `"close"`,
		`(() => { const f = () => { try { throw 1 } catch (e) { return "caught " + e } finally { throw new Error("close") } }; try { return f() } catch (e) { return e.message } })()`:                                        `"close"`,
		`(() => { const f = () => { try { throw 1 } catch { throw 2 } finally { throw 3 } }; try { return f() } catch (e) { return e } })()`:                                                                                  `3`,
		`(() => { a: for (const x of [1, 2]) { try { continue a } catch (e) { return e } finally { if (x === 2) break a } } return "out" })()`:                                                                                `"out"`,
		`(() => { try { var v = 1; let w = 2; var f = () => w } catch (e) {} finally { v += f() } return v })()`:                                                                                                              `3`,
		`(() => { function* g() { try { yield 1 } catch (e) { yield "caught" } finally { yield 2 } } const it = g(); it.next(); it.next(); try { return it.throw(new Error("x")).value } catch (e) { return e.message } })()`: `"x"`,
		`(() => { try { throw [1, 2] } catch ([a, b]) { return a + b } finally { } })()`:                                                                                                                                      `3`,
	})
}

// TestJumpsInAFinally lead where they say, also before another one.
func TestJumpsInAFinally(t *testing.T) {
	t.Parallel()
	runExpressions(t, map[string]string{
		`(() => { const l = []; a: for (let j = 0; j < 2; j++) for (let i = 0; i < 3; i++) { try { l.push(i) } finally { if (i < 1) continue; if (i < 2) continue a; break } } return l })()`:                          `[0,1,0,1]`,
		`(() => { const l = []; a: for (let j = 0; j < 2; j++) for (let i = 0; i < 3; i++) { try { l.push(i) } finally { try { if (i < 9) continue a } catch { } break } } return l })()`:                              `[0,0]`,
		`(() => { const l = []; a: for (const j of [1, 2]) for (let i = 0; i < 3; i++) { try { l.push(i); break } finally { for (const x of [1, 2, 3]) { if (x === 2) break; l.push(x) } continue a } } return l })()`: `[0,1,0,1]`,
		`(() => { const l = []; for (let i = 0; i < 3; i++) { try { for (const x of [1, 2, 3]) { if (x === 2) break; l.push(x) } return l } finally { continue } } return l })()`:                                      `[1,1,1]`,
		`(() => { const l = []; a: { for (;;) { try { throw 1 } catch { return 2 } finally { l.push(3); break a } } } return l })()`:                                                                                   `[3]`,
		`(() => { const l = []; for (const x of { *[Symbol.iterator]() { try { yield 1 } finally { l.push("closed") } } }) { try { return 1 } finally { l.push(x); break } } return l })()`:                            `[1,"closed"]`,
	})
}

// TestWhatAFinallyOfAGeneratorCatches does not end the run, whichever way the generator is left.
func TestWhatAFinallyOfAGeneratorCatches(t *testing.T) {
	t.Parallel()
	const kit = `const l = [], close = () => { try { JSON.parse("{") } catch (e) { l.push("c") } }, take = (f) => { try { return f() } catch (e) { return "threw " + (e && e.message || e) } }; `
	cases := map[string]string{}
	for body, want := range map[string]string{
		`for (const z of (function*() { try { yield 1 } finally { try { JSON.parse("{") } catch (e) { l.push(1) } } })()) break; return [5, l]`:                                          `[5,[1]]`,
		`for (const z of (function*() { try { yield 1 } finally { close() } })()) break; return l`:                                                                                       `["c"]`,
		`const [q] = (function*() { try { yield 1 } finally { close() } })(); return [q, l]`:                                                                                             `[1,["c"]]`,
		`const g = (function*() { try { yield 1 } finally { close(); yield 7; close() } })(); g.next(); return [g.return(5).value, g.next(), l]`:                                         `[7,{"value":5,"done":true},["c","c"]]`,
		`const g = (function*() { try { yield 1 } finally { close(); yield 7 } })(); return [g.next().value, g.next().value, g.next().done, g.next().done, l]`:                           `[1,7,true,true,["c"]]`,
		`const g = (function*() { try { yield 1 } finally { throw new Error("x") } })(); g.next(); return [take(() => g.return(5)), g.next().done]`:                                      `["threw x",true]`,
		`const g = (function*() { try { yield 1 } finally { throw undefined } })(); g.next(); return take(() => g.next())`:                                                               `"threw undefined"`,
		`const g = (function*() { try { yield 1 } finally { try { yield 2 } catch (e) { l.push(e) } } })(); g.next(); return [g.return(5).value, g.throw(6), l]`:                         `[2,{"value":5,"done":true},[6]]`,
		`const g = (function*() { try { yield 1 } finally { yield 2 } })(); g.next(); return [g.return(5).value, take(() => g.throw(6)), g.next().done]`:                                 `[2,"threw 6",true]`,
		`const g = (function*() { try { yield 1 } finally { yield 2 } })(); g.next(); return [g.return(5).value, g.return(6)]`:                                                           `[2,{"value":6,"done":true}]`,
		`const g = (function*() { try { try { yield 1 } finally { close() } } finally { close(); l.push("o") } })(); g.next(); return [g.return(5), l]`:                                  `[{"value":5,"done":true},["c","c","o"]]`,
		`const g = (function*() { try { yield 1 } finally { try { close(); yield 3 } finally { yield 4 } } })(); g.next(); return [g.return(5), g.next(), g.next()].map((r) => r.value)`: `[3,4,5]`,
		`for (const x of { k: 9, *g() { try { yield 1 } finally { l.push(this.k); close() } } }.g()) break; return l`:                                                                    `[9,"c"]`,
		`const g = (function*() { try { yield 1 } finally { for (let i = 0; i < 3; i++) { if (i == 1) break; l.push(i) } close() } })(); g.next(); g.return(); return l`:                 `[0,"c"]`,
		`const g = (function*(n) { try { yield n } finally { n++; const { left = 3 } = {}; yield n + left } })(1); g.next(); return [g.return(5).value, g.next().value]`:                 `[5,5]`,
		`const g = (function*() { try { yield 1 } finally { try { [1].map(() => { throw 3 }) } catch (e) { l.push(e) } } })(); g.next(); return [g.return(5).value, l]`:                  `[5,[3]]`,
		`const g = (function*() { try { throw new Error("first") } finally { close() } })(); return take(() => g.next())`:                                                                `"threw first"`,
		// What leaves the block stays where it is.
		`const g = (function*() { try { yield 1 } finally { return 9 } })(); g.next(); return g.return(5)`:                                `{"value":9,"done":true}`,
		`const g = (function*(a) { try { yield 1 } finally { l.push(arguments.length); var v = 2 } })(7); g.next(); g.return(); return l`: `[1]`,
	} {
		cases["(() => { "+kit+body+" })()"] = want
	}
	runExpressions(t, cases)
}
