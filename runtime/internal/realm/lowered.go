package realm

import (
	"encoding/json"
	"iter"
	"path"
	"path/filepath"
	"slices"
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
var later = []string{noForAwait, noGenerators, noUsing, noDecorators, noAccessor}

// isTypeScript reports whether a file may have types.
func isTypeScript(name string) bool {
	ext := path.Ext(name)
	return ext == ".ts" || ext == ".mts"
}

// lowers reports whether these are flaws that lowering removes.
func lowers(flaws []Flaw) bool {
	return len(flaws) == 1 && slices.Contains(later, flaws[0].Msg)
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
	return p, nil
}

// apply makes the engine tell the author's places.
func (p *places) apply(tree *ast.Program) {
	if p != nil {
		tree.File.SetSourceMap(p.consumer)
	}
}

// wrote reports whether a file that the engine names is the author's. Nobody wrote what replaces
// newer syntax.
func (p *places) wrote(name, start string) bool {
	if p == nil {
		return name == start
	}
	_, ok := p.files[name]
	return ok
}

// names yields what the engine calls the author's files.
func (p *places) names(start string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if p == nil {
			yield(start)
			return
		}
		for name := range p.files {
			if !yield(name) {
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

// checkLowered lowers a source and checks what comes out.
func checkLowered(c wire.Check, killable bool) (Checked, []Flaw) {
	if !killable {
		if flaw := prefixes(c.Source); flaw != nil {
			return Checked{}, []Flaw{*flaw}
		}
	}
	text, before := c.Source, 0
	if c.Body {
		text, before = bodyHead+text+bodyTail, len(bodyHead)
	}
	made, found := syntaxes.Source(text, syntaxes.Options{Name: sourceName(c.Name), TypeScript: isTypeScript(c.Name)})
	if len(found) > 0 {
		flaws := make([]Flaw, len(found))
		for i, f := range found {
			at := 0
			if f.Line > 0 {
				at = offsetOf(text, f.Line, f.Col) - before
			}
			flaws[i] = flawAt(c.Source, at, f.Msg)
		}
		return Checked{}, flaws
	}
	if len(made.Text) > MaxLowered || len(made.Map) > MaxLowered {
		return Checked{}, []Flaw{flawAt(c.Source, 0, "it is too large once its syntax is lowered; split the tool")}
	}
	from, err := readPlaces(c.Name, made.Map)
	if err != nil {
		return Checked{}, []Flaw{flawAt(c.Source, 0, "the places of the lowered code are not known: "+err.Error())}
	}
	lowered := c
	lowered.Source, lowered.Module = made.Text, c.Module || isTypeScript(c.Name)
	out, flaws := checkMade(lowered, from, string(made.Map), killable)
	move := func(flaws []Flaw) (moved []Flaw) {
		for _, f := range flaws {
			if f, ok := from.move(f, made.Text, text, before); ok {
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
func checkMade(c wire.Check, from *places, maps string, killable bool) (Checked, []Flaw) {
	if flaw := multiplies(c.Source); flaw != nil && !killable {
		return Checked{}, []Flaw{*flaw}
	}
	if !c.Body {
		return checkFile(c, Checked{Map: maps, from: from}, killable)
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
	if c.Warn {
		out.Warnings = out.warn(c.Source, tree, 0, c.Granted)
	}
	return out.compile(c.Source, tree, killable)
}

// move moves a flaw from lowered code to the original, of which before bytes are not the
// author's; false if nobody wrote the code.
func (p *places) move(f Flaw, lowered, original string, before int) (Flaw, bool) {
	at := offsetOf(lowered, f.Line, 1)
	rest := lowered[at:]
	for range f.Col - 1 { // characters
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	_, line, col, ok := p.original(f.Line, len(lowered)-len(rest)-at+1)
	if !ok {
		return f, false
	}
	return flawAt(original[before:], offsetOf(original, line, col)-before, f.Msg), true
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
