// Package runtime runs programs: JavaScript with a function run(ctx, inputs),
// in a sandbox, with limits, and with a receipt of every run.
//
//	runner, err := runtime.New(runtime.Options{Tools: tools})
//	if err != nil {
//		return err
//	}
//	defer runner.Close()
//	program, err := runner.Compile(runtime.Source{Name: "hello.js", Body: source})
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
// The one trap: scripts run inside this process so far. They are stopped
// between instructions and abandoned when they do not obey, and memory is
// watched for the process as a whole; a script that sets out to exhaust the
// process can. [Report.Isolation] says so on each receipt. Run what you have
// read.
//
// The package's name hides the standard library's; import that one as
// goruntime where both are needed.
package runtime
