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
		const failed = await ctx.shell.start('echo out; echo bad >&2; exit 4');
		let seen = await failed.waitOutput();
		while (seen.running) seen = await failed.waitOutput({since: seen.next});
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

// TestAWaitBeforeAReleaseGetsItsResult: the order is that of the script.
func TestAWaitBeforeAReleaseGetsItsResult(t *testing.T) {
	t.Parallel()
	bash := &shell.Tool{Dir: t.TempDir()}
	runner := auditor(t, audit.New(audit.Options{To: (&kept{}).sink}), bash)
	defer runner.Close()
	request := asking(`
		const ended = [];
		for (let i = 0; i < 15; i++) {
			const command = await ctx.shell.start('echo begun; sleep 60');
			await command.waitOutput();
			const result = command.wait().then((r) => r.stdout + r.signal, (e) => e.code);
			const seen = command.output({since: 0}).then((r) => r.stdout, (e) => e.code);
			await command.release();
			ended.push(await result, await seen);
		}
		return [...new Set(ended)].sort().join()`, bash)
	request.Limits.MaxToolCalls = 15
	report := runner.Run(t.Context(), request)
	if report.Outcome != runtime.OutcomeOK || string(report.Value) != `"begun\n,begun\nSIGTERM"` {
		t.Errorf("%s: %s", report, report.Value)
	}
	if len(report.Notes) > 0 || report.Calls[0].OutputBytes != int64(len("begun\n")) {
		t.Errorf("%+v, %+v", report.Notes, report.Calls[0])
	}
}
