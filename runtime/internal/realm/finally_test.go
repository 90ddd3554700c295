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
