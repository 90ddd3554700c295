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
//   - It runs in the directory that was checked, links followed. Its environment
//     is a few inherited variables, those of the [Environment] it runs in, and
//     those that the call sets. Credentials, and variables that change how programs
//     load, come only from a trusted environment.
//   - Its stdin is the null device, or the given bytes; it stays open on request.
//   - Its output is bounded while it is read: its beginning, its end and exact
//     totals are kept. All of it goes to files if there is a folder for them.
//   - At its deadline, when its context ends, and when its first process has
//     exited, everything it started is ended: SIGTERM, a grace period, SIGKILL.
//   - Its end is a typed [ExitStatus], never parsed from text.
//
// # The sandbox
//
// Package sandbox starts and ends commands from a second copy of this program, as
// the [Sandbox] says: call runtime.WorkerMain or [sandbox.Main] first in main. The
// first command finds out what the machine can enforce; [Tool.Confinement] lists
// that and what is missing. Only Linux has a sandbox. On Windows no command starts:
// the error is [errors.ErrUnsupported].
//
// Commands of one [Tool] with the same sandbox share a box: they see each other's
// processes, and can signal them.
//
// # Rules
//
// The pattern of bash(git log *) is matched against every simple command of the
// line, word by word. [Tool.CheckPattern] describes patterns, and [Tool.Plan] the
// lines that are too dynamic to match any. The line itself does not run then: it is
// written anew from the words that were matched, each in quotes. [Explain] says what
// rules make of a line.
//
// The one trap: a rule grants a program and its arguments, whatever the program does
// with them. bash(make *) and bash(./run *) grant everything that these run. For
// known programs, such as git and tar, no * covers an option that writes or runs
// something. Rules record what was agreed to; they do not confine a program.
package shell
