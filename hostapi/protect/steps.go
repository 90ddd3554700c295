package protect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// An unfinished rebase, or pick of several commits, is a list of
// steps in the repository's folder. Whoever continues it runs the commands of
// the list. Git itself writes there at each step, so the files are not read-only:
// they are judged after a command, and steps that run something are removed,
// unless they existed before.

// gitStates are the folders of unfinished operations.
var gitStates = []string{"rebase-merge", "rebase-apply", "sequencer"}

// stepFiles are the files in them that name commands or programs, or options that git passes to
// its own programs.
var stepFiles = []string{
	"rebase-merge/git-rebase-todo", "rebase-merge/strategy", "rebase-merge/strategy_opts", "rebase-apply/strategy", "rebase-apply/strategy_opts",
	"rebase-apply/apply-opt", "rebase-apply/gpg_sign_opt", "sequencer/todo", "sequencer/opts",
}

// resolutions is the file of conflicts whose resolution git rerere will note: with the next
// commit it copies the files that it names into the repository, from anywhere.
const resolutions = "MERGE_RR"

const resolutionsReason = "git copies the files that it names into the repository"

const stepsReason = "git runs what it names when the rebase or pick goes on"

// maxSteps bounds such a file, in bytes: a rebase of some ten thousand commits.
const maxSteps = 1 << 20

const (
	harmlessStepNames = "p pick r reword e edit s squash f fixup d drop l label t reset m merge u update-ref b break noop revert"
	// Git takes any other name for a program, also one in a folder.
	harmlessStrategies = "ort recursive resolve octopus ours subtree"
	harmlessOptions    = "no-commit edit allow-empty allow-empty-message drop-redundant-commits keep-redundant-commits signoff record-origin commit-use-reference allow-ff mainline " +
		"gpg-sign allow-rerere-auto default-msg-cleanup"
)

// steps looks at unfinished operations in a repository's folder, or in that of a further
// working folder.
func (l *look) steps(git string) {
	l.linksOf(git)
	noted := filepath.Join(git, resolutions)
	l.stamp(noted)
	l.add(noted, why{resolutionsReason, path.Join(gitFolder, resolutions)}, gitSteps)
	for _, state := range gitStates {
		dir := filepath.Join(git, state)
		by := why{stepsReason, path.Join(gitFolder, state)}
		if !l.stamp(dir) {
			l.add(dir, by, gitPart) // git makes folders, and would go through a link
			continue
		}
		for _, name := range stepFiles {
			if path.Dir(name) == state {
				file := filepath.Join(git, filepath.FromSlash(name))
				l.stamp(file)
				l.add(file, by, gitSteps)
			}
		}
	}
}

func readSteps(file string) (text string, ok bool) {
	raw, err := regular.Read(file, maxSteps)
	return string(raw), err == nil
}

// harmlessSteps reports whether such a file names no command that it did not name before.
func harmlessSteps(file, before string) bool {
	text, ok := readSteps(file)
	return ok && text == stepsWithout(file, text, before)
}

// stepsWithout is a text without the new steps that run something.
func stepsWithout(file, text, before string) string {
	known := func(what string) bool { return before != "" && what == before }
	if strings.Contains(text, nul) && !known(text) { // not all of git reads beyond it
		return before
	}
	switch filepath.Base(file) {
	case "strategy":
		if !known(text) && !hasWord(harmlessStrategies, strings.TrimSuffix(text, "\n")) {
			return before
		}
	case "strategy_opts":
		if !known(text) && !harmlessMerge(text) {
			return before
		}
	case "apply-opt":
		if !known(text) && !harmlessApply(text) {
			return before
		}
	case resolutions: // without it git just notes nothing
		if !known(text) && text != "" {
			return before
		}
	case "gpg_sign_opt": // an option of git am
		if !known(text) && text != "" && !strings.HasPrefix(text, "-S") {
			return before
		}
	case "opts":
		for _, s := range settingsOf(text) {
			if !known(text) && !harmlessOption(s) {
				return before
			}
		}
	default:
		lines := slices.Collect(strings.Lines(before))
		return strings.Join(slices.Collect(func(yield func(string) bool) {
			for line := range strings.Lines(text) {
				if (harmlessStep(line) || slices.Contains(lines, line)) && !yield(line) {
					return
				}
			}
		}), "")
	}
	return text
}

// harmlessStep reports whether a line of a list runs no command. Names begin with a letter;
// other lines are comments, or unknown to git.
func harmlessStep(line string) bool {
	line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), " \t")
	if line == "" || !isLetter(line[0]) {
		return true
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	return hasWord(harmlessStepNames, name)
}
