package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Each word of a setting may name a program, unless the setting is known to be harmless. It is
// read in several ways, because a shell runs some programs but not all: as a whole, as a shell
// reads it, quoted text too, and cut at every sign.

const (
	anySign    = " \t\n!\"'`;&|()<>{}=$:,"
	shellSigns = " \t\n;&|()<>`"
	shellMarks = shellSigns + "\"'\\"
)

// mostLetters is how many options in one word are skipped to find a value, as in -nO./pager.
const mostLetters = 8

// interpreters run the file that follows them, whatever its mode.
const interpreters = "sh bash dash ksh zsh python python3 perl ruby node php lua"

// words follows the words of a setting that may name a program. The files that such a program
// reads itself are not known.
func (l *look) words(s setting, from origins) {
	text, runs := strings.CutPrefix(s.value, "!")
	own := s.section == "alias" && !runs // git's own words; a file of such a name is mostly something else
	first, _, _ := strings.Cut(s.value, " ")
	if s.section == "branch" || s.section == "submodule" && !runs || own && hasWord(harmlessAliases, first) {
		return
	}
	if s.section == "url" { // git puts it in place of the value
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
		if err != nil && word[0] == '/' && isThere(from.top+word) { // after a variable, or another command's output
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
		case i == 0, i >= len(words), err != nil, !runnable && !isScript(word): // a bare name is looked up on PATH
			continue
		}
		l.lead(path, ofGit("config"), from.file, notGit)
	}
}

// commands are the words of a command, and of commands in its quotes, and the values after
// options' names. It follows settings and folders that options of git name.
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
				l.hooksAt(setting{section: map[bool]string{true: "init"}[option == "--template"], value: value}, from)
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

// shellWords are the words of a text as a shell splits it.
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

// isScript reports whether a name is that of a script for an interpreter.
func isScript(name string) bool {
	return slices.Contains([]string{".sh", ".bash", ".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".lua", ".php"}, filepath.Ext(name))
}
