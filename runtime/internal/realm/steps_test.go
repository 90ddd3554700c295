package realm_test

import "testing"

// TestLoopsOfForAwait, each of which runs more than once.
func TestLoopsOfForAwait(t *testing.T) {
	t.Parallel()
	const before = `const log = [];
		const gives = (next) => ({ [Symbol.asyncIterator]: () => ({ next, async return() { log.push("left"); return {} } }) });
		async function* again(list) { for await (const x of list) yield x }
		export default async function run() { `
	for name, c := range map[string]struct{ code, want string }{
		"an error that was caught is over": {
			`for (const m of [1, 2]) try { for await (const x of [m]) { if (m === 1) throw new Error("a"); log.push(x) } log.push("end") } catch (e) { log.push(e.message) }`,
			`["a",2,"end"]`,
		},
		"also in a generator": {
			`for (const m of [1, 2]) try { for await (const x of again([m])) { if (m === 1) throw new Error("a"); log.push(x) } log.push("end") } catch (e) { log.push(e.message) }`,
			`["a",2,"end"]`,
		},
		"an iterator is left once": {
			`for (const list of [gives(() => ({ value: 1 })), null]) try { for await (const x of list) break } catch (e) { log.push(e.name) }`,
			`["left","TypeError"]`,
		},
		"next gives no object": {
			`for (const v of [5, undefined, Promise.resolve("x")]) try { for await (const x of gives(() => v)) log.push(x) } catch (e) { log.push(e.message) }`,
			`["Iterator result 5 is not an object","Iterator result undefined is not an object","Iterator result x is not an object"]`,
		},
		"nor in a generator": {
			`try { for await (const x of again(gives(() => 5))) log.push(x) } catch (e) { log.push(e.message) }`,
			`["Iterator result 5 is not an object"]`,
		},
	} {
		for _, file := range []string{"t.js", "t.ts"} {
			if e := runTypes(t, file, before+c.code+"\n return log }"); e.value != c.want {
				t.Errorf("%s of %s: %s, want %s; %+v", name, file, e.value, c.want, e.throw)
			}
		}
	}
}
