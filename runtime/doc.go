// Package runtime runs programs: JavaScript with a function run(ctx, inputs),
// in a sandbox, with limits, and with a receipt of every run.
//
//	runner, err := runtime.New(runtime.Options{Tools: tools})
//	if err != nil {
//		return err
//	}
//	defer runner.Close()
//	program, err := runner.Compile(ctx, runtime.Source{Name: "hello.js", Body: source})
//	if err != nil {
//		return err // every problem, with file:line:column
//	}
//	report := runner.Run(ctx, runtime.Request{Program: program, Allow: rules})
//	fmt.Println(report.Text)
//	return report.Err() // nil only for a run that ended ok
//
// Tool files, with their headers, schemas and names, are the matter of package
// scripttools, which sits on this one.
//
// A run reaches nothing but the tools that its request allows, through one
// hostapi.Gate. It ends in one of the outcomes that [Outcome] lists, and
// whatever the ending is, the [Report] has every call that was asked for, in
// order, with its verdict.
//
// Scripts run in worker processes: this program, started again. So main calls
// [WorkerMain] before anything else, and TestMain does. A worker can compute
// and talk to its host, no more, and is killed when a limit is passed; what
// was enforced is in [Report.Isolation]. Workers are there on Linux, on amd64
// and arm64. Elsewhere, and with [Options.InProcess], scripts run inside this
// process: they are stopped between instructions, and abandoned when they do
// not obey.
//
// The package's name hides the standard library's; import that one as
// goruntime where both are needed.
package runtime
