package shell_test

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// What a * behind a folder's name covers lies in that folder.
func TestStarDoesNotLeadOutOfAFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, word string
		want          bool
	}{
		{"src/*", "src/a", true}, {"src/*", "src/a/b..c", true}, {"src/*", "src/..a", true}, {"src/*", "src/a..", true}, {"src/*", "src/...", true}, {"src/*", "src/", true},
		{"src/*", "src/..", false}, {"src/*", "src/../x", false}, {"src/*", "src/../../x", false}, {"src/*", "src/a/../x", false}, {"src/*", "src/a/..", false}, {"src/*", "src//../x", false}, {"src/*", "src/./../x", false},
		{"src*", "src/../x", false}, {"src*", "srcs/x", true}, {"src/.*", "src/../x", false}, {"src/.*", "src/.x", true}, {"src/..*", "src/../x", true}, {"src/../*", "src/../x", true}, {"src/../*", "src/../../x", false},
		{"../*", "../x", true}, {"../*", "../../x", false}, {"/etc/*", "/etc/../x", false}, {"./*", "./..", false},
		{"src/*.go", "src/../x.go", false}, {"src/*/x", "src/a/x", true}, {"src/*/x", "src/../x", false}, {"*/src/*", "../src/a", true}, {"*/src/*", "a/src/../x", false},
		{"*", "../x", true}, {"*.go", "../x.go", true}, {"--file=*", "--file=../x", true}, {"--file=*", "--file=a/../x", true}, {"--file=src/*", "--file=src/../x", false}, {"--file=*/x/*", "--file=../x/../y", false},
		{"origin/*", "origin/a..origin/b", true}, {"HEAD*", "HEAD..main", true}, {"HEAD:src/*", "HEAD:src/../x", false},
	} {
		for _, program := range []string{"cat", "git show", "unheard-of"} {
			if program == "git show" && c.word[0] == '-' {
				continue // it has no such option
			}
			x := shell.Explain(program+" '"+c.word+"'", bashRules(program+" "+c.pattern))
			if x.Granted != c.want {
				t.Errorf("%s %s: %s granted is %v: %s", program, c.pattern, c.word, x.Granted, x.Commands[0].Reason)
			}
			if !c.want && !strings.Contains(x.Commands[0].Reason, "..") {
				t.Errorf("%s %s: %s is refused without a reason: %q", program, c.pattern, c.word, x.Commands[0].Reason)
			}
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	granted := 0
	for range 5000 {
		word := "src"
		for range random.IntN(5) {
			word += []string{"/", "/", "..", "a", ".", "/../", "b"}[random.IntN(7)]
		}
		for _, pattern := range []string{"src/*", "src/*a", "src/*/*", "src/.*", "src/a*/b*"} {
			if shell.Explain("cat '"+word+"'", bashRules("cat "+pattern)).Granted {
				granted++
				if clean := path.Clean(word); clean != "src" && !strings.HasPrefix(clean, "src/") {
					t.Fatalf("%s covers %s", pattern, word)
				}
			}
		}
	}
	if granted < 300 {
		t.Errorf("only %d words were granted", granted)
	}
}
