//go:build unix

package audit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/audit"
)

// TestCommandsInTheBackgroundSayHowTheyEnded, also those that nobody waited for.
func TestCommandsInTheBackgroundSayHowTheyEnded(t *testing.T) {
	t.Parallel()
	bash := &shell.Tool{Dir: t.TempDir()}
	k := &kept{}
	report := audited(t, audit.New(audit.Options{To: k.sink}), `
		await ctx.shell.start('echo out; echo bad >&2; exit 4');
		const done = await ctx.shell.start('read x; exit 5', {input: true});
		await done.write('x\n');
		await done.wait();
		return 'done'`, bash)
	if report.Outcome != runtime.OutcomeOK {
		t.Fatal(report)
	}
	ended := map[int]string{}
	for _, e := range k.entries {
		if e.Event == audit.EventCall && e.Cwd != "" {
			ended[*e.ExitCode] = e.Error
		}
	}
	if diff := cmp.Diff(map[int]string{4: "bad", 5: ""}, ended); diff != "" {
		t.Error(diff)
	}
}
