package programs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// spellings are the ways in which programs take an option: whole, abbreviated,
// with its value attached, after =, and as the next word, behind flags.
func spellings(option string) [][]string {
	name := strings.TrimRight(option, "=?")
	takes := strings.HasSuffix(option, "=") || strings.HasSuffix(option, "?")
	var all [][]string
	add := func(words ...string) { all = append(all, words) }
	if strings.HasPrefix(name, "--") {
		for n := 4; n <= len(name); n++ {
			add(name[:n])
			if takes {
				add(name[:n]+"=touch", "x")
				add(name[:n]+"=", "x")
				add(name[:n], "touch")
			}
		}
		return all
	}
	add(name)
	add("-" + name) // --exec for -exec
	if takes {
		add(name, "touch")
		add(name + "=touch")
		if len(name) == 2 {
			add(name + "touch")
		}
	}
	if len(name) == 2 {
		for _, before := range "nvrqslzep" {
			add(fmt.Sprintf("-%c%s", before, name[1:]))
			add(fmt.Sprintf("-%c%stouch", before, name[1:]), "x")
		}
		add("-5" + name[1:])
	}
	return all
}

// No spelling of a dangerous option is covered, wherever it stands.
func TestWildcardsNeverCoverDangerousOptions(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, d := range dangerous {
		head := strings.Fields(d.program)
		for option := range strings.FieldsSeq(d.options) {
			for _, spelled := range spellings(option) {
				for _, around := range [][2]string{{"", ""}, {"", "a b"}, {"a", ""}, {"--", ""}, {"a b", "c"}, {"-- a", "b"}, {"-n", ""}, {"-e", "-v"}, {"-v -e x", ""}} {
					words := append(append(append([]string{}, head...), strings.Fields(around[0])...), spelled...)
					words = append(words, strings.Fields(around[1])...)
					asked++
					if harmless(d.program, option, spelled) {
						continue
					}
					if coveredFrom(len(head), words) {
						t.Errorf("%q is covered", words)
					}
				}
			}
		}
		for _, line := range d.lines {
			words := append(append([]string{}, head...), strings.Fields(strings.Trim(line, "'"))...)
			if strings.HasPrefix(line, "'") || d.program == "sed" && !strings.HasPrefix(line, "-") && !strings.Contains(line, " -e") { // one word
				words = append(append([]string{}, head...), strings.Trim(line, "'"))
			}
			if line != "" && coveredFrom(len(head), words) {
				t.Errorf("%q is covered", words)
			}
		}
	}
	if asked < 20000 {
		t.Errorf("only %d lines were asked about", asked)
	}
}

// coveredFrom is for a rule that spells out the first words.
func coveredFrom(from int, words []string) bool {
	why := guardOf(words)
	for i := from; i < len(words); i++ {
		if why[i] != "" {
			return false
		}
	}
	return true
}

// harmless are spellings that are the whole name of another option, which does
// nothing of the kind.
func harmless(program, option string, spelled []string) bool {
	first, _, _ := strings.Cut(spelled[0], "=")
	return first != option && slices.Contains([]string{
		"git log --text", "git show --text", "git diff --text", "git diff-tree --text", "git grep --text", // of --textconv
		"git blame --ignore-rev", "git ls-files --exclude", "grep --exclude", // of those that read a file
		"curl --data",              // of --data-binary
		"tar --file", "tar --list", // of --files-from, --listed-incremental
	}, program+" "+first)
}

// The value of a dangerous option that the rule spells out is spelled out too.
func TestWildcardsNeverCoverTheirValues(t *testing.T) {
	t.Parallel()
	for _, d := range dangerous {
		head := strings.Fields(d.program)
		for option := range strings.FieldsSeq(d.options) {
			name, takes := strings.CutSuffix(option, "=")
			if !takes {
				continue
			}
			words := append(append([]string{}, head...), name, "value")
			if coveredFrom(len(words)-1, words) {
				t.Errorf("in %q the value is covered", words)
			}
		}
	}
}

// What nobody has heard of is not covered, nor what follows it.
func TestWildcardsCoverListedOptionsOnly(t *testing.T) {
	t.Parallel()
	for _, d := range dangerous {
		for _, option := range []string{"--no-such-option", "--no-such-option=x", "-\u00e9"} {
			words := append(strings.Fields(d.program), option, "x")
			for i := len(words) - 2; i < len(words); i++ {
				if why := guardOf(words); why[i] == "" {
					t.Errorf("%q: %s is covered", words, words[i])
				}
			}
		}
	}
}
