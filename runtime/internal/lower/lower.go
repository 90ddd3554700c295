package lower

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Options says how a text is read.
type Options struct {
	// Name is the file, as positions show it.
	Name string
	// TypeScript says that the text may have types.
	TypeScript bool
	// Declares reports whether a script declares, at its top level, what may be an entry that
	// is not exported. Without it only exports are.
	Declares func(script string) bool
	// Fields lowers the fields of classes too, which takes the names of functions in them away,
	// unless Names keeps those. It adds code behind the text. [Modules] always keeps them.
	Fields, Names bool
}

// Lowered is a program that the engine reads. It has the exports of the original.
type Lowered struct {
	Text string
	Map  Map
	// Entry is the export that is the entry of the file itself; empty if it has none. Only
	// [Modules] looks for it.
	Entry string
	// Files are those that it comes from, the entry first.
	Files []File
}

// Flaw is a reason why a text is no program. Lines count from 1, columns count bytes from 1. A
// zero Line means the whole text.
type Flaw struct {
	File      string // what is imported; empty for the entry
	Line, Col int
	Msg       string
}

// maxFlaws is how many flaws of a text are told.
const maxFlaws = 10

// lacking is the syntax that the engine does not read. Everything else stays as it is written:
// the engine's own is faster, and a regular expression that is lowered is another one.
func (o Options) lacking() map[string]bool {
	names := map[string]bool{"async-generator": false, "for-await": false, "using": false, "decorators": false}
	if o.Fields {
		names["class-field"], names["class-static-field"] = false, false
	}
	return names
}

// settings take the place of a tsconfig.json, of which none is read.
const settings = `{"compilerOptions":{"useDefineForClassFields":true,"experimentalDecorators":false}}`

// Source lowers one text, which imports nothing.
func Source(text string, o Options) (Lowered, []Flaw) {
	loader := api.LoaderJS
	if o.TypeScript {
		loader = api.LoaderTS
	}
	result := api.Transform(withoutMap(text), api.TransformOptions{
		Loader: loader, Sourcefile: entryFile, KeepNames: o.Names, Target: api.ESNext, Supported: o.lacking(), TsconfigRaw: settings,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, LegalComments: api.LegalCommentsNone,
		Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent, LogLimit: maxFlaws,
	})
	if len(result.Errors) > 0 {
		found := flaws(result.Errors)
		for i := range found {
			found[i].File = ""
		}
		return Lowered{}, found
	}
	out := Lowered{Text: string(result.Code), Files: []File{{Name: o.Name, text: text}}}
	var err error
	if out.Map, err = newMap(result.Map, out.Text, out.Files); err != nil {
		return Lowered{}, []Flaw{{Msg: "the places of the lowered code are not known: " + err.Error()}}
	}
	return out, nil
}

// withoutMap makes esbuild take a text for the original, although it may say of itself that it was
// made of another one: the last such comment counts, and this one leads nowhere.
func withoutMap(text string) string {
	if strings.Contains(text, "sourceMappingURL") {
		return text + "\n//# sourceMappingURL=none"
	}
	return text
}

// entryFile is what esbuild calls the text.
const entryFile = "0"

// flaws are the errors of esbuild, in the words of a check.
func flaws(messages []api.Message) (out []Flaw) {
	for _, m := range messages[:min(len(messages), maxFlaws)] {
		f := Flaw{Msg: strings.TrimSuffix(lowerFirst(m.Text), ".")}
		for _, note := range m.Notes {
			if near, ok := strings.CutPrefix(note.Text, "Did you mean to import "); ok {
				f.Msg += "; did you mean " + strings.TrimSuffix(near, " instead?") + "?"
			}
		}
		if at := m.Location; at != nil {
			f.File, f.Line, f.Col = at.File, at.Line, at.Column+1
		}
		out = append(out, f)
	}
	return out
}

// lowerFirst begins a text with a small letter, unless it begins with a name in capitals.
func lowerFirst(s string) string {
	if len(s) > 1 && 'A' <= s[0] && s[0] <= 'Z' && ('a' <= s[1] && s[1] <= 'z' || s[1] == ' ') {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
