package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// openers open boxes with the namespaces that different machines allow.
func openers() map[string]func(sandbox.Policy) (*sandbox.Box, error) {
	all := map[string]func(sandbox.Policy) (*sandbox.Box, error){"all": sandbox.Open, "none": sandbox.OpenWithoutSpaces}
	if os.Geteuid() == 0 { // an ordinary user has /proc only with process ids
		all["no process ids"] = sandbox.OpenWithoutPID
	}
	return all
}

// look tries everything that /proc shows of the process that started it, by
// each name that one of its threads has, and prints what it got.
const look = `exec 2>/dev/null
holder=/proc/$PPID
set -- $holder $holder/task/* $(ls $holder/task | sed s,^,/proc/,)
for t; do printf '%s\n' $t/cwd $t/root $t/exe $t/ns/* $t/fd/*; done | xargs readlink
for t; do printf '%s\n' $t/map_files $t/fdinfo; done | xargs ls -A | grep -v -e ':$' -e '^$'
for t; do for f in environ maps smaps auxv syscall stack io personality; do echo $t/$f; done; done | xargs head -qc 8 | grep -a .
for t; do
	for f in mem pagemap; do true <$t/$f && echo $t/$f; done
	for q in $t/fd/* $t/cwd $t/root; do
		for at in OUTSIDE BASE ../OUTSIDE ../../OUTSIDE ../../../OUTSIDE ../../../../OUTSIDE; do
			[ -e $q/$at ] || continue
			cat $q/$at/secret
			echo planted > $q/$at/planted && echo planted
			chmod 777 $q/$at/secret && echo changed
		done
	done
done
tr '\0' '\n' < /proc/$$/environ | grep ^MINE=; (sleep 5 & readlink /proc/$!/cwd; kill $!)`

// TestNothingOfTheHolderIsSeen: a command finds neither files nor memory of the
// host by way of the process that starts it, whose threads have the rights of
// commands.
func TestNothingOfTheHolderIsSeen(t *testing.T) {
	t.Parallel()
	outside, err := os.MkdirTemp("", "outside-") // beside the folders for temporary files
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(outside) })
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for spaces, start := range openers() {
		for _, profile := range []sandbox.Profile{sandbox.ProfileReadOnly, sandbox.ProfileWorkspace} {
			dir := t.TempDir()
			box, err := start(sandbox.Policy{Workspace: dir, Profile: profile, Path: os.Getenv("PATH"), Home: os.Getenv("HOME")})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(box.Close)
			other, read := begin(t, box, dir, "echo on; exec sleep 1000") // another place, with another command
			script := strings.NewReplacer("OUTSIDE", outside, "BASE", filepath.Base(outside)).Replace(look)
			if err := os.WriteFile(filepath.Join(dir, "look"), []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			got := line(t, box, dir, "MINE=1 exec sh ./look")
			if want := "MINE=1\n" + dir + "\n"; got.out != want {
				t.Errorf("namespaces: %s; %s: seen:\n%s\nwant %q alone", spaces, profile, got.out, want)
			}
			other.End(0)
			read()
			box.Close()
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(secret); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(outside, "planted")); err == nil {
		t.Error("a command wrote outside")
	}
}
