package protect

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNothingLeadsToTheCommandsHome: neither a link nor a remote that a command made.
func TestNothingLeadsToTheCommandsHome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, line, gone string }{
		"a link":                   {"", "mkdir $H/e; ln -s $H/e lib", "lib"},
		"a link deep":              {"", "mkdir -p a/b $H/e; ln -s $H/e a/b/lib", "a/b/lib"},
		"a relative link":          {"", "mkdir -p $H/e; ln -sr $H/e lib", "lib"},
		"a link to nothing":        {"", "ln -s $H/none/x lib", "lib"},
		"a link by a link":         {"", "mkdir $H/e; ln -s $H way; ln -s way/e lib", "way"},
		"a link in place of a dir": {"mkdir lib", "rmdir lib; ln -s $H lib", "lib"},
		"a remote":                 {"", "git init -q --bare $H/e.git; git clone -q $H/e.git cl 2>/dev/null", "cl/.git/config"},
		"a remote by file":         {"", "git init -q cl; git -C cl remote add origin file://$H/e.git", "cl/.git/config"},
		"a remote of a push":       {"", "git init -q cl; git -C cl config remote.origin.pushurl $H/e.git", "cl/.git/config"},
		"a branch's remote":        {"", "git init -q cl; git -C cl config branch.trunk.remote $H/e.git", "cl/.git/config"},
		"a remote of nowhere":      {"", "git init -q cl; git -C cl remote add origin $H/../../none/e.git", "cl/.git/config"},
		"a file":                   {"", "echo x > $H/python; ln -s $H/python python", ""},
		"a link in the workspace":  {"", "mkdir -p a; ln -s a b; ln -s ../a a/c", ""},
		"a link elsewhere":         {"", "ln -s /usr/share u", ""},
		"a link that was there":    {"mkdir $H/e; ln -s $H/e lib", "true", ""},
		"a clone of its own":       {commitIn("a"), "git clone -q a cl", ""},
		"a clone of its own, bare": {"", commitIn("a") + "git clone -q --bare a b; git clone -q b cl", ""},
		"hosts":                    {"", "git init -q cl; cd cl; git remote add a https://x.test/y; git remote add b git@x.test:y/z.git; git remote add c ssh://x.test/y; git config branch.trunk.remote a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			own = filepath.Join(own, "homes", "h")
			if err := os.MkdirAll(own, 0o700); err != nil {
				t.Fatal(err)
			}
			dir := newRepository(t, "H="+own+"; "+c.before)
			g := NewGuard(dir, Paths{})
			where := Folders{Cwd: dir, Own: own}
			v := enter(t, g, where)
			sh(t, dir, "H="+own+"; "+c.line)
			away := v.Leave()
			if c.gone == "" {
				if len(away) > 0 {
					t.Errorf("put away: %+v", away)
				}
			} else if _, err := os.Lstat(filepath.Join(dir, c.gone)); err == nil || len(away) == 0 {
				t.Errorf("%s is still there: %+v", c.gone, away)
			}
			if again := enter(t, g, where).Leave(); len(again) > 0 {
				t.Errorf("the next command: %+v", again)
			}
		})
	}
}
