package protect

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepositoriesStayProtected: nothing that commands make ends the protection of an old
// repository.
func TestRepositoriesStayProtected(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"repo", "1/2/3/4/5/repo", ".cfg/repo", "vendor/x"} {
		for _, line := range []string{"true", "mkdir $(seq -f a%.0f 2100)", "mkdir -p $(seq -f a%.0f/.git 40)"} {
			dir := newRepository(t, "mkdir -p "+at+" && git init -q "+at)
			g := newGuard(t, dir, Paths{})
			for range 2 { // the second is of a guard that knows nothing yet
				v := enter(t, g, Folders{Cwd: dir})
				if !strings.Contains(strings.Join(v.Held, "\n")+"\n", filepath.Join(dir, at, ".git/config")+"\n") {
					t.Errorf("%s is not held after %s", at, line)
				}
				sh(t, dir, line)
				v.Leave()
				line, g = "true", newGuard(t, dir, Paths{})
			}
		}
	}
}

// TestNewRepositoriesAreJudged: files that commands make for git to run are put away, in a
// repository and in a bare one.
func TestNewRepositoriesAreJudged(t *testing.T) {
	t.Parallel()
	const evil = `printf '[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = evil\n'`
	for line, path := range map[string]string{
		"git init -q p; " + evil + " > p/.git/config":                                                                         "p/.git/config",
		"git init -q p/q; " + evil + " > p/q/.git/config":                                                                     "p/q/.git/config",
		"mkdir docs; cp -r .git/HEAD .git/objects .git/refs docs/; " + evil + " > docs/config":                                "docs/config",
		"cp -r .git/HEAD .git/objects .git/refs .; " + evil + " > config":                                                     "config",
		"mkdir -p f/refs f/objects/src; echo x > f/HEAD; git init -q f/objects/src; " + evil + " > f/objects/src/.git/config": "f/objects/src/.git/config",
		"git init -q --bare b; git init -q b/refs/y; " + evil + " > b/refs/y/.git/config":                                     "b/refs/y/.git/config",
		"git init -q --bare b; git init -q b/objects/y; " + evil + " > b/objects/y/.git/config":                               "b/objects/y/.git/config",
		"git init -q --bare b; git init -q b/objects/ab/y; " + evil + " > b/objects/ab/y/.git/config":                         "b/objects/ab/y/.git/config",
		"git init -q --bare b; git init -q b/objects/pack; " + evil + " > b/objects/pack/.git/config":                         "b/objects/pack/.git/config",
		"git init -q --bare b; git -C b init -q --bare refs/heads/x; " + evil + " > b/refs/heads/x/config":                    "b/refs/heads/x/config",
		"git init -q p; git clone -q p q; git init -q --bare b":                                                               "",
	} {
		dir := newRepository(t, "")
		g := newGuard(t, dir, Paths{})
		v := enter(t, g, Folders{Cwd: dir})
		sh(t, dir, line)
		away := v.Leave()
		if path == "" && len(away) != 0 || path != "" && (len(away) != 1 || away[0].Path != path) {
			t.Errorf("%s: %+v", line, away)
		}
		if path != "" && !gone(filepath.Join(dir, path)) {
			t.Errorf("%s: %s stays", line, path)
		}
	}
}

// TestRepositoriesBesideVeryManyFilesAreFound: files cost a look little, and take no room from folders.
func TestRepositoriesBesideVeryManyFilesAreFound(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	sh(t, dir, "seq -f f%.0f 25000 | xargs touch; git init -q z; git -C z config core.fsmonitor evil")
	if away := v.Leave(); len(away) != 1 || away[0].Path != "z/.git/config" {
		t.Errorf("%+v", away)
	}
}

// TestNewFoldersAtTheTopAreSought: before those below, whatever their names are.
func TestNewFoldersAtTheTopAreSought(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".z", "vendor", "node_modules", "z"} {
		dir := newRepository(t, "mkdir -p .d/a vendor d; seq -f .d/a/%.0f 1100 | xargs mkdir; seq -f d/%.0f 2100 | xargs mkdir")
		v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
		sh(t, dir, "git init -q "+name+"; git -C "+name+" config core.fsmonitor evil")
		if away := v.Leave(); len(away) != 1 || away[0].Path != name+"/.git/config" {
			t.Errorf("%s: %+v", name, away)
		}
	}
}

// TestFoldersThatWereThereAreAskedForRepositories: also beyond the folders that are read.
func TestFoldersThatWereThereAreAskedForRepositories(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "seq -f p%.0f 60 | xargs mkdir; j=$(seq 50); for i in $(seq 60); do printf \"p$i/d%s\\n\" $j; done | xargs mkdir")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	sh(t, dir, `cd p60; git init -q d50; git init -q --bare d47; git init -q d49; mv d49/.git d49/q; echo "gitdir: ../d49/q" > d48/.git
		for d in d50/.git d47 d49/q; do printf '[core]\n\tfsmonitor = evil\n' >> $d/config; done`)
	if away, left := v.Leave(), stays(t, dir, "= evil"); len(left) > 0 {
		t.Errorf("%q stay; %+v", left, away)
	}
}

// TestWhatIsNotSoughtIsSaid: for a folder that holds more than can be checked, and for new
// folders that are too many.
func TestWhatIsNotSoughtIsSaid(t *testing.T) {
	t.Parallel()
	const many = "seq 2100 | xargs mkdir; "
	for name, c := range map[string]struct {
		most         seekLeft
		before, line string
		said         bool
	}{
		"names":            {seekLeft{100, 100}, "", "seq 200 | xargs touch", true},
		"folders":          {seekLeft{100, 1000}, "", "seq 200 | xargs mkdir", true},
		"few":              {seekLeft{100, 1000}, "", "seq 200 | xargs touch", false},
		"below":            {seekLeft{}, "", many + "git init -q z/z; git -C z/z config core.fsmonitor evil", true},
		"below, as before": {seekLeft{}, many, "touch x", false},
		"aside":            {seekLeft{}, "", "mkdir node_modules; cd node_modules; " + many + "touch x", true},
		"aside, in part":   {seekLeft{}, "mkdir -p vendor d; seq -f d/%.0f 2100 | xargs mkdir", "git init -q vendor/z; git -C vendor/z config core.fsmonitor evil", true},
		"aside, as before": {seekLeft{}, "mkdir node_modules; seq -f node_modules/%.0f 2100 | xargs mkdir", "mkdir x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.before)
			g := newGuard(t, dir, Paths{})
			g.seeker.most = c.most
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if said := len(away) == 1 && away[0].Kept && errors.Is(away[0].Err, errEffort); said != c.said || !said && len(away) > 0 {
				t.Errorf("%+v", away)
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
		})
	}
}
