package programs

import (
	"path"
	"strings"
)

// git has git's own options first, then its commands.
func git() program {
	return program{
		names: "git",
		says:  "commands that read, with the options that only choose and format; the names of other commands must be spelled out",
		rest:  "is not a command that the table lists",
		grammar: grammar{
			covered: "--no-pager --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs -P --version -v",
			refused: []refusal{
				{"-c= --config-env=", "sets configuration, which can run anything"},
				{"-C= --git-dir= --work-tree= --bare --namespace= --super-prefix= --attr-source= --shallow-file=", "takes another repository or folder"},
				{"--exec-path?", "takes git's own programs from elsewhere"},
				{"-p --paginate", "runs a pager"},
			},
		},
		commands: []command{
			{names: "log show", grammar: gitLog(gitRevisions + gitFormats + gitDiffs)},
			{names: "shortlog", grammar: gitLog(gitRevisions + " -n -s -e -c --numbered --summary --email --group= --format= --date= -w?")},
			{names: "rev-list", grammar: gitLog(gitRevisions + gitFormats + " --count --timestamp --quiet --header --objects --disk-usage? --use-bitmap-index --progress=")},
			{names: "diff", grammar: gitDiff("--cached --staged --merge-base -1 -2 -3 -0 --base --ours --theirs -q -c --cc -m")},
			{names: "diff-tree", grammar: gitDiff("-r -t -m -s -v -c --cc --root --no-commit-id --always --merge-base --pretty? --format=")},
			{names: "blame annotate", grammar: gitBlame},
			{names: "grep", grammar: gitGrep},
			{names: "status", grammar: gitStatus},
			{names: "cat-file", grammar: grammar{covered: "-p -t -s -e", refused: []refusal{
				{"--textconv --filters", gitConfigured},
				{"--batch? --batch-check? --batch-command? --path=", "does what its input says"},
			}}},
			{names: "describe", grammar: grammar{
				covered: "--all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude= --always --first-parent",
				refused: []refusal{{"--dirty? --broken?", "looks into submodules, with their configuration"}, {"--debug", "is for git's own developers"}},
			}},
			{names: "ls-files", grammar: grammar{
				covered: "-c -d -m -o -i -s -u -k -z -t -v -f --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory " +
					"--no-empty-directory --resolve-undo -x= --exclude= --exclude-standard --error-unmatch --with-tree= --full-name --abbrev? --debug --eol --deduplicate --sparse --format=",
				refused: []refusal{{"-X= --exclude-from= --exclude-per-directory=", "reads a file of patterns"}, {"--recurse-submodules", gitSubmodules}},
			}},
			{names: "ls-tree", grammar: grammar{covered: "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format="}},
			{names: "merge-base", grammar: grammar{covered: "-a --all --octopus --independent --is-ancestor --fork-point"}},
			{names: "name-rev", grammar: grammar{
				covered: "--name-only --tags --refs= --exclude= --all --always --undefined --no-undefined",
				refused: []refusal{{"--stdin --annotate-stdin", "reads its input"}},
			}},
			{names: "rev-parse", grammar: gitRevParse},
			{names: "show-ref", grammar: grammar{covered: "--head --heads --branches --tags -d --dereference -s --hash? --verify -q --quiet --abbrev?",
				refused: []refusal{{"--exclude-existing?", "reads its input"}}}},

			{names: "add", spelled: true, grammar: grammar{
				covered: "-v --verbose -n --dry-run -A --all -u --update -N --intent-to-add --no-all --ignore-errors --ignore-missing --refresh --renormalize",
				refused: []refusal{{"-p --patch -i --interactive -e --edit", "opens an editor"}, {"--pathspec-from-file= --pathspec-file-nul", "reads a file of names"}, {"--chmod= -f --force --sparse", "adds what is not meant to be"}}}},
			{names: "commit", spelled: true, grammar: grammar{
				covered: "-m= --message= -a --all -q --quiet -v --verbose --dry-run --author= --date= --allow-empty --amend --no-edit --signoff -s --short --porcelain --branch -z --null -o --only -i --include --trailer=",
				refused: []refusal{{"-F= --file= -t= --template= --pathspec-from-file=", "reads a file"}, {"-e --edit -c= --reedit-message= -p --patch --interactive", "opens an editor"},
					{"-S? --gpg-sign?", gitSigned}, {"-n --no-verify", "passes over the hooks"}}}},
			{names: "switch restore checkout reset", spelled: true, grammar: grammar{
				covered: "-q --quiet -b= -c= -d --detach --create= --staged -S -W --worktree -s= --source= --soft --mixed --ours --theirs -t --track? --no-track --guess --no-guess",
				refused: []refusal{{"-p --patch --recurse-submodules --merge -m --conflict= --pathspec-from-file=", "can run programs of the configuration, or reads a file"},
					{"--hard -f --force -B= -C= --force-create= --discard-changes --orphan=", "throws work away"}}}},
			{names: "branch", spelled: true, grammar: grammar{
				covered: "-a --all -r --remotes -v --verbose -q --quiet --show-current --abbrev= --no-abbrev " + gitNames, values: gitSorted,
				refused: []refusal{{"--edit-description", "opens an editor"}, {"--format=", "can run gpg"},
					{"-d -D --delete -m -M --move -c -C --copy -f --force -u= --set-upstream-to= --unset-upstream", "changes names that are there"}}}},
			{names: "tag", spelled: true, grammar: grammar{
				covered: "-n? " + gitNames, values: gitSorted,
				refused: []refusal{{"-e --edit -a --annotate", "opens an editor"}, {"-s --sign -u= --local-user= -v --verify", gitSigned},
					{"--format=", "can run gpg"}, {"-F= --file=", "reads a file"}, {"-d --delete -f --force", "changes names that are there"}}}},
			{names: "mv rm", spelled: true, grammar: grammar{covered: "-k -n --dry-run -v --verbose -q --quiet -r --cached --ignore-unmatch",
				refused: []refusal{{"-f --force --sparse", "throws work away"}, {"--pathspec-from-file=", "reads a file of names"}}}},
			{names: "stash", spelled: true, grammar: grammar{operands: allOperands("chooses what is stashed, dropped or written; spell it out")}},
			{names: "push fetch pull", spelled: true, grammar: grammar{
				covered:  "-v --verbose -q --quiet --dry-run --porcelain --progress --no-progress --tags --no-tags --depth= --ff-only",
				refused:  []refusal{{"--upload-pack= --receive-pack= --exec= -o= --push-option= --server-option=", "runs a program, or tells the other side something"}, {"-f --force --force-with-lease? --mirror --delete -d --prune -p --all", "throws away what is there"}},
				operands: allOperands("is a repository, which can be a command, or a reference to be overwritten; spell it out"),
			}},
		},
	}
}

// Why options of git are refused.
const (
	gitConfigured = "runs what the repository's configuration names"
	gitSigned     = "runs what gpg.program names"
	gitSubmodules = "works in submodules, with their configuration"
)

// gitNames are options that choose and sort branches and tags.
const gitNames = "-l --list --contains --no-contains --merged --no-merged --points-at= --sort= --column? --no-column -i --ignore-case"

// gitSorted covers sort keys that are about the name, the object or its dates.
// Other keys, such as signature, run programs.
func gitSorted(option, value string) string {
	if option != "--sort" || listed("refname version:refname v:refname objectname objectsize objecttype creatordate committerdate authordate taggerdate upstream subject", strings.TrimPrefix(value, "-")) {
		return ""
	}
	return "the key " + value + " can run a program"
}

const gitRevisions = " -9 -n= --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --author= --committer= --grep-reflog= --grep= --all-match " +
	"--invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges --min-parents= " +
	"--max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches? --tags? --remotes? --glob= --exclude= --reflog " +
	"--single-worktree --ignore-missing --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration " +
	"--show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --in-commit-order "

const gitFormats = " --pretty? --format= --abbrev-commit --no-abbrev-commit --abbrev? --no-abbrev --oneline --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes --show-notes? " +
	"--relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break? --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= " +
	"--clear-decorations --source --mailmap --use-mailmap --no-mailmap --no-use-mailmap --full-diff --log-size -L= -z "

const gitDiffs = " -p -u --patch -s --no-patch -U= --unified= -W --function-context --no-function-context --raw --patch-with-raw --patch-with-stat --numstat --shortstat --dirstat? -X? " +
	"--cumulative --dirstat-by-file? --check --summary --name-only --name-status --stat? --stat-width= --stat-name-width= --stat-graph-width= --stat-count= --compact-summary " +
	"--no-compact-summary --binary --full-index --no-full-index --color? --no-color --ws-error-highlight= --abbrev? --no-abbrev --src-prefix= --dst-prefix= --line-prefix= --no-prefix " +
	"--default-prefix --inter-hunk-context= --output-indicator-new= --output-indicator-old= --output-indicator-context= -B? --break-rewrites? -M? --find-renames? -D --irreversible-delete " +
	"-C? --find-copies? --find-copies-harder --no-renames --rename-empty --no-rename-empty --follow --no-follow -l= --minimal --no-minimal -w --ignore-all-space -b --ignore-space-change " +
	"--ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines -I= --ignore-matching-lines= --indent-heuristic --no-indent-heuristic --patience --histogram --diff-algorithm= --anchored= " +
	"--word-diff? --word-diff-regex= --color-words? --color-moved? --no-color-moved --color-moved-ws= --no-color-moved-ws --relative? --no-relative -a --text --no-text -R -S= -G= --pickaxe-all " +
	"--pickaxe-regex --find-object= --diff-filter= --exit-code --quiet --no-ext-diff --no-textconv -z --skip-to= --rotate-to= " +
	"--ita-invisible-in-index --ita-visible-in-index --diff-merges= --no-diff-merges -c --cc -m -t -r "

// gitDiffRefused are the options of whatever shows differences.
func gitDiffRefused() []refusal {
	return []refusal{
		{"--output=", "writes a file"},
		{"--ext-diff", gitConfigured},
		{"--textconv", gitConfigured},
		{"--no-index", "reads files outside the repository"},
		{"-O=", "reads a file of orders"},
		{"--submodule? --ignore-submodules?", gitSubmodules},
		{"--remerge-diff", "runs merge drivers"},
		{"--show-signature", gitSigned},
		{"--alternate-refs", "runs core.alternateRefsCommand"},
		{"--stdin", "reads its input"},
	}
}

func gitLog(covered string) grammar {
	return grammar{covered: covered, refused: gitDiffRefused(), values: gitFormat}
}

func gitDiff(more string) grammar {
	return grammar{covered: gitDiffs + more, refused: gitDiffRefused(), values: gitFormat, operands: gitDiffOperands}
}

// gitFormat refuses the placeholders that run programs.
func gitFormat(option, value string) string {
	switch option {
	case "--format", "--pretty", "--group":
		for i := 0; i+1 < len(value); i++ {
			rest := strings.TrimLeft(value[i+1:], "+- ")
			if value[i] == '%' && (strings.HasPrefix(rest, "G") || strings.HasPrefix(rest, "(describe") || strings.HasPrefix(rest, "(signature")) {
				return "the placeholder %" + rest[:1] + " runs a program"
			}
		}
	}
	return ""
}

// gitDiffOperands guards paths outside the repository: given two paths with one
// outside, diff compares files even without --no-index.
func gitDiffOperands(l *line) {
	for _, at := range l.operands {
		if !Within(l.words[at]) {
			l.guard(at, "git diff "+l.words[at]+" can be a file outside the repository")
		}
	}
}

// Within reports whether a path stays below the folder that it is relative to.
func Within(name string) bool {
	return !path.IsAbs(name) && !climbs(name)
}

// climbs reports whether a path has .. in it.
func climbs(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

var gitBlame = grammar{
	covered: "-b -l -s -t -f -n -e -w -p -M? -C? -c -L= --root --show-stats --progress --no-progress --show-name --show-number --porcelain --line-porcelain --incremental --show-email --since= " +
		"--abbrev= --date= --reverse --first-parent --color-lines --color-by-age --minimal --ignore-rev= --no-textconv --no-ext-diff",
	refused: []refusal{{"--contents= -S= --ignore-revs-file=", "reads a file that need not be in the repository"},
		{"--textconv --ext-diff", gitConfigured}, {"--output=", "writes a file"}},
}

var gitGrep = grammar{
	covered: "-9 --cached --untracked --exclude-standard --no-exclude-standard -v --invert-match -i --ignore-case -w --word-regexp -a --text -I -r --recursive --no-recursive --max-depth= -E --extended-regexp " +
		"-G --basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number --no-line-number --column --no-column -h -H --full-name --no-full-name -l --files-with-matches --name-only -L --files-without-match " +
		"-z --null -o --only-matching -c --count --color? --no-color --break --no-break --heading --no-heading -C= --context= -B= --before-context= -A= --after-context= --threads= -p --show-function " +
		"-W --function-context -e= --and --or --not -q --quiet --all-match -m= --max-count= --no-textconv",
	refused: []refusal{
		{"-O? --open-files-in-pager?", "runs a pager"},
		{"--textconv", gitConfigured},
		{"--no-index --ext-grep", "reads files outside the repository"},
		{"--recurse-submodules", gitSubmodules},
		{"-f=", "reads a file of patterns"},
	},
}

var gitStatus = grammar{
	covered: "-s --short -b --branch --no-branch --show-stash --porcelain? --long -v --verbose -u? --untracked-files? --ignored? -z --null --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
	refused: []refusal{{"--ignore-submodules?", gitSubmodules}},
}

var gitRevParse = grammar{
	covered: "--show-toplevel --git-dir --absolute-git-dir --abbrev-ref? --short? --verify -q --quiet --symbolic --symbolic-full-name --is-inside-work-tree --is-inside-git-dir --is-bare-repository " +
		"--is-shallow-repository --show-prefix --show-cdup --all --branches? --tags? --remotes? --glob= --exclude= --revs-only --no-revs --flags --no-flags --not --since= --until= --after= --before= --show-object-format?",
	refused: []refusal{{"--parseopt --sq-quote", "reads its input"}, {"--git-path= --resolve-git-dir= --local-env-vars --git-common-dir --shared-index-path --prefix=", "tells of files outside the repository"}},
}
