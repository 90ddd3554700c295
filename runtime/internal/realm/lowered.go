package realm

import (
	"encoding/json"
	"errors"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
	"github.com/go-sourcemap/sourcemap"
	syntaxes "github.com/scriptrun/scriptrun/runtime/internal/lower"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// MaxLowered bounds a lowered source, and the map from it to the original, in bytes each.
const MaxLowered = 2 << 20

// later are the flaws of syntax that can be lowered. Most sources have none, and are run as
// they are.
var later = []string{noForAwait, noGenerators, noUsing, noDecorators, noAccessor, noFieldName}

// isTypeScript reports whether a file may have types.
func isTypeScript(name string) bool {
	ext := path.Ext(name)
	return ext == ".ts" || ext == ".mts"
}

// importing are the flaws of sources that import.
var importing = []string{noImport, noReexport, noExport}

// lowers reports whether these are flaws that lowering removes.
func lowers(c wire.Check, flaws []Flaw) bool {
	return len(flaws) == 1 && (slices.Contains(later, flaws[0].Msg) || imports(c) && slices.Contains(importing, flaws[0].Msg))
}

// imports reports whether a source can import.
func imports(c wire.Check) bool { return c.Imports && !c.Body }

// Importable says why no file with a path can be imported, whatever is in it; nil if it can.
func Importable(name string) error { return syntaxes.Importable(name) }

// Provided reports whether an import is answered by the runtime itself.
func Provided(wanted string) bool { return syntaxes.Provided(wanted) }

// PackageOf is the folder of the package that a file which is imported belongs to; "" if it
// belongs to none.
func PackageOf(file string) string { return syntaxes.PackageOf(file) }

// Giver gives a file that a source imports, by its path from the source's folder. Its error means
// that nothing is given any more.
type Giver func(path string) (wire.Given, error)

// reader makes errors of what was not given.
func (give Giver) reader(name string) (string, error) {
	given, err := give(name)
	switch {
	case err != nil:
		return "", err
	case given.Missing:
		return "", &syntaxes.MissingError{Nearest: given.Nearest}
	case given.Refused != "":
		return "", errors.New(given.Refused)
	}
	return given.Text, nil
}

// places says where lowered code comes from. A nil one is of code that was not lowered.
type places struct {
	consumer *sourcemap.Consumer
	sources  []string       // the files of the author, in the order of their numbers
	files    map[string]int // the numbers by the names that the engine gives them
}

// readPlaces reads the map of a program with a name.
func readPlaces(name string, text syntaxes.Map) (*places, error) {
	consumer, err := sourcemap.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	var from struct {
		Sources []string `json:"sources"`
	}
	if err := json.Unmarshal([]byte(text), &from); err != nil {
		return nil, err
	}
	p := &places{consumer: consumer, files: map[string]int{}}
	for i, source := range from.Sources {
		if source == syntaxes.Ours {
			break // it is the last one
		}
		p.sources = append(p.sources, source)
		if resolved := file.ResolveSourcemapURL(name, source); resolved != nil {
			source = resolved.String()
		}
		p.files[source] = i
	}
	for i := range p.sources {
		p.files[p.shown(i, name)] = i // as errors of calls say it
	}
	return p, nil
}

// apply makes the engine tell the author's places.
func (p *places) apply(tree *ast.Program) {
	if p != nil {
		tree.File.SetSourceMap(p.consumer)
	}
}

// file is the number of a file that the engine names; false for one that nobody wrote, as what
// replaces newer syntax.
func (p *places) file(name, start string) (int, bool) {
	if p == nil {
		return 0, name == start
	}
	number, ok := p.files[name]
	return number, ok
}

// shown is how a file is named to people.
func (p *places) shown(number int, start string) string {
	if p == nil || number == 0 || number >= len(p.sources) {
		return start
	}
	return path.Join(path.Dir(filepath.ToSlash(start)), p.sources[number])
}

// names yields what the engine calls the author's files.
func (p *places) names(start string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		if p == nil {
			yield(start, 0)
			return
		}
		for name, number := range p.files {
			if !yield(name, number) {
				return
			}
		}
	}
}

// original is the place in the original of one in lowered code, whose columns count bytes.
func (p *places) original(line, col int) (number, originalLine, originalCol int, ok bool) {
	source, _, originalLine, originalCol, _ := p.consumer.Source(line, col)
	number = slices.Index(p.sources, source)
	return number, originalLine, originalCol, number >= 0
}

// checkLowered lowers a source and checks what comes out. Fields of classes are lowered only where
// the engine does not read one, since its own are faster.
func checkLowered(c wire.Check, give Giver, killable bool) (Checked, []Flaw) {
	checked, flaws := checkLoweredAs(c, give, killable, false)
	if slices.ContainsFunc(flaws, func(f Flaw) bool { return f.Msg == noFieldName }) {
		return checkLoweredAs(c, give, killable, true)
	}
	return checked, flaws
}

func checkLoweredAs(c wire.Check, give Giver, killable, fields bool) (Checked, []Flaw) {
	if flaw := prefixes(c.Source); flaw != nil && !killable {
		return Checked{}, []Flaw{*flaw}
	}
	text, before := c.Source, 0
	if c.Body {
		text, before = bodyHead+text+bodyTail, len(bodyHead)
	}
	made, found := lowerAll(c, text, give, killable, fields)
	if len(found) > 0 {
		flaws := make([]Flaw, len(found))
		for i, f := range found {
			flaws[i] = made.flaw(f.File, f.Line, f.Col, f.Msg, before)
			if f.File == "" {
				flaws[i].Msg += unclosed(text, offsetOf(text, f.Line, f.Col), f.Msg)
			}
		}
		return Checked{}, flaws
	}
	if len(made.Text) > MaxLowered || len(made.Map) > MaxLowered {
		return Checked{}, []Flaw{flawAt(c.Source, 0, "it is too large once its syntax is lowered; split the tool")}
	}
	if made.bundled && made.Entry == "" {
		msg := noEntry
		if strings.Contains(c.Source, "exports") {
			msg += noModule
		}
		return Checked{}, []Flaw{flawAt(c.Source, headerEnd(c.Source), msg)}
	}
	from, err := readPlaces(c.Name, made.Map)
	if err != nil {
		return Checked{}, []Flaw{flawAt(c.Source, 0, "the places of the lowered code are not known: "+err.Error())}
	}
	lowered := c
	lowered.Source, lowered.Module = made.Text, c.Module || isTypeScript(c.Name)
	out, flaws := checkMade(lowered, made, from, killable)
	for _, f := range made.Files[1:] {
		out.Files = append(out.Files, f.Name)
	}
	move := func(flaws []Flaw) (moved []Flaw) {
		for _, f := range flaws {
			if f, ok := made.move(f, from, before); ok {
				moved = append(moved, f)
			}
		}
		return moved
	}
	out.Warnings = move(out.Warnings)
	if len(flaws) > 0 {
		if moved := move(flaws); len(moved) > 0 {
			return Checked{}, moved
		}
		return Checked{}, []Flaw{flawAt(c.Source, headerEnd(c.Source), flaws[0].Msg)}
	}
	return out, nil
}

// checkMade checks lowered code.
func checkMade(c wire.Check, made made, from *places, killable bool) (Checked, []Flaw) {
	maps := string(made.Map)
	if flaw := multiplies(c.Source); flaw != nil && !killable {
		return Checked{}, []Flaw{*flaw}
	}
	if !c.Body {
		return checkFile(c, Checked{Map: maps, from: from, export: made.Entry}, killable)
	}
	tree, err := parse(c.Name, c.Source)
	if err != nil {
		at, msg := firstError(c.Source, err)
		return Checked{}, []Flaw{flawAt(c.Source, at, explain(c.Source, at, msg))}
	}
	last, ok := tree.Body[len(tree.Body)-1].(*ast.FunctionDeclaration)
	if !ok || last.Function.Name.Name != "run" {
		return Checked{}, []Flaw{flawAt(c.Source, len(c.Source), "a } closes more than was opened")}
	}
	out := Checked{Source: c.Source, Entry: "run", LineOffset: 1, Map: maps, from: from}
	if c.Warn || c.Shapes {
		out.Warnings = out.warn(c.Source, tree, 0, c)
	}
	return out.compile(c.Source, tree, killable)
}

// made is a source that was lowered, with all that it imports.
type made struct {
	syntaxes.Lowered
	check   wire.Check
	texts   map[string]string // the files, by their paths; the source itself has none
	bundled bool              // it may have others in it
}

func lowerAll(c wire.Check, text string, give Giver, killable, fields bool) (m made, found []syntaxes.Flaw) {
	o := syntaxes.Options{Name: sourceName(c.Name), TypeScript: isTypeScript(c.Name), Fields: fields, Names: fields && !c.Body}
	m.check, m.texts = c, map[string]string{"": text}
	if !imports(c) || !syntaxes.MayImport(text) {
		m.Lowered, found = syntaxes.Source(text, o)
		return m, found
	}
	m.bundled, o.Declares = true, declaresRun
	m.Lowered, found = syntaxes.Modules(text, o, func(name string) (string, error) {
		text, err := give.reader(name)
		if at := tooDeep(text); err == nil && at >= 0 {
			err = errors.New("its brackets are nested more than 2,000 deep")
		}
		if err == nil && !killable && (prefixes(text) != nil || multiplies(text) != nil) {
			err = errors.New("it takes too long to read")
		}
		if err == nil {
			m.texts[name] = text
		}
		return text, err
	})
	return m, found
}

// declaresRun reports whether a script declares run at its top level.
func declaresRun(script string) bool {
	tree, err := parse("", script)
	return err == nil && topLevel(tree).names["run"]
}

// flaw places a flaw in a file, of which before bytes are not the author's.
func (m *made) flaw(name string, line, col int, msg string, before int) Flaw {
	text, shown, at := m.texts[name], m.texts[name], 0
	if name == "" {
		shown = m.check.Source
	} else {
		before = 0
	}
	if line > 0 {
		at = offsetOf(text, line, col) - before
	}
	f := flawAt(shown, at, msg)
	f.File = name
	return f
}

// move moves a flaw from lowered code to the original; false if nobody wrote the code.
func (m *made) move(f Flaw, from *places, before int) (Flaw, bool) {
	lowered := m.Text
	at := offsetOf(lowered, f.Line, 1)
	rest := lowered[at:]
	for range f.Col - 1 { // characters
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	number, line, col, ok := from.original(f.Line, len(lowered)-len(rest)-at+1)
	if !ok {
		return f, false
	}
	name := ""
	if number > 0 {
		name = m.Files[number].Name
	}
	if f.Msg == noImport && imports(m.check) {
		f.Msg = noComputed
	}
	return m.flaw(name, line, col, f.Msg, before), true
}

// sourceName is the source of a map that the engine resolves to a file.
func sourceName(name string) string { return path.Base(filepath.ToSlash(name)) }

// wrap makes the body of a function of a program, which gives back its entry. Nothing outside
// of it, and nothing that runs later, can put another function in the place of the entry.
func wrap(tree *ast.Program, entry string) {
	at := file.Idx(tree.File.Base())
	end := at + file.Idx(len(tree.File.Source()))
	result := &ast.ReturnStatement{Return: end, Argument: &ast.Identifier{Name: unistring.NewFromString(entry), Idx: end}}
	body := &ast.FunctionLiteral{
		Function: at, ParameterList: &ast.ParameterList{Opening: at, Closing: at},
		Body:            &ast.BlockStatement{LeftBrace: at, List: append(tree.Body, result), RightBrace: end},
		DeclarationList: tree.DeclarationList,
	}
	tree.DeclarationList = nil
	tree.Body = []ast.Statement{&ast.ExpressionStatement{Expression: &ast.CallExpression{Callee: body, LeftParenthesis: end, RightParenthesis: end}}}
}

// maxPrefixes is how many operators may stand before one value, in a process that must survive.
const maxPrefixes = 1000

// prefixes finds very many operators before one value, whose depth ends a process.
func prefixes(src string) *Flaw {
	run := 0
	for i := range len(src) {
		switch src[i] {
		case '!', '~', '-', '+', '<', '@':
			if run++; run > maxPrefixes {
				flaw := flawAt(src, i, "more than 1,000 operators stand in a row here")
				return &flaw
			}
		case ' ', '\t', '\n', '\r':
		default:
			run = 0
		}
	}
	return nil
}
