// Package runtime runs programs: JavaScript with a function run(ctx, inputs), in a sandbox,
// with limits, and with a report of every run.
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
// Package scripttools is built on this one and adds tool files, with their headers,
// schemas and names.
//
// A run reaches only the tools that its request allows, through one hostapi.Gate. It ends
// with one of the listed [Outcome] values, and in each case the [Report] has every call
// that was asked for, in order, with its verdict.
//
// Scripts run in worker processes: this program, started again. So main and TestMain must
// call [WorkerMain] first. A worker can only compute and talk to its host, and is killed
// when it exceeds a limit; [Report.Isolation] has what was enforced. There are workers on
// Linux, on amd64 and arm64. Elsewhere, and with [Options.InProcess], scripts run in this
// process: they are stopped between instructions, and abandoned if they do not stop.
//
// The package has the name of one of the standard library. Import that one as goruntime
// where you need both.
package runtime
