package shell

import (
	"path/filepath"
	"strings"
)

// A checkout that removes a protected file succeeds without that, and the file is one that
// git does not know from then on. What brings it again, a checkout, a merge or a rebase,
// fails with words that tell of no refusal.

// overwritten ends what git says before it lists such files.
const overwritten = "untracked working tree files would be overwritten by"

// inGitsWay are the protected files that git says it would overwrite. It names them as
// seen from the top of its repository; what counts of a name is the same from there.
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
	for line := range strings.Lines(lastText(stream)) {
		name, indented := strings.CutPrefix(line, "\t")
		if listed = listed && indented || strings.Contains(line, overwritten); !listed || !indented || len(all) == mostNames {
			continue
		}
		name = strings.TrimSpace(name)
		path := filepath.Join(command.Context.Cwd(), filepath.FromSlash(name))
		if by, ok := confined.Protected.Match(confined.workspace, path); ok && by.Except != "" {
			all = append(all, Refusal{What: "writing " + named(name) + " (" + by.Reason + "), which is in git's way: delete it outside of a command", Probably: true}.adding(keyUnprotect, by.Except))
		}
	}
	return all
}
