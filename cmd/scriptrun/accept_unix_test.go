//go:build unix

package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// TestToolsThatOthersMayHaveMadeAreNotTaken: files in the directory of tools and by links outside of the own
// places too, as long as a command of another process is under way; and no link that was turned.
func TestToolsThatOthersMayHaveMadeAreNotTaken(t *testing.T) {
	t.Parallel()
	top := canonical(t.TempDir())
	in := func(names ...string) string { return filepath.Join(append([]string{top}, names...)...) }
	for _, name := range []string{"p/tools/old.js", "p/stash/q.js", "p/one/q.js", "p/two/q.js", "w/x"} {
		writeText(t, in(name), "x")
	}
	link := func(to, at string) {
		t.Helper()
		_ = os.Remove(in(at))
		if err := os.Symlink(to, in(at)); err != nil {
			t.Fatal(err)
		}
	}
	link("one", "p/cur")
	f := &hostFlags{workspace: in("w"), tools: in("p/tools"), serves: true}
	h := &host{settings: &settings.Settings{}}
	h.underway.folder = in("underway")
	accept := f.accept(h)
	expect := func(want, path string) {
		t.Helper()
		if err := accept(in(path)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	expect("", "p/tools/old.js")
	expect("", "p/cur/q.js")
	link("two", "p/cur")
	expect("leads to two, and led to one before", "p/cur/q.js")
	link("one", "p/cur")
	expect("", "p/cur/q.js")

	awaitNow(t, in("p/cur"))
	_, end, err := sayServed(in("underway"), []string{in("p")}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, in("p/tools/new.js"), "x")
	link("stash", "p/src")
	expect("while a command of another scriptrun is under way", "p/tools/new.js")
	expect("while a command of another scriptrun is under way", "p/src/q.js") // an old file by a new link
	expect("", "p/one/q.js")
	end()
	expect("", "p/tools/new.js")
	expect("", "p/src/q.js")
}

// TestWhatIsServedIsToldWithWhatCouldComeBeforeIt: with files that are not there and links on the way, and until the
// server ends.
func TestWhatIsServedIsToldWithWhatCouldComeBeforeIt(t *testing.T) {
	t.Parallel()
	top := canonical(t.TempDir())
	in := func(names ...string) string { return filepath.Join(append([]string{top}, names...)...) }
	writeText(t, in("tools/n.md"), "---\nkind: script\ndescription: d\npath: cur/n.js\n---\n")
	writeText(t, in("one/n.js"), "import './z'\nexport default () => 1\n")
	writeText(t, in("one/z.js"), "")
	if err := os.Symlink("one", in("cur")); err != nil {
		t.Fatal(err)
	}
	runner, err := runtime.New(runtime.Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	dir := scripttools.Dir{Path: in("tools")}
	catalog, err := scripttools.Load(t.Context(), runner, dir)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	others := &telling{folder: in("served"), dir: dir, always: []string{in("tools")}, log: slog.New(slog.NewTextHandler(&said, nil))}
	others.tell(nil)
	if got := servedElsewhere(in("served"), true); !slices.Equal(got, []string{in("tools")}) {
		t.Errorf("%q", got)
	}
	others.tell(catalog)
	for _, c := range []*scripttools.Catalog{catalog, nil} { // and where the file is away for a moment
		others.tell(c)
		got := servedElsewhere(in("served"), true)
		for _, want := range []string{"tools", "cur", "one/n.js", "one/z.js", "one/z.ts"} {
			if !slices.Contains(got, in(want)) {
				t.Errorf("%s is not told: %q", want, got)
			}
		}
	}
	others.stop()
	if got := servedElsewhere(in("served"), true); len(got) > 0 || said.Len() > 0 {
		t.Errorf("%q, %s", got, said.String())
	}
}

// TestPlacesOfSettingsAreWrittenWhereTheyLed, whoever turns a link on the way later; by their names they are read.
// Where commands may turn it, the sandbox refuses the place.
func TestPlacesOfSettingsAreWrittenWhereTheyLed(t *testing.T) {
	t.Parallel()
	top := canonical(t.TempDir())
	in := func(name string) string { return filepath.Join(top, name) }
	for _, name := range []string{"w/x", "real/x"} {
		writeText(t, in(name), "x")
	}
	for at, to := range map[string]string{"named": "real", "w/named": "../real"} {
		if err := os.Symlink(to, in(at)); err != nil {
			t.Fatal(err)
		}
	}
	f := &hostFlags{workspace: in("w")}
	s := &settings.Settings{}
	s.Sandbox.Write = []string{in("named"), in("named/none"), in("w/named"), in("real/x")}
	f.leadWrites(s)
	if want := []string{in("real"), in("real/none"), in("w/named"), in("real/x")}; !slices.Equal(s.Sandbox.Write, want) {
		t.Errorf("%q", s.Sandbox.Write)
	}
	if want := []string{in("named"), in("named/none")}; !slices.Equal(s.Sandbox.Read, want) {
		t.Errorf("%q", s.Sandbox.Read)
	}
}
