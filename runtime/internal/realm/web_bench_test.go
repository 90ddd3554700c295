package realm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// BenchmarkRealm is a realm that does nothing, or reads one global: compare the lines.
func BenchmarkRealm(b *testing.B) {
	for name, code := range map[string]string{
		"empty": "0", "console": "console.log('x')", "URL": "URL", "Buffer": "Buffer", "TextDecoder": "TextDecoder", "structuredClone": "structuredClone", "crypto": "crypto",
		"literal": "/^a+$/.test('aaa')", "new RegExp": "new RegExp('^a+$')",
	} {
		b.Run(name, func(b *testing.B) { benchRealm(b, "function run() { "+code+"; return 1 }") })
	}
}

// BenchmarkPlatform does n of something in one realm.
func BenchmarkPlatform(b *testing.B) {
	big := strings.Repeat("aé€ text ", 8<<10)
	for _, c := range []struct{ name, before, code string }{
		{"new URL", "", "new URL('https://example.com/a/b?c=d#e').href"},
		{"searchParams", "const u = new URL('https://example.com/?a=1&b=2')", "u.searchParams.set('a', i)"},
		{"TextDecoder 64 KB", "const d = new TextDecoder(), bytes = new TextEncoder().encode(inputs.text.slice(0, 50000))", "d.decode(bytes).length"},
		{"Buffer.from base64 64 KB", "const text = Buffer.from(inputs.text).subarray(0, 49152).toString('base64')", "Buffer.from(text, 'base64').length"},
		{"Buffer.readUInt32LE", "const data = Buffer.alloc(64)", "data.readUInt32LE(8)"},
		{"structuredClone", "const v = {a: [1, 2, {b: 'x'}], c: new Date(0)}", "structuredClone(v)"},
		{"JSON.parse 1 KB", "const text = JSON.stringify(Array.from({length: 16}, (_, i) => ({name: 'item ' + i, count: i * 1000, tags: ['a', 'b'], ok: true})))", "JSON.parse(text)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			source := fmt.Sprintf("function run(ctx, inputs) { %s; for (let i = 0; i < inputs.n; i++) { %s } }", c.before, c.code)
			start := benchStart(b, source, fmt.Sprintf(`{"n":%d,"text":%q}`, b.N, big))
			r := realm.New(realm.Config{Programs: &realm.Programs{}, Emit: benchEmit(b)})
			b.ResetTimer()
			r.Run(start)
		})
	}
}

func benchRealm(b *testing.B, source string) {
	b.Helper()
	start := benchStart(b, source, "")
	programs := &realm.Programs{}
	b.ReportAllocs()
	for b.Loop() {
		realm.New(realm.Config{Programs: programs, Emit: benchEmit(b)}).Run(start)
	}
}

func benchEmit(b *testing.B) func(wire.Frame) error {
	return func(f wire.Frame) error {
		if f.Kind == wire.KindThrow {
			b.Errorf("%s", f.Head)
		}
		return nil
	}
}

func benchStart(b *testing.B, source, inputs string) wire.Frame {
	b.Helper()
	checked, flaws := realm.Check(wire.Check{Name: "t.js", Source: source}, nil)
	if len(flaws) > 0 {
		b.Fatalf("%+v", flaws)
	}
	start, err := wire.New(wire.KindStart, wire.Start{Name: "t.js", Digest: source, Source: checked.Source, Entry: checked.Entry, MaxOutputBytes: 1 << 16}, []byte(inputs))
	if err != nil {
		b.Fatal(err)
	}
	return start
}
