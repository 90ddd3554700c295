package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Of a setting that is not known to name no program each word may name one. It is read in
// several ways, because some programs are run by a shell and others are not: as a whole, as a
// shell reads it, also what is in its quotes, and cut at every sign.

const (
	anySign    = " \t\n!\"'`;&|()<>{}=$:,"
	shellSigns = " \t\n;&|()<>`"
	shellMarks = shellSigns + "\"'\\"
)

// mostLetters is how many options in one word are looked behind, as in -nO./pager.
const mostLetters = 8

// interpreters run the file that follows them, whatever its mode is.
const interpreters = "sh bash dash ksh zsh python python3 perl ruby node php lua"

// words looks at where the words of a setting lead that may name a program: all but those
// that are known to name none do. What such a program reads itself is not known.
func (l *look) words(s setting, from origins) {
	text, runs := strings.CutPrefix(s.value, "!")
	own := s.section == "alias" && !runs // words of git's own, most of which are names of others
	first, _, _ := strings.Cut(s.value, " ")
	if s.section == "branch" || s.section == "submodule" && !runs || own && hasWord(harmlessAliases, first) {
		return
	}
	if s.section == "url" { // what is put in place of its value
		text = s.sub
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(anySign, r) })
	for i, word := range slices.Concat(words, []string{text}, l.commands(text, from)) {
		if len(word) > maxName {
			continue
		}
		path := pathOf(word, from.top)
		if path == "" || !l.effort.step(path) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil && word[0] == '/' && isThere(from.top+word) { // behind a variable, or what another command says
			path = from.top + word
			info, err = os.Stat(path)
		}
		runnable := err == nil && info.Mode()&0o111 != 0
		given := err == nil && i > 0 && i < len(words) && hasWord(interpreters, words[i-1])
		switch slash := strings.Contains(word, "/"); {
		case err == nil && info.IsDir(): // no program
			continue
		case given:
		case own && !(slash && runnable):
			continue
		case slash:
		case i == 0, i >= len(words), err != nil, !runnable && !isScript(word): // a name alone is sought on PATH
			continue
		}
		l.lead(path, ofGit("config"), from.file, notGit)
	}
}

// commands are the words of a command, and of those in its quotes, and what of a word stands
// behind the name of an option. It looks at settings and folders that options of git name.
func (l *look) commands(text string, from origins) (all []string) {
	for next := []string{text}; len(next) > 0; next = next[1:] {
		before := ""
		for _, word := range shellWords(next[0]) {
			if word != next[0] && strings.ContainsAny(word, shellMarks) {
				next = append(next, word)
			}
			option, value, ok := strings.Cut(word, "=")
			if all = append(all, word, value); !ok || !strings.HasPrefix(option, "-") {
				option, value = before, word
			}
			switch option {
			case "-c", "--config":
				if s, ok := settingIn(value); ok {
					l.setting(s, from)
				}
			case "--exec-path", "--template":
				l.hooksAt(value, from)
			}
			if slash := strings.IndexByte(word, '/'); word[0] == '$' && slash > 0 {
				all = append(all, word[slash:])
			}
			for i := 1; word[0] == '-' && i < min(len(word)-1, mostLetters) && isLetter(word[i]); i++ {
				all = append(all, word[i+1:])
			}
			before = word
		}
	}
	return all
}

// shellWords are the words of a text as a shell has them.
func shellWords(text string) (words []string) {
	quote, word := byte(0), []byte(nil)
	end := func() {
		if len(word) > 0 {
			words, word = append(words, string(word)), nil
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word = append(word, text[i])
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && strings.IndexByte(shellSigns, c) >= 0:
			end()
		default:
			word = append(word, c)
		}
	}
	end()
	return words
}

// settingIn is a setting as git -c takes it.
func settingIn(text string) (s setting, ok bool) {
	key, value, ok := strings.Cut(text, "=")
	section, name, dotted := strings.Cut(key, ".")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		s.sub, name = name[:i], name[i+1:]
	}
	s.section, s.name, s.value = strings.ToLower(section), strings.ToLower(name), value
	return s, ok && dotted
}

// isScript reports whether a file is one that an interpreter is given.
func isScript(name string) bool {
	return slices.Contains([]string{".sh", ".bash", ".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".lua", ".php"}, filepath.Ext(name))
}
