// Package shell runs commands for scripts: the host tool "bash", and the
// executor beneath it.
//
//	tools := []hostapi.Tool{&shell.Tool{Dir: "."}}
//
// A [Tool] turns the arguments of a call into a [Command] and decides, in one
// place, where it runs and with what environment. A [Backend] runs it in a
// terminal: create, output, wait, kill, release. [Local] is the backend that
// starts processes of this machine, with bash -c where there is a bash and
// with sh -c where there is none.
//
// What holds for every command, however it behaves:
//
//   - It gets the directory that was checked, links followed, and an
//     environment of a few inherited names, those of the [Environment] it runs
//     in, and those that the call set. Credentials, and names that change how
//     programs load, pass from a trusted environment alone.
//   - Its stdin is the null device, or the bytes given, and more if it was left open.
//   - Its output is bounded while it is read: beginning, end and exact totals;
//     all of it goes to files if there is a folder for them.
//   - At its deadline, when its context ends, and when its first process has
//     exited, everything it started is ended: SIGTERM, a grace, SIGKILL.
//   - How it ended is a typed [ExitStatus], never read from text.
//
// # What keeps a command
//
// Package sandbox starts and ends commands, as the [Sandbox] says, from a second
// copy of this program: call runtime.WorkerMain or [sandbox.Main] first thing in
// main. Which measures a machine has is found out when the first command starts;
// [Tool.Confinement] names each, and what is missing. On other systems than
// Linux there is no sandbox. On Windows nothing starts: the error is
// [errors.ErrUnsupported].
//
// Commands of one [Tool] with one sandbox share its box: they see each other's
// processes, and can signal them.
//
// # Rules
//
// In bash(git log *) the pattern is matched against every simple command of
// the line, word by word; see [Tool.CheckPattern] for the grammar and
// [Tool.Plan] for what is too dynamic to be matched at all. What runs then is
// not the line but one that is written anew from the words that were matched,
// each in quotes. [Explain] says what rules make of a line.
//
// The one trap: a rule grants a program with its arguments, and what the
// program does with them is beyond it. bash(make *) and bash(./run *) grant
// everything that these run; of programs that are known, such as git and tar,
// no * covers an option that writes or runs something. Rules say what was agreed
// to; they do not confine a program.
package shell
