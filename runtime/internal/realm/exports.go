package realm

import (
	"regexp"
	"strings"
	"sync"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// The engine has no modules. A tool file needs only exports, and only the forms that can
// name an entry. Each is lowered in place, so that lines and columns do not change. The
// parser finds the exports, since the word also occurs in strings, comments and templates.

// maxExports bounds the exports of a source.
const maxExports = 64

// defaultBinding is the name of an anonymous default export.
const defaultBinding = "$default"

type moduleSource struct {
	name     string
	original string
	lowered  []byte
	exports  map[string]string // exported name → top-level binding
	edits    []wire.Edit       // one for each export
	sound    int               // the source before this offset is a program
	whole    bool              // and so is the rest
}

// parse lowers exports until the engine accepts the source or reports another error.
func (m *moduleSource) parse() (*ast.Program, []Flaw) {
	for {
		text := m.unread()
		program, err := parse(m.name, text)
		if err == nil && len(text) == len(m.lowered) {
			return program, nil
		}
		if err == nil {
			m.whole = true
			continue
		}
		at, msg := firstError(text, err)
		at += len(m.lowered) - len(text)
		if !startsWord(m.original[at:], "export") || !m.atTopLevel(at) {
			return nil, []Flaw{flawAt(m.original, at, explain(m.original, at, msg)+unclosed(m.original, at, msg))}
		}
		if len(m.edits) == maxExports {
			return nil, []Flaw{flawAt(m.original, at, "it exports more than 64 times; a tool file exports run")}
		}
		end, why := m.lower(at)
		if why != "" {
			return nil, []Flaw{flawAt(m.original, at, why)}
		}
		m.edits = append(m.edits, wire.Edit{At: at, Text: string(m.lowered[at:end])})
		m.sound = at
	}
}

// unread is what to parse next. After several exports it is the rest after the last one,
// until there are no more; most sources have one export.
func (m *moduleSource) unread() string {
	if m.whole || len(m.edits) < 2 {
		return string(m.lowered)
	}
	return string(m.lowered[m.sound:])
}

// atTopLevel reports whether an export is at the top level: then the source before it is a
// program. The source before the last export is known to be one.
func (m *moduleSource) atTopLevel(at int) bool {
	_, err := parse(m.name, string(m.lowered[m.sound:at]))
	return err == nil
}

var (
	space          = `(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)`
	defaultForm    = pattern(`^export` + space + `+default\b`)
	functionForm   = pattern(`^` + space + `*(async` + space + `+)?function` + space + `*(\*?)` + space + `*([\pL_$][\pL\pN_$]*)?`)
	classForm      = pattern(`^` + space + `*class\b`)
	listForm       = pattern(`^export` + space + `*\{([^}]*)\}(` + space + `*from\b)?`)
	declaration    = pattern(`^export` + space + `+(const|let|var|function|async|class)\b`)
	listMember     = pattern(`^([\pL_$][\pL\pN_$]*)(?:\s+as\s+([\pL_$][\pL\pN_$]*))?$`)
	commentPattern = pattern(`//[^\n]*|/\*(?s:.*?)\*/`)
)

// pattern compiles an expression at its first use: a process that only runs programs never
// needs it.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// lower rewrites the export at an offset and returns its end, or a message why it cannot.
func (m *moduleSource) lower(at int) (end int, msg string) {
	rest := m.original[at:]
	if form := defaultForm().FindString(rest); form != "" {
		return m.lowerDefault(at, form)
	}
	if form := listForm().FindStringSubmatch(rest); form != nil {
		if form[2] != "" {
			return 0, noReexport
		}
		m.blank(at, at+len(form[0]))
		m.lowered[at] = ';'
		for member := range strings.SplitSeq(commentPattern().ReplaceAllString(form[1], ""), ",") {
			member = strings.TrimSpace(member)
			if member == "" {
				continue
			}
			names := listMember().FindStringSubmatch(member)
			if names == nil {
				return 0, "expected names in export { … }, as in export { run }"
			}
			if names[2] == "" {
				names[2] = names[1]
			}
			m.exports[names[2]] = names[1]
		}
		return at + len(form[0]), ""
	}
	if declaration().MatchString(rest) {
		m.blank(at, at+len("export"))
		m.exports["*"] = "*" // a module, whatever it exports
		return at + len("export"), ""
	}
	return 0, noExport
}

func (m *moduleSource) lowerDefault(at int, form string) (end int, msg string) {
	if m.exports["default"] != "" {
		return 0, "there already is a default export"
	}
	after := at + len(form)
	if classForm().MatchString(m.original[after:]) {
		return 0, "the default export is a class; it must be a function, as in export default async function run(ctx, inputs) { … }"
	}
	if f := functionForm().FindStringSubmatch(m.original[after:]); f != nil {
		if f[2] != "" {
			return 0, "the default export is a generator; it must be a plain or an async function"
		}
		if f[3] != "" {
			m.blank(at, after)
			m.exports["default"] = f[3]
			return after, ""
		}
		head := "function " + defaultBinding
		if f[1] != "" {
			head = "async " + head
		}
		end = after + len(f[0])
		if end-at >= len(head) && !strings.ContainsAny(m.original[at:end], "\n\r/\u2028\u2029") {
			m.blank(at, end)
			copy(m.lowered[at:], head)
			m.exports["default"] = defaultBinding
			return end, ""
		}
	}
	// "export default" is as long as "var $default =".
	if strings.ContainsAny(m.original[after-len(defaultBinding)-2:after], "\n\r") {
		return 0, "write export and default on one line"
	}
	m.blank(at, after)
	copy(m.lowered[at:], "var")
	copy(m.lowered[after-len(defaultBinding)-2:], defaultBinding+" =")
	m.exports["default"] = defaultBinding
	return after, ""
}

// blank overwrites everything but line ends with spaces.
func (m *moduleSource) blank(from, to int) {
	for i := from; i < to; i++ {
		if c := m.lowered[i]; c != '\n' && c != '\r' {
			m.lowered[i] = ' '
		}
	}
}

// startsWord reports whether s begins with a whole word.
func startsWord(s, word string) bool {
	rest, ok := strings.CutPrefix(s, word)
	return ok && (rest == "" || !inWord(rest[0]))
}
