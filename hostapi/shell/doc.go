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
//     environment of a few inherited names and those that the host set.
//     Credentials, and names that change how programs load, never pass.
//   - Its stdin is the null device, or the bytes given.
//   - Its output is bounded while it is read: beginning, end and exact totals.
//   - At its deadline, when its context ends, and when its first process has
//     exited, everything it started is ended: SIGTERM, a grace, SIGKILL. On
//     Linux that includes what left its process group or session.
//   - How it ended is a typed [ExitStatus], never read from text.
//
// What does not hold yet: there is no sandbox, so a command can do what the
// host's user can. On Linux a process is not found that outlived its parent,
// left its session and was started with another environment, as by
// (env -i setsid … &); elsewhere one that left its process group is not. If the host is killed the first
// process goes with it on Linux, its children may stay. On Windows nothing
// starts: the error is [errors.ErrUnsupported].
//
// # Rules
//
// In bash(git log *) the pattern is matched against every simple command of
// the line, word by word; see [Tool.CheckPattern] for the grammar and
// [Tool.Subjects] for what is too dynamic to be matched at all.
//
// The one trap: a rule grants a program with its arguments, and what the
// program does with them is beyond it. bash(awk *), bash(make *) and
// bash(python3 *) grant everything, since these programs run others, and
// bash(git log *) grants git log --output=FILE. Rules say what was agreed to;
// they do not confine a program.
package shell
