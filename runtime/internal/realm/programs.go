package realm

import (
	"errors"
	"strings"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// maxPrograms is how many compiled programs are kept.
const maxPrograms = 256

// Programs keeps compiled programs by digest, the most recently added ones. It
// is safe for concurrent use, as are the programs; no realm changes one.
type Programs struct {
	mu      sync.Mutex
	entries map[string]compiled
	order   []string // oldest first
}

// compiled is a program and the expression that yields its entry.
type compiled struct {
	body, entry *goja.Program
	generators  bool            // there may be generator functions in it
	lengths     []sizedFunction // that it may call
}

// NewPrograms returns an empty cache.
func NewPrograms() *Programs { return &Programs{entries: map[string]compiled{}} }

// Add keeps a program that [Check] has compiled.
func (p *Programs) Add(digest string, c Checked) {
	if c.Compiled() {
		p.keep(digest, c.program)
	}
}

func (p *Programs) get(start wire.Start) (compiled, error) {
	p.mu.Lock()
	c, ok := p.entries[start.Digest]
	p.mu.Unlock()
	if ok {
		return c, nil
	}
	if start.Source == "" {
		return compiled{}, errors.New("the cell does not know the program " + start.Digest)
	}
	c, err := compile(start)
	if err != nil {
		return compiled{}, err
	}
	p.keep(start.Digest, c)
	return c, nil
}

// Check is [Check] in a process that may be killed. It keeps the program, and
// forgets all others.
func (p *Programs) Check(c wire.Check) wire.Checked {
	p.mu.Lock()
	p.entries, p.order = map[string]compiled{}, nil
	p.mu.Unlock()
	checked, flaws := check(c, true)
	if len(flaws) == 0 {
		p.Add(c.Digest, checked)
	}
	return answer(checked, flaws)
}

func (p *Programs) keep(digest string, c compiled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.entries[digest]; ok {
		return
	}
	if len(p.order) == maxPrograms {
		delete(p.entries, p.order[0])
		p.order = p.order[1:]
	}
	p.entries[digest] = c
	p.order = append(p.order, digest)
}

func compile(start wire.Start) (compiled, error) {
	tree, err := parse(start.Name, start.Source)
	if err != nil {
		return compiled{}, err
	}
	return compileTree(tree, start.Source, start.Entry, start.CommonJS, start.Strict)
}

func compileTree(tree *ast.Program, source, entry string, commonJS, strict bool) (_ compiled, err error) {
	defer recovered(&err)
	body, err := goja.CompileAST(tree, strict)
	if err != nil {
		return compiled{}, err
	}
	if commonJS {
		entry = commonJSEntry
	}
	call, err := goja.Compile(ownPrefix+"entry", entry, false)
	if err != nil {
		return compiled{}, err
	}
	return compiled{body: body, entry: call, generators: mayGenerate(source), lengths: sizedIn(source)}, nil
}

// mayGenerate reports whether a source can make a generator function. That
// takes an asterisk; the comment that a tool file begins with does not count,
// nor do powers. It errs on the side of yes.
func mayGenerate(source string) bool {
	code := strings.ReplaceAll(source[headerEnd(source):], "**", "")
	return strings.Contains(code, "*")
}

// commonJSEntry is what require would be asked for.
const commonJSEntry = `typeof module.exports === "function" ? module.exports : module.exports.run || module.exports.default`
