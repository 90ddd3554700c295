package protect

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestWhatTheUserChangesBetweenTwoCommandsIsKnown: links and configurations outside of the
// workspace too, new and changed ones. Their targets are protected from the second command, and
// do not count as new.
func TestWhatTheUserChangesBetweenTwoCommandsIsKnown(t *testing.T) {
	t.Parallel()
	const hooks = `printf '[core]\n\thooksPath = '$PWD'/dot/hooks\n' > `
	for name, c := range map[string]struct{ before, between, held string }{
		"a new link":                 {"", "ln -s dot/a .bashrc", "dot/a"},
		"a link in place of a file":  {"touch .bashrc", "ln -sf dot/a .bashrc", "dot/a"},
		"a link that leads to more":  {"ln -s dot/b .bashrc", "ln -sf dot/a .bashrc", "dot/a"},
		"a link on the way":          {"ln -s m .bashrc; ln -s dot/b m", "ln -sf dot/a m", "dot/a"},
		"a link in a folder":         {"mkdir -p .config/nvim", "ln -s ../../dot/a .config/nvim/init.lua", "dot/a"},
		"a link in a new folder":     {"", "mkdir -p .config/nvim; ln -s ../../dot/a .config/nvim/init.lua", "dot/a"},
		"a folder that is a link":    {"mkdir .config", "rmdir .config; ln -s dot/c .config", "dot/c/fish"},
		"a configuration":            {"mkdir -p xdg/git", hooks + "xdg/git/config", "dot/hooks"},
		"one that changed":           {"mkdir -p xdg/git; touch xdg/git/config", hooks + "xdg/git/config", "dot/hooks"},
		"one that is included":       {"mkdir -p xdg/git; printf '[include]\n\tpath = ../x\n' > xdg/git/config", hooks + "xdg/x", "dot/hooks"},
		"a link to a configuration":  {"mkdir -p xdg/git", "ln -s ../../dot/a xdg/git/config", "dot/a"},
		"one behind a link":          {"mkdir -p xdg/git; touch xdg/x; ln -s ../x xdg/git/config", hooks + "xdg/x", "dot/hooks"},
		"settings in force":          {"touch settings", "ln -sf dot/a settings", "dot/a"},
		"settings that are new":      {"", "ln -s dot/a settings", "dot/a"},
		"a program of a setting":     {"mkdir t; touch t/p; git -C dot config core.pager $PWD/t/p", "ln -sf ../dot/a t/p", "dot/a"},
		"a program that was not":     {"git -C dot config core.pager $PWD/t/p", "mkdir t; ln -s ../dot/a t/p", "dot/a"},
		"a folder moved and linked":  {"mkdir -p .config/fish", "mv .config dot/config; ln -s dot/config .config", "dot/config/fish"},
		"one that is made once more": {"mkdir -p .config/fish", "rm -r .config; ln -s dot/c .config", "dot/c/fish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := newRepository(t, "rm -r .git; git init -q dot; mkdir -p dot/hooks dot/c/fish; touch dot/a dot/b dot/hooks/pre-commit; "+c.before)
			settled(t, home)
			settled(t, filepath.Join(home, "dot"))
			dot, xdg := filepath.Join(home, "dot"), filepath.Join(home, "xdg")
			g := newGuard(t, dot, Paths{Homes: []string{home}, Elsewhere: map[string][]string{xdg: {".config"}}, Settings: []string{filepath.Join(home, "settings")}})
			where := Folders{Cwd: dot}
			enter(t, g, where).Leave()
			if !g.last.stillHolds() {
				t.Error("the look does not hold")
			}
			sh(t, home, c.between)
			v := enter(t, g, where)
			if !slices.Contains(v.Held, filepath.Join(home, c.held)) {
				t.Errorf("held: %q", v.Held)
			}
			if away := v.Leave(); len(away) > 0 {
				t.Errorf("%+v", away)
			}
		})
	}
}
