package realm

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/goccy/go-yaml"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

const (
	childOf262     = "SCRIPTRUN_TEST262_CHILD"
	conformanceCap = 2 * time.Second // for one test
	abandoned      = "abandoned: "   // begins the verdict on a test that could not be stopped
)

// TestConformanceChild runs the tests that its input names.
func TestConformanceChild(t *testing.T) { //nolint:paralleltest // it is a process of its own
	if os.Getenv(childOf262) == "" {
		return
	}
	debug.SetMaxStack(256 << 20)
	suite := &suite262{programs: map[string]*goja.Program{}, proposed: proposals(t)}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, err := json.Marshal(suite.judge(lines.Text()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s\n", answer)
	}
	os.Exit(0) // prints no verdict of its own
}

// suite262 is what tests share.
type suite262 struct {
	programs map[string]*goja.Program // of the harness
	proposed []string                 // features that are not in the standard yet
}

// matter is the front matter of a test.
type matter struct {
	Includes []string
	Features []string
	Flags    []string
	Negative struct{ Phase, Type string }
}

func (m *matter) flag(name string) bool { return slices.Contains(m.Flags, name) }

// proposals are the features before the heading of the standard ones.
func proposals(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(*test262, "features.txt"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "## Standard language features")
	for line := range strings.Lines(before) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			names = append(names, strings.TrimSpace(line))
		}
	}
	return names
}

// judge runs a test within its time.
func (s *suite262) judge(path string) (v verdict) {
	began := time.Now()
	var m matter
	defer func() { v.Why, v.MS = whyFailed(v, &m), time.Since(began).Milliseconds() }()
	v.Path = path
	text, err := os.ReadFile(filepath.Join(*test262, "test", filepath.FromSlash(path)))
	if err != nil {
		v.Fail = err.Error()
		return v
	}
	source := string(text)
	_, head, _ := strings.Cut(source, "/*---")
	head, _, _ = strings.Cut(head, "---*/")
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(head, "\r", "\n")), &m); err != nil {
		v.Fail = "front matter: " + err.Error()
		return v
	}
	if v.Not = s.excluded(path, source, &m); v.Not != "" {
		return v
	}
	r := New(Config{Emit: func(wire.Frame) error { return nil }, Programs: &Programs{}})
	done := make(chan string, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				if t := r.panicked(p); t.Cause == wire.CausePanic {
					done <- "panic: " + t.Message
				} else {
					done <- t.Name + ": " + t.Message
				}
			}
		}()
		check(wire.Check{Name: path, Source: source, Body: true}, nil, true)
		done <- s.run(r, path, source, &m)
	}()
	select {
	case v.Fail = <-done:
		return v
	case <-time.After(conformanceCap):
	}
	r.stopped.Store(true)
	r.vm.Interrupt("stop")
	select {
	case <-done:
		v.Fail = "late: it took more than its time"
	case <-time.After(time.Second):
		v.Fail = abandoned + "it does not stop"
	}
	return v
}

// excluded says why a test does not apply here; empty if it does.
func (s *suite262) excluded(path, source string, m *matter) string {
	for _, feature := range m.Features {
		switch {
		case feature == "Temporal":
			return "Temporal: a proposal of thousands of tests"
		case feature == "cross-realm":
			return "realms: a script has one"
		case feature == "Atomics", feature == "SharedArrayBuffer", strings.HasPrefix(feature, "Atomics."):
			return "agents: a script has one thread, and no memory is shared"
		case feature == "IsHTMLDDA", feature == "tail-call-optimization", feature == "host-gc-required":
			return "hosts: what browsers and engines may do"
		case slices.Contains(s.proposed, feature):
			return "proposals: not in the standard yet"
		}
	}
	switch {
	case strings.Contains(source, "createRealm"):
		return "realms: a script has one"
	case strings.Contains(source, "$262.agent"), strings.Contains(source, "SharedArrayBuffer("):
		return "agents: a script has one thread, and no memory is shared"
	case strings.Contains(source, "$262.IsHTMLDDA"), strings.Contains(source, "$262.AbstractModuleSource"), m.flag("CanBlockIsFalse"), m.flag("CanBlockIsTrue"):
		return "hosts: what browsers and engines may do"
	case strings.Contains(path, "eval-code/"), strings.HasPrefix(path, "built-ins/eval/"), fromStrings(source):
		return "code from strings: refused, eval and Function throw an EvalError"
	}
	return ""
}

// fromStrings reports whether a test makes code from a string.
func fromStrings(source string) bool {
	_, code, _ := strings.Cut(source, "---*/")
	for _, call := range []string{"eval(", "eval)(", "eval.", "eval`", "new Function(", "Function(\"", "Function('", " Function(", "(Function(", "=Function(", "Function.call(", "Function.apply(", "Reflect.construct(Function",
		"new Function;", "GeneratorFunction", "AsyncFunction", ".constructor(\"", ".constructor('", "$262.evalScript", "{}).constructor", "Function();", "nativeFunctionMatcher", "wellKnownIntrinsicObjects"} {
		for at := 0; ; {
			i := strings.Index(code[at:], call)
			if i < 0 {
				break
			}
			at += i + len(call)
			before := byte(' ')
			if at > len(call) {
				before = code[at-len(call)-1]
			}
			if strings.HasPrefix(call, "eval") && inWord(before) {
				continue
			}
			return true
		}
	}
	return false
}

// run runs a test once, in strict code unless it says otherwise. The text says why it failed.
func (s *suite262) run(r *Realm, path, source string, m *matter) string {
	if !m.flag("raw") && !m.flag("noStrict") && !m.flag("module") {
		source = "\"use strict\";\n" + source
	}
	program, early := s.compile(path, source, m)
	if m.Negative.Phase == "parse" || m.Negative.Phase == "resolution" {
		if early == "" {
			return "no error when it was parsed, expected " + m.Negative.Type
		}
		return ""
	}
	if early != "" {
		return "SyntaxError: " + early
	}
	if err := errors.Join(r.Prepare(), r.suit(program)); err != nil {
		return "prepare: " + err.Error()
	}
	printed := ""
	if err := s.host(r, &printed); err != nil {
		return "host: " + err.Error()
	}
	if !m.flag("raw") {
		includes := append([]string{"assert.js", "sta.js", "doneprintHandle.js"}, m.Includes...)
		for _, include := range includes {
			helper, err := s.helper(include)
			if err == nil {
				_, err = r.vm.RunProgram(helper)
			}
			if err != nil {
				return include + ": " + err.Error()
			}
		}
	}
	_, err := r.vm.RunProgram(program.body)
	if err == nil && m.flag("async") {
		for printed == "" && err == nil {
			err = r.turn()
		}
		if printed != "" && printed != "Test262:AsyncTestComplete" {
			return printed
		}
	}
	return ending262(r, err, m.Negative.Type)
}

// ending262 compares how a test ended with how it should.
func ending262(r *Realm, err error, want string) string {
	if err == nil {
		if want != "" {
			return "no error, expected " + want
		}
		return ""
	}
	t := r.thrown(err)
	if t.Cause == wire.CausePanic {
		return "panic: " + t.Message
	}
	if want != "" && t.Name == want {
		return ""
	}
	return t.Name + ": " + t.Message
}

func (s *suite262) compile(path, source string, m *matter) (compiled, string) {
	if m.flag("module") {
		module := &moduleSource{name: path, original: source, lowered: []byte(source), exports: map[string]string{}}
		tree, flaws := module.parse()
		if len(flaws) > 0 {
			return compiled{}, flaws[0].Msg
		}
		program, err := compileTree(tree, Checked{Source: string(module.lowered), Entry: "0", Strict: true})
		return program, errorText(err)
	}
	tree, err := parse(path, source)
	if err != nil {
		return compiled{}, err.Error()
	}
	program, err := compileTree(tree, Checked{Source: source, Entry: "0"})
	return program, errorText(err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// helper is a file of the harness.
func (s *suite262) helper(name string) (*goja.Program, error) {
	if p := s.programs[name]; p != nil {
		return p, nil
	}
	text, err := os.ReadFile(filepath.Join(*test262, "harness", filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	p, err := goja.Compile(name, string(text), false)
	if err == nil {
		s.programs[name] = p
	}
	return p, err
}

// host adds what tests expect of who runs them.
func (s *suite262) host(r *Realm, printed *string) error {
	host := r.vm.NewObject()
	return errors.Join(
		host.Set("global", r.vm.GlobalObject()),
		host.Set("gc", func() {}),
		host.Set("detachArrayBuffer", func(f goja.FunctionCall) goja.Value {
			if buffer, ok := f.Argument(0).Export().(goja.ArrayBuffer); ok {
				buffer.Detach()
			}
			return goja.Null()
		}),
		r.vm.GlobalObject().DefineDataProperty("$262", host, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		r.vm.GlobalObject().DefineDataProperty("print", r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			*printed = f.Argument(0).String()
			return goja.Undefined()
		}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}
