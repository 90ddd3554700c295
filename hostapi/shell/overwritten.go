package shell

import (
	"path/filepath"
	"strings"
)

// A checkout that should remove a protected file succeeds and leaves it, untracked. A
// later checkout, merge or rebase that brings it back then fails, and git's message does
// not show that the sandbox was the cause.

// overwritten is in the line before git's list of such files.
const overwritten = "untracked working tree files would be overwritten by"

// inGitsWay are the protected files that git says it would overwrite. It names them
// relative to the top of its repository; they match the same protected names from there.
func inGitsWay(command Command, out Output) (all []Refusal) {
	stream := out.Stderr
	if command.Pty != nil {
		stream = out.Stdout
	}
	if command.Sandbox.off() {
		return nil
	}
	listed := false
	confined := command.Sandbox.in(command.Context)
	protected := confined.protected(command.Context.granted().home)
	for line := range strings.Lines(lastText(stream)) {
		name, indented := strings.CutPrefix(line, "\t")
		if listed = listed && indented || strings.Contains(line, overwritten); !listed || !indented || len(all) == mostNames {
			continue
		}
		name = strings.TrimSpace(name)
		path := filepath.Join(command.Context.Cwd(), filepath.FromSlash(name))
		if by, ok := protected.Match(confined.workspace, path); ok && by.Except != "" {
			all = append(all, Refusal{What: "writing " + named(name) + " (" + by.Reason + "), which is in git's way: delete it outside of a command", Probably: true}.adding(keyUnprotect, by.Except))
		}
	}
	return all
}
