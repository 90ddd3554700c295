// Orders that sort and toSorted give, of comparators that agree with themselves and of others, and
// how often they ask. Node 24 wrote the answers: sorting.json.
let seed = 1;
const random = (n) => {
	seed = (seed * 16807) % 2147483647;
	return seed % n;
};
const lists = {
	random: (n) => Array.from({ length: n }, () => random(1000)),
	few: (n) => Array.from({ length: n }, () => random(4)),
	sorted: (n) => Array.from({ length: n }, (_, i) => i),
	reversed: (n) => Array.from({ length: n }, (_, i) => n - i),
	almost: (n) => Array.from({ length: n }, (_, i) => random(10) ? i : random(n)),
	saw: (n) => Array.from({ length: n }, (_, i) => i % 37),
	two: (n) => Array.from({ length: n }, (_, i) => i < n / 2 ? 2 * i : 2 * i - n + 1),
	blocks: (n) => Array.from({ length: n }, (_, i) => (Math.floor(i / 50) * 7919) % 13 * 100 + i % 50),
};
const comparators = {
	number: (a, b) => a.v - b.v,
	down: (a, b) => b.v - a.v,
	missing: (a, b) => a.x - b.x,
	boolean: (a, b) => a.v > b.v,
	text: (a, b) => String(a.v) < String(b.v) ? -1 : 1,
	dice: () => random(3) - 1,
	always: () => -1,
	never: () => 1,
	object: (a, b) => ({ valueOf: () => a.v - b.v }),
};

export const run = () => {
	const rows = [];
	for (const [kind, make] of Object.entries(lists)) {
		for (const [name, compare] of Object.entries(comparators)) {
			for (const n of [2, 5, 31, 33, 64, 65, 150, 700]) {
				const list = make(n).map((v, at) => ({ v, at, ...v % 5 ? { x: v } : {} }));
				let asked = 0, digest = 7;
				const how = n % 2 ? "sort" : "toSorted";
				const sorted = list[how]((a, b) => {
					asked++;
					digest = (digest * 31 + a.at * 7 + b.at) % 1000003;
					return compare(a, b);
				});
				let order = 7;
				for (const { at } of sorted) order = (order * 31 + at) % 1000003;
				rows.push([`${how} of ${n} ${kind} by ${name}`, `${order} after ${asked} questions ${digest}`]);
			}
		}
	}
	let set = "";
	Object.defineProperty(Object.prototype, "2", { configurable: true, set(v) { set += v + ";"; } });
	const holes = [undefined, 3, , 2, undefined, , 1].sort((a, b) => b - a);
	delete Object.prototype["2"];
	rows.push(["holes, and a setter of all objects", `${set} ${Object.entries(holes)}`]);
	return rows;
};
