//go:build unix

package programs_test

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

var sedScripts = flag.Int("sed.scripts", 2000, "scripts that TestPlainScriptsOfSedOnlyRead has sed read")

var sedSeed = flag.Uint64("sed.seed", 1, "seed of the scripts")

// TestPlainScriptsOfSedOnlyRead asks sed itself: a script that a wildcard
// covers holds no command that writes, reads a file or runs a program, by the
// sandbox of GNU sed; and busybox, where it is there, writes nothing.
func TestPlainScriptsOfSedOnlyRead(t *testing.T) {
	t.Parallel()
	gnu := false
	if out, err := exec.CommandContext(t.Context(), "sed", "--sandbox", "e").CombinedOutput(); err != nil {
		gnu = strings.Contains(string(out), "sandbox mode")
	}
	busybox, err := exec.LookPath("busybox")
	if !gnu && err != nil {
		t.Logf("neither GNU sed nor busybox is here; the scripts are asked about, and not run")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(*sedSeed, 2))
	options := [][]string{nil, {"-n"}, {"-E"}, {"--posix"}, {"-z"}, {"-s", "-E"}, {"--posix", "-E"}}
	asked, plain := 0, 0
	for ; plain < *sedScripts; asked++ {
		if asked > 400*(*sedScripts) {
			t.Fatalf("of %d scripts only %d are covered", asked, plain)
		}
		script := hostileScript(random)
		if asked%8 == 0 {
			script = nearly(random)
		}
		if !covered("sed", script) {
			continue
		}
		plain++
		if gnu {
			args := append(append([]string{"--sandbox"}, options[random.IntN(len(options))]...), "-e", script)
			if said := feed(t, dir, "sed", args...); strings.Contains(said, "sandbox") {
				t.Fatalf("covered, and sed says %s: %q", said, args)
			}
		}
		if busybox == "" {
			continue
		}
		args := []string{"sed", "-e", script}
		feed(t, dir, busybox, args...)
		if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
			t.Fatalf("covered, and busybox wrote %v: %q (%v)", made, args, err)
		}
	}
	t.Logf("%d scripts, of which %d are covered", asked, plain)
}

// feed runs a program in a folder without any input, so that it ends once it
// has read its script, and returns what it says on its standard error. sed
// opens the files that it writes before it reads anything.
func feed(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = cmd.Run() // many are no scripts
	return said.String()
}

// misread are scripts that some reader has taken for something else.
var misread = []string{
	"/[^]/y/]/e id >PWN;/'/", "s/[^]/]/;/e;s/p;/a/p", "s/[^]/]/;/w PWN/p", "s/a/[/;w PWN\ns/]/b/", "s/[/]w PWN;/p;s/]/b/", "y/[/]/;w PWN", "s/a\\/w PWN;/b/p", `s/[\]/w PWN;/]/p`, "/[[:]/w PWN;/:]]/p", "1,/[]/,w PWN;/]/p",
	"s,[a,],e;,b,", "s/[[.]/w PWN;/.]]/p", "/a/,/[^]]/w PWN;/]/p", `s/\[/]/;w PWN;s/]//`, "s|[^|]|;|e;s|p;|a|p",
}

// nearly is a script that differs from a misread one in little.
func nearly(random *rand.Rand) string {
	const alphabet = `/[]^;sywepIg0$\|:a!,.`
	script := []byte(misread[random.IntN(len(misread))])
	for range random.IntN(5) {
		at := random.IntN(len(script) + 1)
		c := alphabet[random.IntN(len(alphabet))]
		switch {
		case random.IntN(3) == 0 || at == len(script):
			script = slices.Insert(script, at, c)
		case random.IntN(2) == 0:
			script[at] = c
		default:
			script = slices.Delete(script, at, at+1)
		}
	}
	return string(script)
}

// hostileScript is made of what versions of sed read differently, and of
// commands that write or run where a reader takes them for a text.
func hostileScript(random *rand.Rand) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	delimited := pick("/", "/", "/", "|", ",", "#", ":", "@", "!", ";", "p", "]", "[")
	pieces := []string{"a", "b", "x", " ", "]", "[", "[^", "[^]", "[^]", "[]", "[]D]", "[^]D", "[a]", "[^a]", "[aDb]", "[[D", "[[:alpha:]]", "[^[:space:]_]", "[[:x:]]", "[[.a.]]", "[[=a=]]", "[[.].]]", "[:a]",
		"[:alpha:]", "[.a]", "[=a]", "[-a]", "[a-]", "[a-z]", "[:]", "[^:]", `\`, `\\`, `\D`, `\n`, `\[`, `\]`, `[\]`, `[\n]`, `[\D]`, `\(`, `\)`, `\1`, `\c`, `\d047`, `\o57`, `\x2f`, `\x5d`, `\cA`, "\\\n", "\n",
		";", "{", "}", "&", "*", "^", "$", ".", "é", "\xe2", "\x81", "#", "e id", "w PWN", "r a", ";e id;", ";w PWN", ";e", "]Dw PWN", "]De", "D"}
	// A few for each script, so that they meet again.
	palette := []string{pick("[^]", "[]", "[", "[^", "[[:alpha:]", `\`), pick("w PWN", "e", "e id", "r a", ";e"), "]"}
	for range random.IntN(4) {
		palette = append(palette, pick(pieces...))
	}
	piece := func(d string) string { return strings.ReplaceAll(pick(palette...), "D", d) }
	text := func(d string) string {
		var b strings.Builder
		for range []int{0, 1, 1, 1, 2, 3}[random.IntN(6)] {
			b.WriteString(piece(d))
		}
		return b.String()
	}
	delimiter := func() string { return pick(delimited, delimited, delimited, "/", "p", ";") }
	address := func() string {
		return pick("", "", "1", "$", "1~2", "0,/a/", "1,3", "2,+1", "1,~2", "/"+text("/")+"/", "/"+text("/")+"/I", "/"+text("/")+"/,/"+text("/")+"/", `\,`+text(",")+",", "1,/"+text("/")+"/")
	}
	command := func() string {
		d := delimiter()
		switch random.IntN(8) {
		case 0, 1, 2:
			return pick("p", "d", "q", "Q", "=", "l", "n", "N", "g", "G", "x", "D", "P")
		case 3:
			return pick("e", "w PWN", "r a", "W PWN", "e id >PWN", "a w PWN", "i\\", "c x", "b", ":a", "t", "{p", "}", "{e}", "#n", "F", "z", "l 5", "q5")
		case 4:
			return "y" + d + text(d) + d + text(d) + d
		default:
			return "s" + d + text(d) + d + text(d) + d + pick("", "", "", "g", "p", "2", "gI", "w PWN", "e", "ge", "m", "pw PWN", "g w PWN")
		}
	}
	var b strings.Builder
	for i := range 1 + random.IntN(3) {
		if i > 0 {
			b.WriteString(pick(";", "\n", "; ", " ;", "\n ", "}", " "))
		}
		b.WriteString(address() + pick("", "", "!", " ", " ! ") + command())
	}
	return b.String()
}

// What the versions of sed read differently is not covered.
func TestAmbiguousScriptsOfSedAreSpelledOut(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"/[^]/y/]/e id >PWN;/'/", "s/[^]/]/;/e;s/p;/a/p", "s/[^]/]/;/w out/p", "s/[]/]/x/", "s/a/[/;e;s/]/b/", "s/[[:x:]]/b/", "s/[[.].]]/b/", "s:[[:alpha:]]:b:", `s/[\n]/b/`, `s/\x2f/b/`, `s/\c/b/`, "y/abc/]/e/",
		"s|\u00e9|x|", "s@a\u00e9@b@", "s/\u00e9\\/a/b/",
	} {
		if covered("sed", script) {
			t.Errorf("%q is covered", script)
		}
	}
	for _, script := range []string{
		`s/[0-9]\+/N/g`, "s/[^:]*:/x/", "s/[[:space:]]*$//", "s/^[^[:alpha:]_]//", `s/\/usr\/lib/x/`, `s/a\\/b/`, "s|/usr/[a-z.]*|/opt|g", "s/[.]go$//", "s/[-+]//", "/^#/d;/^$/d", "s/é/e/g", `s/\(a\|b\)/\U\1/`, "y/abc/xyz/", "2,/end/!d",
		"s,/,:,g", `s/\t/ /g`,
	} {
		if !covered("sed", script) {
			t.Errorf("%q is not covered", script)
		}
	}
	for _, line := range [][]string{{"sed", "-l", "w PWN", "p"}, {"sed", "-lw PWN", "p"}, {"sed", "--line-length=w PWN", "p"}} {
		if covered(line...) {
			t.Errorf("%q is covered", line) // -l takes nothing in BSD's, so that its value is the script
		}
	}
}
