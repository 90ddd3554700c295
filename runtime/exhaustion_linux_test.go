//go:build amd64 || arm64

package runtime_test

import (
	"flag"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// exhaustions is how often each script that wants too much is run.
var exhaustions = flag.Int("memory.times", 1, "how often each script that takes all memory is run; more than once, those that take long are run too; 20 before a release")

// greedy are scripts that want more memory than there is, at once.
var greedy = map[string]string{
	"repeat":              "return 'x'.repeat(2**29).length",
	"repeat of two bytes": "return '€'.repeat(2**28).length",
	"padStart":            "return 'x'.padStart(2**29).length",
	"padEnd":              "return 'x'.padEnd(2**29, 'ab').length",
	"sort on holes":       "return Array(2**32-1).sort().length",
	"toSorted":            "return Array.prototype.toSorted.call({length: 2**27}).length",
	"typed array":         "return new Uint8Array(2**30).fill(1).length",
	"typed doubles":       "return new Float64Array(2**27).fill(1).length",
	"array buffer":        "return new Uint8Array(new ArrayBuffer(2**31)).fill(1).length",
}

// greedyForLong get there by and by: the collector works hard before there is no
// more, for seconds.
var greedyForLong = map[string]string{
	"repeat and join":    "return Array(4096).fill('x'.repeat(2**20)).join('').length",
	"doubling":           "let s = 'x'; for (;;) s += s",
	"doubling and look":  "let s = 'x'; for (;;) { s += s; s.charCodeAt(0) }",
	"split":              "return 'x'.repeat(2**25).split('').length",
	"split by a pattern": "return 'x'.repeat(2**25).split(/(?:)/).length",
	"join":               "return Array(2**26).fill(1).join('long separator').length",
	"join of holes":      "return Array(2**32-1).join('x').length",
	"fill":               "return Array(1e8).fill(0).length",
	"push":               "const all = []; for (;;) all.push({})",
	"push arrays":        "const all = []; for (;;) all.push(new Array(1000).fill(7))",
	"array from":         "return Array.from({length: 2**28}, (_, i) => i).length",
	"spread":             "const a = Array(2**24).fill(1); return [...a, ...a, ...a, ...a, ...a, ...a, ...a, ...a].length",
	"concat":             "let a = [1]; for (;;) a = a.concat(a)",
	"flat":               "const a = Array(2**12).fill(Array(2**14).fill(1)); return a.flat().length",
	"typed arrays":       "const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))",
	"big integer":        "return (1n << 2n**33n) === 0n",
	"map":                "const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])",
	"set":                "const s = new Set(); for (let i = 0; ; i++) s.add('k' + i)",
	"object":             "const o = {}; for (let i = 0; ; i++) o['key' + i] = i",
	"closures":           "const all = []; for (let i = 0; ; i++) all.push(() => i)",
	"json":               "let s = '[1]'; for (;;) { const v = JSON.parse('[' + s + ',' + s + ']'); s = JSON.stringify(v) }",
	"match":              "return 'x'.repeat(2**25).match(/x/g).length",
	"replace":            "return 'x'.repeat(2**20).replace(/x/g, 'y'.repeat(2**12)).length",
	"promises":           "const all = []; for (;;) all.push(new Promise(() => {}))",
}

// TestNoMemoryIsALimit: a script that takes all the memory that it may have, in
// whatever way, ends as limit, and the report says how much it had. What it is
// told that it cannot have at all is an error of its own.
func TestNoMemoryIsALimit(t *testing.T) { //nolint:paralleltest // it takes the machine
	runner := workers(t, runtime.Options{})
	busy := compile(t, runner, "const end = Date.now() + 50; while (Date.now() < end); return 1")
	loaded := make(chan struct{})
	var load sync.WaitGroup
	for range 2 {
		load.Go(func() {
			for {
				select {
				case <-loaded:
					return
				default:
					runner.Run(t.Context(), runtime.Request{Program: busy})
				}
			}
		})
	}
	slots := make(chan struct{}, 4)
	var running sync.WaitGroup
	scripts := maps.Clone(greedy)
	if *exhaustions > 1 {
		maps.Copy(scripts, greedyForLong)
	}
	for name, body := range scripts {
		program := compile(t, runner, body)
		for range *exhaustions {
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				report := runner.Run(t.Context(), runtime.Request{Program: program, Limits: runtime.Limits{Timeout: 10 * time.Minute, MaxMemoryBytes: 64 << 20}})
				if report.Outcome != runtime.OutcomeLimit || report.Limit != runtime.LimitMemory {
					t.Errorf("%s: %s: %v", name, report, report.Failure)
				}
				if peak := report.Usage.PeakMemoryBytes; peak <= 0 || peak > 100<<20 {
					t.Errorf("%s: a peak of %d MB", name, peak>>20)
				}
			})
		}
	}
	running.Wait()
	close(loaded)
	load.Wait()
}

// TestLengthOutOfRange: a length that nothing can have is a RangeError, which a
// script can catch where it asked for it by a function.
func TestLengthOutOfRange(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	for _, expression := range []string{
		"'x'.repeat(2**53-1)", "'€'.repeat(2**62)", "'x'.padStart(2**53-1)", "'€'.padEnd(2**53-1, 'ab')",
		"Array.prototype.sort.call({length: 2**53-1})", "Math.max.apply(null, {length: 2**53-1})",
		"Reflect.apply(Math.max, null, {length: 2**53-1})", "Reflect.construct(Array, {length: 2**53-1})",
		"BigInt.asUintN(2**53-1, -1n)", "BigInt.asIntN(2**53-1, -1n)",
		"new Uint8Array(2**53-1)", "new Float64Array(2**53-1)", "new ArrayBuffer(2**53-1)", "Array(2**32)",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			report := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, "try { "+expression+" } catch (e) { return [e.name, e instanceof RangeError, [3, 1, 2].sort().join('-'), 'ab'.repeat(2)] }")})
			if string(report.Value) != `["RangeError",true,"1-2-3","abab"]` {
				t.Errorf("%s: %s, %v", report, report.Value, report.Failure)
			}
			report = runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, expression)})
			if report.Outcome != runtime.OutcomeScriptError || report.Failure.Name != "RangeError" {
				t.Errorf("%s: %v", report, report.Failure)
			}
		})
	}
	report := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, "let n = 2n; n = n ** 62n; return (1n << n) === 0n")})
	if report.Outcome != runtime.OutcomeScriptError || report.Failure.Name != "RangeError" {
		t.Errorf("%s: %v", report, report.Failure)
	}
}
