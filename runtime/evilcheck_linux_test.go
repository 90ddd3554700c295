package runtime_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// checkedByEvil is the source that they are asked about.
const checkedByEvil = "const safe = true;\nexport { run };\nexport const other = 'export default';\nfunction run(ctx) { if (!safe) throw 1; return 2 }\n"

func answers(a wire.Checked) func(evilWorker) {
	return func(w evilWorker) { w.send(wire.KindChecked, a, "") }
}

func edits(edits ...wire.Edit) func(evilWorker) {
	return answers(wire.Checked{Entry: "run", Edits: edits})
}

// evilChecks is what a worker says to a check; none of it is believed.
var evilChecks = map[string]struct {
	do   func(evilWorker)
	want string
}{
	"check: garbage":                 {func(w evilWorker) { w.write([]byte(strings.Repeat("garbage", 1000))) }, "died"},
	"check: a giant head":            {func(w evilWorker) { w.write([]byte{12, 255, 255, 255, 255, 0, 0, 0, 0}) }, "died"},
	"check: half a head, and sits":   {func(w evilWorker) { w.write([]byte{12, 0, 0, 1, 0, 0, 0, 0, 0, '{'}) }, "too little processor time in"},
	"check: exits":                   {func(evilWorker) { os.Exit(3) }, "died: exit status 3"},
	"check: is silent":               {func(evilWorker) {}, "too little processor time in"},
	"check: closes its socket":       {func(w evilWorker) { _ = w.conn.Close() }, "closed its socket"},
	"check: returns":                 {func(w evilWorker) { w.done() }, "answered with a return frame"},
	"check: returns much":            {func(w evilWorker) { w.raw(wire.KindReturn, []byte("{}"), make([]byte, 100<<10)) }, "answered with a value"},
	"check: asks":                    {func(w evilWorker) { w.send(wire.KindCheck, wire.Check{}, "") }, "answered with a check frame"},
	"check: a head that is no JSON":  {func(w evilWorker) { w.raw(wire.KindChecked, []byte("{"), nil) }, "gave an invalid answer"},
	"check: an answer of nothing":    {answers(wire.Checked{}), "entry"},
	"check: an entry that computes":  {answers(wire.Checked{Entry: "(()=>1)"}), "entry"},
	"check: an entry elsewhere":      {answers(wire.Checked{Entry: "gone"}), "entry"},
	"check: an edit before":          {edits(wire.Edit{At: -1, Text: "      "}), "edit"},
	"check: an edit behind":          {edits(wire.Edit{At: len(checkedByEvil), Text: " "}), "edit"},
	"check: an edit beyond":          {edits(wire.Edit{At: strings.Index(checkedByEvil, "export"), Text: strings.Repeat(" ", 1000)}), "edit"},
	"check: an empty edit":           {edits(wire.Edit{At: strings.Index(checkedByEvil, "export")}), "edit"},
	"check: an edit of other code":   {edits(wire.Edit{At: 0, Text: "                  "}), "edit"},
	"check: an edit with code in it": {edits(wire.Edit{At: strings.Index(checkedByEvil, "export"), Text: "safe=0;;;;;;;;;"}), "edit"},
	"check: an edit of too much": {edits(wire.Edit{At: strings.Index(checkedByEvil, "export const"), Text: strings.Repeat(" ", len("export const other"))}),
		"edit"},
	"check: an edit of two lines":     {edits(wire.Edit{At: strings.Index(checkedByEvil, "export {"), Text: strings.Repeat(" ", len("export { run };\nexport"))}), "edit"},
	"check: an edit that adds a line": {edits(wire.Edit{At: strings.Index(checkedByEvil, "export const"), Text: "\n     "}), "edit"},
	"check: edits that overlap": {edits(wire.Edit{At: strings.Index(checkedByEvil, "export const"), Text: "      "},
		wire.Edit{At: strings.Index(checkedByEvil, "export const"), Text: "      "}), "edit"},
	"check: a thousand edits":    {edits(make([]wire.Edit, 1000)...), "edits"},
	"check: a flaw and an entry": {answers(wire.Checked{Entry: "run", Flaws: []wire.Flaw{{Line: 1, Col: 1, Msg: "x"}}}), "flaws"},
	"check: a flaw elsewhere":    {answers(wire.Checked{Flaws: []wire.Flaw{{Line: 9, Col: 1, Msg: "x"}}}), "flaw"},
	"check: a flaw far right":    {answers(wire.Checked{Flaws: []wire.Flaw{{Line: 1, Col: 1 << 40, Msg: "x"}}}), "flaw"},
	"check: a long flaw":         {answers(wire.Checked{Flaws: []wire.Flaw{{Line: 1, Col: 1, Msg: strings.Repeat("x", 1<<20)}}}), "flaw"},
	"check: many flaws":          {answers(wire.Checked{Flaws: make([]wire.Flaw, 10000)}), "flaws"},
}

// TestEvilCheckers: what a worker says of a source is what is possible, or an
// error; and it costs no more than that.
func TestEvilCheckers(t *testing.T) {
	t.Parallel()
	for name, e := range evilChecks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, err := runtime.NewWithCheckers(runtime.Options{}, name)
			if err != nil {
				t.Fatal(err)
			}
			source := runtime.Source{Name: "x.js", Body: []byte(checkedByEvil)}
			if strings.Contains(e.want, "300 ms") {
				source.MaxCheck = 300 * time.Millisecond
			}
			program, err := runner.Compile(t.Context(), source)
			var bad *runtime.CompileError
			if program != nil || !errors.As(err, &bad) || !strings.Contains(err.Error(), e.want) {
				t.Errorf("got %v; want an error about %s", err, e.want)
			}
			if err := runner.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
