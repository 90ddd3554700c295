package realm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// What is not awaited is warned of, and what is, or is given to something that may, is not.
func TestCallsThatAreNotAwaitedAreWarnedOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"ctx.write('a', 'x'); return 1":                                                      "1:1 ctx.write",
		"ctx.tools.write({}).then(() => 1)":                                                  "1:1 ctx.tools.write",
		"const r = 1; if (r) ctx.shell.run('x')":                                             "1:21 ctx.shell.run",
		"inputs.a.forEach(async (f) => { await ctx.bash(f) })":                               "1:1 forEach",
		"inputs.a.forEach((f) => ctx.bash(f))":                                               "1:1 forEach, 1:25 ctx.bash",
		"return inputs.a.map(async (f) => 1)":                                                "1:8 map",
		"return {a: inputs.a.map((f) => ctx.bash(f))}":                                       "1:12 map",
		"const p = await inputs.a.map(async (f) => 1)":                                       "1:17 map",
		"const p = inputs.a.map(async (f) => 1); return p.filter(Boolean)":                   "1:11 map",
		"const t = ctx.readFile('a'); return t.length":                                       "1:11 ctx.readFile",
		"const {output} = ctx.read('a'); return output":                                      "1:18 ctx.read",
		"const {bash: b} = ctx; b('a'); await b('c')":                                        "1:24 b",
		"const {tools, shell} = ctx; tools.x({}); shell.run('a')":                            "1:29 tools.x, 1:42 shell.run",
		"const go = ctx.tool; go('x')":                                                       "1:22 go",
		"return {hits: ctx.grep('x')}":                                                       "1:15 ctx.grep",
		"return [ctx.grep('x')]":                                                             "1:9 ctx.grep",
		"return `${ctx.grep('x')}`":                                                          "1:11 ctx.grep",
		"return JSON.parse(ctx.readFile('x'))":                                               "1:19 ctx.readFile",
		"if (ctx.approve('x')) return 1":                                                     "1:5 ctx.approve",
		"async function save() {}\nsave()":                                                   "2:1 save",
		"(async () => 1)()":                                                                  "1:2 this async function",
		"Promise.all([ctx.bash('a')])":                                                       "1:1 Promise.all",
		"ctx.git(['log']); return 1":                                                         "1:1 ctx.git",
		"const unused = ctx.bash('a')":                                                       "1:16 ctx.bash",
		"await ctx.bash('a'); return ctx.bash('b')":                                          "",
		"return await Promise.all(inputs.a.map(async (f) => 1))":                             "",
		"const p = inputs.a.map(async (f) => 1); return Promise.all(p)":                      "",
		"const p = inputs.a.map((f) => ctx.bash(f)); for (const q of p) await q":             "",
		"const p = ctx.bash('a'); await 1; return await p":                                   "",
		"const p = []; for (const f of inputs.a) p.push(ctx.bash(f)); return Promise.all(p)": "",
		"const h = ctx.shell.start('x'); await h.wait()":                                     "",
		"void ctx.bash('a')":                                                                 "",
		"const f = () => ctx.bash('a'); return await f()":                                    "",
		"async function f() { return {a: ctx.bash('a')} } return (await f()).a":              "",
		"const o = {a: ctx.bash('a')}; return await o.a":                                     "",
		"return [1].map((f) => f).forEach((f) => 1)":                                         "",
		"const xs = inputs.a.map((p) => ctx.readFile(p)); return xs.map((x) => x.length)":    "1:12 map",
		"const xs = inputs.a.map((p) => ctx.readFile(p)); return Promise.all(xs.map((x) => x.then((t) => t.length)))":                                                                "",
		"const xs = inputs.a.map((p) => ctx.readFile(p)); return Promise.all(xs.map(async (x) => (await x).length))":                                                                 "",
		"class All { async map(f) { return await f(1) } async forEach(f) { await f(1) } }\nconst a = new All(); await a.forEach(async (x) => x); return await a.map(async (x) => x)": "",
		"let n = 0; for (const p of [ctx.readFile('a'), ctx.readFile('b')]) n += (await p).length; return n":                                                                         "",
		"const db = { find: async (f) => await f(1) }; return await db.find(async (x) => x)":                                                                                         "",
		"const [a, b] = await Promise.all([ctx.bash('a'), ctx.bash('b')]); ctx.progress({done: 1}); console.log(a)":                                                                  "",
		"async function find(q) { return q }\nasync function forEach() {}\nawait forEach(); return await find('x')":                                                                  "",
		"async function map() {}\nmap()": "2:1 map",
		"return await Promise.all([ctx.bash('a'), ctx.bash('b')].map((p) => p.catch(() => '')))": "",
		"return await Promise.all([inputs.a && ctx.bash('a'), ctx.bash('b')].filter(Boolean))":   "",
		"const more = []; return await Promise.all([ctx.bash('a')].concat(more))":                "",
		"let p; p = ctx.bash('a'); return p":                                                     "",
		"return ctx.bash('a').then((x) => x.trim())":                                             "",
		// Whoever has the promise around it is told how it ended.
		"return await new Promise((resolve, reject) => { ctx.bash('a').then(resolve, reject) })":                            "",
		"return await new Promise((res, rej) => { ctx.bash('a').then(res).catch(rej) })":                                    "",
		"return await new Promise(function (res) { ctx.bash('a').finally(() => res(1)) })":                                  "",
		"return await new Promise((res) => { if (inputs.a) { [1].map(() => { ctx.bash('a').then((x) => res(x)) }) } })":     "",
		"const { promise, resolve, reject } = Promise.withResolvers(); ctx.bash('a').then(resolve, reject); return promise": "",
		"const d = Promise.withResolvers(); ctx.bash('a').then(d.resolve, d.reject); return d.promise":                      "",
		"return await new Promise((res) => { ctx.bash('a').then(() => 1); res(1) })":                                        "1:37 ctx.bash",
		"return await new Promise((res) => { ctx.bash('a'); res(1) })":                                                      "1:37 ctx.bash",
		"inputs.a.map((resolve) => { ctx.bash('a').then(resolve) })":                                                        "1:29 ctx.bash",
		"return (await ctx.bash('a')) ?? ctx.bash('b')":                                                                     "",
		// Whose promise is used as if it were its value.
		"for (const f of ctx.glob('*')) console.log(f)":                                                "1:17 ctx.glob",
		"return ctx.read('a')['output']":                                                               "1:8 ctx.read",
		"return ctx.read('a')?.output":                                                                 "1:8 ctx.read",
		"return ctx.approve('a') ? 1 : 2":                                                              "1:8 ctx.approve",
		"return !ctx.approve('a')":                                                                     "1:9 ctx.approve",
		"return ctx.bash('a') + 'x'":                                                                   "1:8 ctx.bash",
		"console.log(ctx.bash('a'))":                                                                   "1:13 ctx.bash",
		"return [...ctx.glob('*')]":                                                                    "1:12 ctx.glob",
		"await [ctx.bash('a')]":                                                                        "1:8 ctx.bash",
		"ctx.bash('a').catch(() => 1); ctx.bash('b').finally(() => 1)":                                 "1:1 ctx.bash, 1:31 ctx.bash",
		"return inputs.a.map((f) => ctx.bash(f)).filter(Boolean)":                                      "1:8 map",
		"return inputs.a.map((f) => ctx.bash(f)).slice(1)":                                             "1:8 map",
		"return inputs.a.map((f) => ctx.bash(f)).concat([1])":                                          "1:8 map",
		"const save = async (f) => 1; inputs.a.forEach(save)":                                          "1:30 forEach",
		"(async function () {})()":                                                                     "1:2 this async function",
		"Promise.race([]); Promise.any([]); Promise.allSettled([])":                                    "1:1 Promise.race, 1:19 Promise.any, 1:36 Promise.allSettled",
		"return inputs.a ? ctx.bash('a') : ctx.bash('b')":                                              "",
		"return inputs.a && ctx.bash('a') || ctx.bash('b')":                                            "",
		"if (inputs.a) { return ctx.bash('a') }":                                                       "",
		"for (const p of inputs.a.map((f) => ctx.bash(f))) await p":                                    "",
		"const p = inputs.a.map((f) => ctx.bash(f)); return await p[0]":                                "",
		"const p = inputs.a.map((f) => ctx.bash(f)); const n = p.length; await Promise.all(p)":         "",
		"return await Promise.all([...inputs.a.map((f) => ctx.bash(f))])":                              "",
		"const p = ctx.bash('a'); return await Promise.all(Object.values({p}))":                        "",
		"const p = ctx.bash('a'); const q = p; return await q":                                         "",
		"const p = inputs.a.map(async (f) => 1); const q = p.slice(1); return await Promise.all(q)":    "",
		"return inputs.a[ctx.bash('a')]":                                                               "",
		"const f = async () => { if (1) { return [ctx.bash('a')] } }; return Promise.all(await f())":   "",
		"return inputs.a.map((f) => inputs.b.map((g) => ctx.bash(g)))":                                 "",
		"const a = 1; const {b} = {b: 2}; a; b; Promise.resolve(1); JSON.stringify([1]); return {a}.a": "",
		"await ctx.bash('a').catch(() => 1); await ctx.bash('b').finally(() => 1)":                     "",
		"return inputs.a.map((f) => ctx.bash(f)).reduce(inputs.f)":                                     "",
		"console.log([ctx.bash('a')])":                                                                 "1:14 ctx.bash",
		"let p = ctx.bash('a'); p = inputs.a; return 1":                                                "",
		// A name is what it is where it stands.
		"{ const ctx = {read: () => 1}; ctx.read() }":                                         "",
		"const f = async (ctx) => { ctx.bash('a') }; await f(ctx)":                            "1:28 ctx.bash",
		"const f = (c) => { c.bash('a') }; f({bash: () => 1})":                                "",
		"if (inputs.a) { const p = ctx.bash('a') } else { const p = ctx.bash('b'); await p }": "1:27 ctx.bash",
		"{ const p = ctx.bash('a') } { const p = ctx.bash('b') }":                             "1:13 ctx.bash, 1:41 ctx.bash",
		"const save = async () => 1; try { await save() } catch (save) { save() }":            "",
		"const f = () => { const JSON = inputs.a; JSON.f(ctx.bash('a')) }; f()":               "",
		"const Promise = inputs.a; Promise.all([])":                                           "",
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: body, Body: true, Warn: true, Granted: []string{"read", "write", "edit", "ls", "glob", "grep", "search", "bash", "git", "x"}}, nil)
		var got []string
		for _, w := range checked.Warnings {
			what, _, _ := strings.Cut(w.Msg, " is not")
			what, _, _ = strings.Cut(what, " gives")
			what, _, _ = strings.Cut(what, " does")
			got = append(got, fmt.Sprintf("%d:%d %s", w.Line, w.Col, what))
		}
		if strings.Join(got, ", ") != want || len(flaws) > 0 {
			t.Errorf("%s: %q, %+v; want %q", body, got, flaws, want)
		}
	}
	for _, other := range []string{ // where save is another than the async function; so only the last call is warned of
		"const f = (save) => { save() }",
		"const f = () => { const save = () => 2; save() }",
		"const f = () => { if (1) { var save = inputs.a } save() }",
		"const f = () => { for (var save of inputs.a) {} save() }",
		"const f = () => { for (var save = 1; ;) {} save() }",
		"const f = () => { function save() {} save() }",
		"const f = ({save}) => { save() }",
		"const f = ({save = 1, ...b}) => { save() }",
		"const f = ({a: [b, save]}) => { save() }",
		"const f = ([save = 1]) => { save() }",
		"const f = ([a, ...save]) => { save() }",
		"const f = ({a, ...save}) => { save() }",
		"const f = (...save) => { save() }",
		"const f = function save() { save() }",
		"for (const save of inputs.a) save()",
		"for (const save in inputs.a) save()",
		"for (let save = inputs.a; ;) save()",
		"try {} catch (save) { save() }",
		"switch (1) { case 1: let save = inputs.a; save() }",
		"{ const save = inputs.a; save() }",
	} {
		source := "const save = async () => 1; " + other + "; save()"
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: source, Body: true, Warn: true}, nil)
		if len(checked.Warnings) != 1 || checked.Warnings[0].Col != strings.LastIndex(source, "save()")+1 {
			t.Errorf("%s: %+v, %+v", source, checked.Warnings, flaws)
		}
	}
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Body: true, Warn: true, Source: "const f = async function save() { if (inputs.a) save() }; await f()"}, nil)
	if len(checked.Warnings) != 1 || len(flaws) > 0 {
		t.Errorf("%+v, %+v", checked.Warnings, flaws)
	}
	checked, _ = realm.Check(wire.Check{Name: "t.js", Warn: true, Granted: []string{"bash"}, Source: "/* */\nexport default async (c, d) => {\n  d.bash();\n  c.bash('é');\n  return {a: c.bash('x')};\n}"}, nil)
	if len(checked.Warnings) != 2 || checked.Warnings[0].Line != 4 || checked.Warnings[0].Col != 3 || checked.Warnings[1].Col != 14 {
		t.Errorf("%+v", checked.Warnings)
	}
	checked, _ = realm.Check(wire.Check{Name: "t.js", Warn: true, Source: "module.exports = async (c) => {\n  const run = (a) => [a.bash('x')];\n  return {a: c.bash('x')};\n}", Granted: []string{"bash"}}, nil)
	if len(checked.Warnings) != 1 || checked.Warnings[0].Line != 3 {
		t.Errorf("%+v", checked.Warnings)
	}
	if checked, _ := realm.Check(wire.Check{Name: "t.js", Body: true, Source: "ctx.bash('a')"}, nil); len(checked.Warnings) > 0 {
		t.Error("nobody asked for warnings")
	}
}

// TestAwaitsThatComeLateAreWarnedOf: an await takes what comes last of a row of members.
func TestAwaitsThatComeLateAreWarnedOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"return await ctx.tool('grep', {}).data":        "ctx.tool is not awaited: the await in front takes .data of its promise; write (await ctx.tool(…)).data",
		"return await ctx.tool('grep', {}).data.length": "ctx.tool is not awaited: the await in front takes .data of its promise; write (await ctx.tool(…)).data",
		"return ctx.tool('grep', {}).data":              "ctx.tool is not awaited; write await before it",
		"return (await ctx.tool('grep', {})).data":      "",
		"return await ctx.grep('a').then((x) => x)":     "",
		"return await ctx.grep('a').split('x')":         "ctx.grep is not awaited: the await in front takes .split of its promise; write (await ctx.grep(…)).split",
		"return await ctx.tool('grep', {}).data.map(f)": "ctx.tool is not awaited: the await in front takes .data of its promise; write (await ctx.tool(…)).dataf is not defined",
		"return await f(ctx.grep('a').length)":          "f is not definedctx.grep is not awaited; write await before it",
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: body, Body: true, Warn: true, Granted: []string{"grep"}}, nil)
		got := ""
		for _, w := range checked.Warnings {
			got += w.Msg
		}
		if got != want || len(flaws) > 0 {
			t.Errorf("%s: %q, want %q; %v", body, got, want, flaws)
		}
	}
}

// TestWhatTheEntryTakesOfItsContext is granted or not, awaited or not, as what it calls on ctx is.
func TestWhatTheEntryTakesOfItsContext(t *testing.T) {
	t.Parallel()
	const source = "export default async function run({bash, grep}, {glob}) {\n  grep('a')\n  glob('a')\n  return await bash('ls')\n}"
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: source, Warn: true, Granted: []string{"grep"}}, nil)
	want := []string{"1:36 this calls the tool bash, which allowed_tools does not have", "2:3 grep is not awaited; write await before it"}
	var got []string
	for _, w := range checked.Warnings {
		got = append(got, fmt.Sprintf("%d:%d %s", w.Line, w.Col, w.Msg))
	}
	if !slices.Equal(got, want) || len(flaws) > 0 {
		t.Errorf("%q %+v", got, flaws)
	}
}

// TestValuesThatAreNotReturnedAreWarnedOf where the entry returns none, and its last statement
// does nothing else.
func TestValuesThatAreNotReturnedAreWarnedOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"data": "1:51", "({ data })": "1:52", "data.length": "1:51", "data.length + 1": "1:51", "`${data}`": "1:51",
		"data\n  .filter(Boolean)\n  .map(({name}) => ({name}))": "1:51",
		"JSON.stringify(data)":                             "1:51",
		"const n = () => { return 1 }; data.slice(0, n())": "1:81",
		"{ total: data.length }":                           "1:51", "{ total: data.push(1) }": "", "{ data.length }": "", "{ total: data.length }; return 1": "",
		"return data": "",
		"if (data.a) return data; data.filter(Boolean)": "",
		"data.map((x) => { console.log(x) })":           "",
		"data.map((x) => console.log(x))":               "",
		"data.sort()":                                   "",
		"data.push(1)":                                  "",
		"await ctx.write('a', 'b')":                     "",
		"for (const x of data) console.log(x)":          "",
		"if (!data) ctx.fail('no data')":                "",
		"data = 1":                                      "",
		"function f() {}":                               "",
		"":                                              "",
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: "export default async (ctx, {data}) => {           " + body + " }", Warn: true, Granted: []string{"write"}}, nil)
		var got []string
		for _, w := range checked.Warnings {
			got = append(got, fmt.Sprintf("%d:%d", w.Line, w.Col))
		}
		if strings.Join(got, " ") != want || len(flaws) > 0 {
			t.Errorf("%s: %+v, %+v; want %q", body, checked.Warnings, flaws, want)
		}
	}
}

// TestTextsAreNotLists: what a helper gives is a text, which has no data and no entries.
func TestTextsAreNotLists(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"const r = await ctx.grep('a'); return r.data":                       "1:39 data",
		"return (await ctx.glob('*')).map((x) => x)":                         "1:9 map",
		"const {stdout} = await ctx.bash('ls'); return stdout":               "1:8 stdout",
		"const {stdout: o, length} = await ctx.bash('ls')":                   "1:8 stdout",
		"for (const f of await ctx.ls()) f":                                  "1:17 letter",
		"const all = await ctx.glob('*'); for (const f of all) f":            "1:50 letter",
		"const {grep} = ctx; const r = await grep('a'); r.forEach(f)":        "1:48 forEach 1:58 f is",
		"const r = await ctx.grep('a'); return r.split('\\n').map((x) => x)": "",
		"for (const line of (await ctx.glob('*')).split('\\n')) line":        "",
		"for (const c of await ctx.readFile('a')) c":                         "",
		"let r = await ctx.grep('a'); r = []; return r.map((x) => x)":        "",
		"const r = await ctx.tool('grep', {pattern: 'a'}); return r.data":    "",
		"const r = await ctx.shell.run('ls'); return r.stdout":               "",
		"const r = {grep() {}}; return (await r.grep('a')).data":             "",
		"const r = await ctx.grep('a'); return r.length + r.slice(1).trim()": "",
		"const r = await ctx.grep('a'); { const r = []; r.map((x) => x) }":   "",
		"await ctx.write('a', 'b', {append: true})":                          "1:27 ctx.write takes",
		"await ctx.tool('grep', {pattern: 'a'}, {limit: 1})":                 "1:40 the arguments",
		"const [a] = await ctx.glob('*'); return a":                          "1:7 letter",
		"return [...await ctx.glob('*')]":                                    "1:12 letter",
		"return (await ctx.glob('*'))[0]":                                    "1:9 letter",
		"return Array.from(await ctx.glob('*')).length":                      "1:8 letter",
		"return (await ctx.bash('git status'))[0]":                           "",
		"if (inputs.a) { var r = (await ctx.tool('grep', {pattern: 'a'})).data; return r.map((x) => x) } else { var r = await ctx.grep('a'); return r.split('x') }": "",
		"const r = await ctx.grep('a'); return typeof r === 'string' ? r.split('x') : r.data.map((x) => x)":                                                         "",
		"const r = await ctx.grep('a'); return r.output ?? r":                                                                                                       "",
		"return (await ctx.readFile('a'))[0]":                                "",
		"return (await ctx.grep('a'))['data']":                               "1:9 data",
		"return [...(await ctx.glob('*')).split('\\n')]":                     "",
		"await ctx.git({command: 'log'}, {limit: 1})":                        "1:33 ctx.git takes options after a list",
		"await ctx.readFile('a', {}, {limit: 1})":                            "1:29 ctx.readFile takes its options before",
		"await ctx.git(['log'], {}, 3)":                                      "1:28 ctx.git takes its options before",
		"await ctx.shell.run('ls', {}, {cwd: 'a'})":                          "1:31 ctx.shell.run takes its options before",
		"await ctx.grep('a', ...[{}, 1])":                                    "",
		"await ctx.tool(...['grep', {pattern: 'a'}, 1])":                     "",
		"await ctx.git(['log'], {limt: 1})":                                  "1:25 ctx.git takes no option",
		"await ctx.git(['log'], {limit: 1}); await ctx.git({args: ['log']})": "",
	} {
		checked, flaws := realm.Check(wire.Check{
			Name: "t.js", Source: body, Body: true, Warn: true, Granted: []string{"grep", "glob", "bash", "ls", "read", "write", "git"},
			Arguments: map[string][]string{"git": {"args", "limit", "cursor"}, "grep": {"pattern", "limit"}},
		}, nil)
		var got []string
		for _, w := range checked.Warnings {
			said, of := "", strings.Fields("letter data map stdout forEach")
			for _, word := range of {
				if strings.Contains(w.Msg, " no "+word+";") || word == "letter" && strings.Contains(w.Msg, word) {
					said = word
				}
			}
			if said == "" {
				said = w.Msg
			}
			got = append(got, fmt.Sprintf("%d:%d %s", w.Line, w.Col, said))
		}
		if all := strings.Join(got, " "); len(flaws) > 0 || all != want && (want == "" || !strings.HasPrefix(all, want)) {
			t.Errorf("%s: %q, want %q; %v", body, all, want, flaws)
		}
	}
}

// TestResultsHaveTheirMembers: a member that a result has not is undefined, which is nobody's aim.
func TestResultsHaveTheirMembers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"const r = await ctx.shell.run('ls'); return r.output":                                               "1:45 ctx.shell.run gives " + resultOfCommand + ", and no output",
		"return (await ctx.shell.run(['ls'])).code":                                                          "1:9 ctx.shell.run gives " + resultOfCommand + ", and no code",
		"const {output, stdout} = await ctx.shell.run('ls'); return output":                                  "1:8 ctx.shell.run gives " + resultOfCommand + ", and no output",
		"const {shell} = ctx; return (await shell.run('ls')).text":                                           "1:30 ctx.shell.run gives " + resultOfCommand + ", and no text",
		"const r = await ctx.tool('bash', {command: 'ls'}); return r.stdout":                                 "1:59 the result of bash is " + resultOfTool + ", and has no stdout; it is in data.stdout",
		"return (await ctx.tools.bash({command: 'ls'})).stderr":                                              "1:9 the result of bash is " + resultOfTool + ", and has no stderr; it is in data.stderr",
		"const {content} = await ctx.read('a'); return content":                                              "1:8 the result of read is " + resultOfTool + ", and has no content",
		"const r = await ctx.git(['log']); return r?.stdout":                                                 "1:42 the result of git is " + resultOfTool + ", and has no stdout",
		"const r = await ctx.verify({command: 'ls'}); return [r.output, r.data]":                             "",
		"const r = await ctx.shell.run('ls'); r.text = r.stdout; return r":                                   "",
		"const r = await ctx.shell.run('ls'); r.status = 1; return r.status":                                 "",
		"const r = await ctx.shell.run('ls'); r.status ??= 1; return r.status":                               "",
		"const r = await ctx.shell.run('ls'); Object.assign(r, {code: 1}); return r.code":                    "",
		"const r = await ctx.shell.run('ls'); Object.defineProperty(r, 'code', {value: 1}); return r.code":   "",
		"const r = await ctx.shell.run('ls'); delete r.status; return r":                                     "",
		"const r = await ctx.shell.run('ls'); return r.code ?? r.exitCode":                                   "",
		"const r = await ctx.shell.run('ls'); return r?.code || r.exitCode":                                  "",
		"const r = await ctx.shell.run('ls'); return r.code !== undefined ? r.code : 1":                      "",
		"const r = await ctx.shell.run('ls'); return 'code' in r ? r.code : 1":                               "",
		"const r = await ctx.shell.run('ls'); return typeof r.code === 'number'":                             "",
		"const r = await ctx.shell.run('ls'); return r.code === 0":                                           "1:45 ctx.shell.run gives " + resultOfCommand + ", and no code",
		"let r = await ctx.shell.run('ls'); return r.code":                                                   "1:43 ctx.shell.run gives " + resultOfCommand + ", and no code",
		"let r = await ctx.shell.run('ls'); [r] = [{code: 1}]; return r.code":                                "",
		"const r = await ctx.shell.run('ls'); const s = r; return s.code":                                    "1:58 ctx.shell.run gives " + resultOfCommand + ", and no code",
		"const [a, b] = await Promise.all([ctx.shell.run('ls'), ctx.read('x')]); return [a.code, b.content]": "1:81 ctx.shell.run gives " + resultOfCommand + ", and no code|1:89 the result of read is " + resultOfTool + ", and has no content",
		"const [a, b] = await Promise.all([...inputs.all, ctx.shell.run('ls')]); return b.code":              "",
		"return await ctx.shell.run('ls').then((r) => r.code)":                                               "1:46 ctx.shell.run gives " + resultOfCommand + ", and no code",
		"return await ctx.shell.run('ls').then((r) => r.exitCode)":                                           "",
		"return await ctx.shell.run('ls').then((r) => { r = {code: 1}; return r.code })":                     "",
		"const r = (await ctx.tool('bash', {command: 'ls'})).data; return r.stdout":                          "",
		"const r = await ctx.tool('bash', {command: 'ls'}); return r.data.stdout":                            "",
		"let r = await ctx.shell.run('ls'); r = {code: 1}; return r.code":                                    "",
		"const r = await ctx.shell.run('ls'); return [r.exitcode, r.stdOut, r.toString(), r.constructor]":    "1:46 ctx.shell.run gives " + resultOfCommand + ", and no exitcode|1:58 ctx.shell.run gives " + resultOfCommand + ", and no stdOut",
		"const r = await ctx.tool('grep', {pattern: 'a'}); return r.map((x) => x)":                           "1:58 " + noList("grep"),
		"const r = await ctx.read('a'); return [r.length, r[0], r.split('x')]":                               "1:40 " + noList("read") + "|1:50 " + noList("read") + "|1:56 " + noList("read"),
		"for (const h of await ctx.tool('grep', {pattern: 'a'})) h":                                          "1:17 " + noList("grep"),
		"const [h] = await ctx.git(['log']); return h":                                                       "1:7 " + noList("git"),
		"return [...await ctx.tools.glob({pattern: '*'})]":                                                   "1:12 " + noList("glob"),
		"const r = await ctx.shell.run('ls'); return r.split('x') + r.trim()":                                "1:45 ctx.shell.run gives " + resultOfCommand + ", and no text; what it printed is in stdout|1:60 ctx.shell.run gives " + resultOfCommand + ", and no text; what it printed is in stdout",
		"const r = await ctx.read('a'); r.length = 1; return r.length":                                       "",
		"const r = await ctx.read('a'); return r.map ? r.map((x) => x) : r.text":                             "",
		"const r = await ctx.read('a'); return Array.isArray(r) ? r[0] : r.text":                             "",
		"const r = {...await ctx.read('a')}; return r.text":                                                  "",
		"const r = await ctx.tool('grep', {pattern: 'a'}); return r.data.map((x) => x)":                      "",
		"return await Promise.all(inputs.files.map(ctx.readFile))":                                           "1:26 map gives ctx.readFile a place in the list too, as its options; write map((x) => ctx.readFile(x))",
		"const {readFile} = ctx; return await Promise.all(inputs.files.map(readFile))":                       "1:50 map gives readFile a place in the list too, as its options; write map((x) => readFile(x))",
		"return await Promise.all(inputs.files.map((x) => ctx.readFile(x)))":                                 "",
		"return await Promise.all(inputs.files.map(inputs.readFile))":                                        "",
		"class L { map(f) { return f('x') } }; return await new L().map(ctx.readFile)":                       "",
		"const r = await ctx.approve('x'); return r.code":                                                    "",
		"const c = await ctx.shell.start('ls'); return await c.output()":                                     "",
		"const r = {tool() {}}; return (await r.tool('bash')).stdout":                                        "",
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: body, Body: true, Warn: true, Granted: []string{"bash", "read", "git", "approve", "grep", "glob"}}, nil)
		var got []string
		for _, w := range checked.Warnings {
			got = append(got, fmt.Sprintf("%d:%d %s", w.Line, w.Col, w.Msg))
		}
		if strings.Join(got, "|") != want || len(flaws) > 0 {
			t.Errorf("%s: %q, want %q; %v", body, got, want, flaws)
		}
	}
}

func noList(tool string) string {
	return "the result of " + tool + " is " + resultOfTool + ", and no list or text; its entries are in data, its text is in text"
}

// TestShapesAloneAreWarnedOf where only they are asked for, as for code that was not checked before.
func TestShapesAloneAreWarnedOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"const r = await ctx.grep('a'); return r.data":             "1:39",
		"const r = await ctx.shell.run('ls'); return r.output":     "1:45",
		"return await Promise.all(inputs.f.map(ctx.readFile))":     "1:26",
		"ctx.grep('a'); ctx.nope(); ctx.tool('write', {}); nope()": "",
		"const all = [1]\nreturn\n  all.map((x) => x)":             "2:1",
		"return\n{a: 1}":                    "1:1",
		"return ;\nctx.log":                 "",
		"return;\nctx.log":                  "",
		"return\n\nf()":                     "",
		"if (inputs.a) return\nreturn 1":    "",
		"if (inputs.a) { return }\nctx.log": "",
		"return (\n 1)":                     "",
		"1 + 1":                             "",
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t", Source: body, Body: true, Shapes: true}, nil)
		var got []string
		for _, w := range checked.Warnings {
			got = append(got, fmt.Sprintf("%d:%d", w.Line, w.Col))
		}
		if strings.Join(got, "|") != want || len(flaws) > 0 {
			t.Errorf("%s: %q, want %q; %v", body, got, want, flaws)
		}
	}
}

const (
	resultOfCommand = "{stdout, stderr, exitCode, signal, timedOut, truncated, durationMs}"
	resultOfTool    = "{output, text, data, exitCode, metadata, truncated}"
)

// TestCallsThatAreNotGrantedAreWarnedOf, by whatever helper they are made.
func TestCallsThatAreNotGrantedAreWarnedOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"await ctx.shell.run('ls')":                "1:7 bash",
		"await ctx.readFile('a')":                  "1:7 read",
		"await ctx.bm25('a')":                      "1:7 search",
		"await ctx.git(['log'])":                   "1:7 git",
		"await ctx.verify({command: 'make'})":      "1:7 bash",
		"await ctx.webSearch({query: 'a'})":        "1:7 web_search",
		"await ctx.tools.mcp__a__b({})":            "1:7 mcp__a__b",
		"await ctx.grep('a'); await ctx.glob('*')": "",
		"await ctx.tool('bash', {command: 'ls'})":  "1:7 bash",
		"await ctx.tool('gerp', {})":               "1:7 gerp",
		"await ctx.tool(`bash`, {command: 'ls'})":  "1:7 bash",
		"await ctx.tool(`${1}`, {})":               "",
		"await ctx['tool']('bash', {})":            "1:7 bash",
		"await ctx?.tool?.('bash', {})":            "1:7 bash",
		"await ctx?.bash('ls')":                    "1:7 bash",
		"await ctx['bash']('ls')":                  "1:7 bash",
		"await ctx.tools['bash']({})":              "1:7 bash",
		"await ctx?.tools?.bash?.({})":             "1:7 bash",
		"await ctx.shell['run']('ls')":             "1:7 bash",
		"const x = {tool() {}}; x.tool('bash')":    "",
		"await ctx.tool('grep', {pattern: 'a'})":   "",
		"const n = 'a'; await ctx.tool(n)":         "",
		"const ls = {}; return ls.bash":            "",
		"ctx.progress({done: 1})":                  "",

		"const {bash, grep} = ctx; await bash('ls'); await grep('a')":      "1:8 bash",
		"const {readFile: r = 1, ...rest} = ctx; await r('a')":             "1:8 read",
		"const {tools, tool} = ctx; await tools.bash({}); await tool('x')": "1:34 bash 1:56 x",
		"const {shell} = ctx; await shell.run('ls')":                       "1:8 bash",
		"const all = ctx.tools; await all.bash({}); await all['grep']({})": "1:30 bash",
		"const {bash} = {bash() {}}; bash('ls')":                           "",
		"const {tools: {bash}} = ctx; return bash":                         "",
		"function f({bash}) {} f({})":                                      "",
		"const ask = ctx.tool; await ask('bash', {})":                      "1:29 bash",
	} {
		checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: body, Body: true, Warn: true, Granted: []string{"grep", "glob"}}, nil)
		var got []string
		for _, w := range checked.Warnings {
			tool, _, _ := strings.Cut(strings.TrimPrefix(w.Msg, "this calls the tool "), ",")
			got = append(got, fmt.Sprintf("%d:%d %s", w.Line, w.Col, tool))
		}
		if strings.Join(got, " ") != want || len(flaws) > 0 {
			t.Errorf("%s: %q %+v", body, got, flaws)
		}
	}
}
