package programs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// covered reports whether a wildcard covers all words after the first.
func covered(words ...string) bool {
	return !slices.ContainsFunc(programs.Guard(words)[1:], func(why string) bool { return why != "" })
}

// A wildcard covers what these lines read with, so that rules stay of use.
func TestWildcardsCoverWhatReads(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"git log", "git log --oneline -n 5 -- src/x.go", "git log -5 --format=%h%x09%s HEAD~1..main", "git log -p -U3 -M --stat", "git show HEAD:a.txt", "git show -s --pretty=format:%H",
		"git diff --cached --name-only", "git diff main...topic -- src", "git blame -L 1,5 a.txt", "git grep -n -e one -- *.go", "git status -sb", "git rev-parse --abbrev-ref HEAD",
		"git describe --tags --always", "git ls-files -z --others --exclude-standard", "git --no-pager log -1", "/usr/bin/git log -1", "git-log -1", "git shortlog -sne HEAD", "git cat-file -p HEAD",
		"sed -n 1,5p a.txt", "sed s/a/b/g a.txt", "sed -e s|a.*b|c|2 -e 1~2d a.txt", "sed -E '/x/,/y/p' a.txt", "awk {print$1} a.txt", "awk -F: /x/{n++}END{print(n)} a.txt",
		"sort -k2,2n -t, -ru a.txt", "sort --field-separator=, --key 2 a.txt", "uniq -c a.txt", "grep -rn --include=*.go -A3 x .", "rg -n -g *.go x src", "jq -r .a.b[] a.json", "jq --arg x 1 $x a.json",
		"diff -u a.txt b.txt", "cat -A a.txt", "ls -la src", "wc -l a.txt", "head -n5 a.txt", "tail -3 a.txt", "date +%F", "date -u -d yesterday +%s", "file -b a.txt", "tree -L 2 src", "less -R a.txt",
		"find . -name *.go -type f -newer a.txt -print0", "find src ( -name a -o -name b ) -prune", "fd -e go x src",
		"tar -tzf a.tgz", "tar --list --file=a.tgz src/x", "unzip -l a.zip", "gzip -dc a.gz", "cp -r src dst", "rm -rf build", "mkdir -p a/b", "tee -a a.txt", "dd if=a.txt bs=1 count=5", "ln -s a b",
		"make -j4 test", "make -k all", "npm list --depth 0", "go test ./... -run TestX -count=1", "go vet ./...", "go list -m all", "cargo test --release x", "docker ps -a", "pip list", "rsync -av src dst",
		"curl -sSfL https://example.com/x", "curl -X POST -H a:b -d {} https://example.com", "eslint --fix src", "openssl dgst -sha256 a.txt",
	} {
		if words := strings.Fields(strings.ReplaceAll(line, "'", "")); !covered(words...) {
			t.Errorf("%s: %q", line, programs.Guard(words))
		}
	}
}

// What chooses the code that runs is spelled out; what follows is its own.
func TestWildcardsCoverArgumentsOfCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		from int // the first word that is covered
	}{
		{"python tool.py --x -c 1", 2}, {"python3.12 -u tool.py x", 3}, {"python -m pytest -k x", 3}, {"python -m pip install x", 99}, {"node build.js --x", 2}, {"bash ./build.sh -c x", 2},
		{"npm run build", 2}, {"npm test", 2}, {"go run ./cmd -x", 3}, {"git add src", 2}, {"git commit -m x", 2}, {"git push origin main", 99}, {"npm install x", 99}, {"npx x", 99},
		{"tar -xzf a.tgz src", 2}, {"tar -czf a.tgz src", 3}, {"sed -i s/a/b/ a.txt", 2}, {"python -c x", 99}, {"python -W ignore x.py y", 4}, {"awk -f x.awk a.txt", 3}, {"ssh-keygen -f x", 99},
	} {
		words := strings.Fields(c.line)
		why := programs.Guard(words)
		for i := 1; i < len(words); i++ {
			if i >= c.from && why[i] != "" {
				t.Errorf("%s: %s is not covered: %s", c.line, words[i], why[i])
			}
		}
		if c.from <= len(words) && why[c.from-1] == "" || c.from == 99 && why[len(words)-1] == "" {
			t.Errorf("%s: what comes before word %d is covered too: %q", c.line, c.from, why)
		}
	}
}

func guardOf(words []string) []string { return programs.Guard(words) }
