package realm

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// grammar makes sources of the shapes that conformance tests of the language
// have: most are programs, some are not.
type grammar struct{ *rand.Rand }

func (g grammar) one(of ...string) string { return of[g.IntN(len(of))] }

func (g grammar) name() string {
	return g.one("a", "b", "run", "ctx", "$default", "ünder", "of", "async", "let", "yield", "exports")
}

func (g grammar) literal() string {
	return g.one("1", "0x1F", "1_000", "1n", ".5e3", "'s'", `"\u{1F600}"`, `"\u{10FFFF}"`, `'\x41\
'`, "`t${a}`", "`\n`", "/a+[/]/giu", "null", "true", "this", "[,1,...a]", "{a, [b]: 1, get c() { return 1 }, ...d}", "class { #p = 1; static {} }", "new.target", "import.meta")
}

func (g grammar) expression(depth int) string {
	if depth <= 0 {
		return g.one(g.name(), g.literal())
	}
	e := func() string { return g.expression(depth - 1) }
	switch g.IntN(18) {
	case 0, 14, 15, 16, 17:
		return "(" + e() + ")"
	case 1:
		return e() + " " + g.one("+", "-", "*", "**", "/", "%", "<<", ">>>", "&", "|", "^", "&&", "||", "??", "in", "instanceof", "===", "<", ",", "=", "??=") + " " + e()
	case 2:
		return g.one("!", "-", "+", "~", "typeof ", "void ", "delete ", "await ", "++", "...", "new ") + e()
	case 3:
		return e() + "(" + e() + ")"
	case 4:
		return e() + g.one(".a", "?.b", "?.[0]", "['x']", "`t`", "++", ".#p")
	case 5:
		return e() + " ? " + e() + " : " + e()
	case 6:
		return g.one("", "async ") + "(" + g.one("", "a", "a = "+e(), "{a, b = "+e()+"}", "[a, ...b]", "...a") + ") => " + g.one(e(), "{ "+g.statement(depth-1)+" }")
	case 7:
		return g.one("function ", "function* ", "async function ", "async function* ") + g.one("", "f") + "(a, b = " + e() + ") { " + g.statement(depth-1) + " }"
	case 8:
		return "[" + e() + ", " + e() + "]"
	case 9:
		return "({ a: " + e() + ", async *[b]() { yield " + e() + " } })"
	case 10:
		return "class " + g.one("", "A ") + g.one("", "extends "+g.name()) + " { constructor() { super(" + e() + ") } static a = " + e() + " }"
	case 11:
		return "`x${" + e() + "}y${" + e() + "}`"
	default:
		return g.one(g.name(), g.literal())
	}
}

func (g grammar) statement(depth int) string {
	e := func() string { return g.expression(depth) }
	s := func() string {
		if depth <= 0 {
			return ";"
		}
		return g.statement(depth - 1)
	}
	switch g.IntN(16) {
	case 0:
		return "if (" + e() + ") " + s() + g.one("", " else "+s())
	case 1:
		return "for (" + g.one("let a = 0; a < 9; a++", "const a of "+e(), "var a in "+e(), "const {a} of "+e(), ";;", "await (const a of b") + ") " + s()
	case 2:
		return g.one("let ", "const ", "var ", "using ") + g.one(g.name(), "{a, b: [c]}", "[a, ...b]") + " = " + e() + ";"
	case 3:
		return "try { " + s() + " } catch " + g.one("", "(e) ") + "{ " + s() + " } finally { " + s() + " }"
	case 4:
		return "switch (" + e() + ") { case " + e() + ": " + s() + " default: " + s() + " }"
	case 5:
		return g.one("a: ", "") + "{ " + s() + s() + " }"
	case 6:
		return g.one("return ", "throw ", "yield ", "break", "continue", "debugger", "export ", "import ") + e() + ";"
	case 7:
		return g.one("function f() { ", "async function f() { ", "class A { m() { ", "with (a) { {") + s() + g.one(" }", " } }")
	case 8:
		return g.one("// ", "/* ", "/*--- ", "<!-- ", "#!") + g.one("export default", "*/", "---*/ ", "\n") + "\n"
	case 9:
		return "do " + s() + " while (" + e() + ")"
	default:
		return e() + g.one(";", "\n", "")
	}
}

// exported is a statement of the top level of a file.
func (g grammar) exported(depth int) string {
	return g.one("export default ", "export default async ", "export default /* x */ function ", "export\ndefault ", "export ", "export const x = ",
		"export { run };", "export { a as default, run, };", "export /* { */ { run } // }\n", "export function run(ctx) {", "module.exports = ", "exports.run = ",
		"export default class ", "export * from 'x'", "export { a } from 'x'") + g.one("", g.expression(depth), g.statement(depth), "run(ctx, inputs) { return 1 }", "(ctx) { return 1 }")
}

func (g grammar) file() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		if g.IntN(3) == 0 {
			b.WriteString(g.exported(2))
		} else {
			b.WriteString(g.statement(1))
		}
		b.WriteString(g.one("\n", ";\n", "\r\n", "\u2028"))
	}
	b.WriteString(g.one("", "function run() {}", "async function run(ctx, inputs) { return 1 }", "export default async function (ctx) {}", "export default () => 1"))
	return b.String()
}

// TestAnswersOfGeneratedSources: whatever a source is, a check of it ends in
// flaws or a program, in a worker and in process alike, and what the one says of
// it over the wall is what the other knows.
func TestAnswersOfGeneratedSources(t *testing.T) {
	t.Parallel()
	programs, sound := &Programs{}, 0
	for seed := range uint64(600) {
		c := wire.Check{Name: "x.js", Digest: "x", Source: grammar{rand.New(rand.NewPCG(seed, 1))}.file(), Body: seed%3 == 0, Module: seed%5 == 0}
		here, flaws := Check(c, nil)
		text, err := json.Marshal(programs.Check(c, nil))
		var answer wire.Checked
		if err == nil {
			err = json.Unmarshal(text, &answer)
		}
		accepted, told, refused := Accept(c, answer, nil)
		if err != nil || refused != nil {
			t.Fatalf("%v %v\n%s\n%s", err, refused, c.Source, text)
		}
		if !here.Compiled() && len(flaws) == 0 { // constants are left to its run
			if _, flaws = check(c, nil, true); len(flaws) == 0 {
				here, _ = check(c, nil, true)
			}
		}
		here.program, here.edits, here.from = compiled{}, nil, nil
		if len(flaws) > 0 {
			here = Checked{}
		}
		if !reflect.DeepEqual(here, accepted) || fmt.Sprint(flaws) != fmt.Sprint(told) {
			t.Fatalf("%+v %v\n%+v %v\n%s", here, flaws, accepted, told, c.Source)
		}
		if len(flaws) == 0 {
			sound++
		}
	}
	if sound < 50 {
		t.Errorf("only %d of them are programs", sound)
	}
}

// TestCheckInProcessRefusesWhatMultiplies: where nothing can be killed, what is
// known to cost far more than its length is refused; what people write is not.
func TestCheckInProcessRefusesWhatMultiplies(t *testing.T) {
	t.Parallel()
	nest := func(before, after string, n int) string {
		return strings.Repeat(before, n) + "1" + strings.Repeat(after, n)
	}
	for name, c := range map[string]struct{ src, want string }{
		"and":                 {nest("", "&&1", 30), "constants"},
		"or":                  {nest("", "||0", 30), "constants"},
		"coalesce":            {nest("", "??null", 30), "constants"},
		"and of sums":         {nest("", "+1&&1", 30), "constants"},
		"defaults":            {nest("(a=", ")=>1", 30), "parameters"},
		"patterns":            {nest("({a=", "})=>1", 30), "parameters"},
		"async":               {nest("async(a=", ") /* => */\n =>1", 30), "parameters"},
		"sums":                {nest("", "+1", 4000), "constant"},
		"minus":               {nest("- ", "", 90000), "nested"},
		"void":                {nest("void ", "", 38000), "nested"},
		"functions":           {nest("a=>", "", 60000), "return each other"},
		"variables":           {"a" + strings.Repeat("+a", 90000), "nested"},
		"chains":              {"a" + strings.Repeat("?.a", 60000), "nested"},
		"powers":              {nest("", "**1", 4000), "constant"},
		"texts":               {"'a'" + strings.Repeat("+'a'", 4000), "constant"},
		"conditions":          {strings.Repeat("a === 'b' || ", 500) + "a", ""},
		"flags":               {strings.Repeat("1 && a || ", 100) + "a", ""},
		"lines that are long": {"'a'" + strings.Repeat("+\n 'b'", 1000), ""},
		"callbacks":           {strings.Repeat("f((a, b = () => 1) => g(", 100) + "1" + strings.Repeat("))", 100), ""},
		"functions by steps":  {strings.Repeat("(a) => ", 50) + "1", ""},
	} {
		_, flaws := Check(wire.Check{Name: "x.js", Source: "return " + c.src, Body: true}, nil)
		if c.want == "" && len(flaws) > 0 || c.want != "" && (len(flaws) == 0 || !strings.Contains(flaws[0].Msg, c.want)) {
			t.Errorf("%s: %v", name, flaws)
		}
	}
}

// TestManyExports: a source has as many as anybody writes.
func TestManyExports(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("f();\n", 5000)
	for i := range maxExports - 1 {
		source += fmt.Sprintf("export const a%d = 1;\n", i)
	}
	source += "export default () => 1\n"
	if c, flaws := Check(wire.Check{Name: "x.js", Source: source}, nil); len(flaws) > 0 || len(c.edits) != maxExports {
		t.Errorf("%d of %d: %v", len(c.edits), maxExports, flaws)
	}
	if _, flaws := Check(wire.Check{Name: "x.js", Source: source + "export const more = 1"}, nil); len(flaws) != 1 || !strings.Contains(flaws[0].Msg, "64 times") {
		t.Errorf("%v", flaws)
	}
}

// TestWarningsAreBounded, those that are found and those that a worker may answer with.
func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	c := wire.Check{Name: "t.js", Source: strings.Repeat("ctx.bash('a');", maxWarnings+1), Body: true, Warn: true, Granted: []string{"bash"}}
	checked, flaws := Check(c, nil)
	if len(flaws) > 0 || len(checked.Warnings) != maxWarnings {
		t.Fatalf("%d warnings, %+v", len(checked.Warnings), flaws)
	}
	sent := answer(checked, nil)
	if accepted, _, err := Accept(c, sent, nil); err != nil || len(accepted.Warnings) != maxWarnings {
		t.Errorf("%d warnings: %v", len(accepted.Warnings), err)
	}
	for _, bad := range []wire.Flaw{sent.Warnings[0], {Line: 2, Col: 1, Msg: "not there"}} {
		more := sent
		more.Warnings = append(slices.Clone(sent.Warnings[min(1, bad.Line-1):]), bad)
		if accepted, _, err := Accept(c, more, nil); err == nil {
			t.Errorf("it accepted %d warnings, the last of which is %+v", len(accepted.Warnings), bad)
		}
	}
}
