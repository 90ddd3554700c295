package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// loadSettings reads the settings in force for a command.
func (f *hostFlags) loadSettings() (*settings.Settings, error) {
	s, err := settings.Load(settings.Sources{Only: f.config, Operator: userSettings(), Workspace: f.workspaceDir(), Trust: trustFolder()})
	if err == nil {
		f.leadWrites(s)
	}
	return s, err
}

// operatorSettings is the file in which the operator allows more, which may not exist;
// empty if there is none to name.
func (f *hostFlags) operatorSettings() string {
	if f.config == "" {
		return userSettings()
	}
	path, err := filepath.Abs(f.config)
	if err != nil {
		return f.config
	}
	return path
}

// userSettings is the user's file, which may not exist; empty if the user has no home.
func userSettings() string {
	return userFolder("XDG_CONFIG_HOME", ".config", "config.toml")
}

// trustFolder holds the user's records of trust; empty if the user has no home.
func trustFolder() settings.Store {
	return settings.Store(userFolder("XDG_STATE_HOME", ".local/state", "trust"))
}

// userFolder is a path below one of the user's folders: the folder of a variable, or
// else one in the home folder. It is empty if there is neither.
func userFolder(variable, usual string, below ...string) string {
	folder := os.Getenv(variable)
	if !filepath.IsAbs(folder) { // as the specification of these variables says
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		folder = filepath.Join(home, usual)
	}
	return filepath.Join(append([]string{folder, "scriptrun"}, below...)...)
}

// protected are the paths in the workspace that scripts and commands must not write
// besides those that never may be: the tools with their scripts, and the settings in force.
func (f *hostFlags) protected(s *settings.Settings) (protect.Paths, error) {
	dir, further := f.toolsDir(), []string(nil)
	_, err := os.Stat(dir.Path)
	// What comes into it would be served, or started, by itself. Else another folder of that name
	// may hold no tools.
	comes := f.serves || f.mcpFiles || s.StartsFiles()
	if comes || f.tools != "" && err == nil || scripttools.HasTools(dir) {
		further = append(append(further, dir.Path), scripttools.Outside(dir)...)
		f.madeOf = further
	}
	if comes {
		f.served = append(f.served, dir.Path)
	}
	f.served = append(f.served, servedElsewhere(servedFolder(), f.reached(s, servedFolder()) != "")...)
	paths, err := s.Protected(append(further, f.servedWithin(s)...)...)
	if err == nil {
		paths.Further = append(paths.Further, f.servedAround(s)...)
	}
	paths.Trash = f.reached(s, userFolder("XDG_STATE_HOME", ".local/state", "trash"))
	if state := userFolder("XDG_STATE_HOME", ".local/state"); f.writable(s).Hold(state) { // where the host writes and removes
		paths.Settings = append(paths.Settings, state)
	}
	return paths.InEnvironment(os.Environ(), f.written(s)...), err
}

// leadWrites has commands write the places of the settings by their real paths, so that whoever
// turns a link on the way later opens nothing; by its name as it was given they reach a place as long as
// it leads there.
func (f *hostFlags) leadWrites(s *settings.Settings) {
	places := f.writable(s)
	s.Sandbox.Write = slices.Clone(s.Sandbox.Write)
	for i, named := range s.Sandbox.Write {
		// Where commands may turn a link on the way, the sandbox refuses the place.
		if to := canonical(named); to != filepath.Clean(named) && len(places.LinksOn(named)) == 0 {
			s.Sandbox.Write[i] = to
			s.Sandbox.Read = append(slices.Clone(s.Sandbox.Read), named)
		}
	}
}

// servedWithin are the paths where commands may write that tools of servers are made of.
func (f *hostFlags) servedWithin(s *settings.Settings) (paths []string) {
	places := f.writable(s)
	for _, path := range f.served {
		if places.Hold(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// servedAround are the folders in which commands may write that lie in what is served, or are that: what
// is written there would be a tool, or a part of one. Then nothing writes in them.
func (f *hostFlags) servedAround(s *settings.Settings) (folders []string) {
	for _, folder := range f.written(s) {
		if folder = canonical(folder); slices.ContainsFunc(f.served, func(path string) bool { return liesIn(folder, canonical(path)) }) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// closeServed takes such folders out of those that settings let commands write, and returns them.
func (f *hostFlags) closeServed(s *settings.Settings) (closed []string) {
	around := f.servedAround(s)
	s.Sandbox.Write = slices.DeleteFunc(slices.Clone(s.Sandbox.Write), func(folder string) bool {
		is := slices.Contains(around, canonical(folder))
		if is {
			closed = append(closed, folder)
		}
		return is
	})
	return closed
}

// shut reports whether the workspace is such a folder.
func (f *hostFlags) shut(s *settings.Settings) bool {
	return slices.Contains(f.servedAround(s), f.realWorkspace())
}

// realWorkspace is the workspace, absolute and with links followed, as far as it exists.
func (f *hostFlags) realWorkspace() string { return canonical(f.workspaceDir()) }

// canonical is a path, absolute and with links followed, as far as it exists.
func canonical(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return sandbox.Lead(absolute)
}

// protectedOutside is what is protected for tools that start no command.
func (h *host) protectedOutside() protect.Paths {
	paths := h.protected
	paths.Further = nil
	return paths
}

// ceilingFrom says whose settings lower limits, to whoever reads it: a model reads what a server says.
func (f *hostFlags) ceilingFrom(s *settings.Settings) string {
	if f.config != "" {
		return f.config
	}
	if f.serves {
		return "the server's settings"
	}
	return cmp.Or(strings.Join(s.Files, " or "), "your settings")
}

// writable is where commands may write.
func (f *hostFlags) writable(s *settings.Settings) sandbox.Places {
	return sandbox.NewPlaces(f.written(s)...)
}

func (f *hostFlags) written(s *settings.Settings) []string {
	workspace, _ := filepath.Abs(f.workspaceDir()) // or it is found by no other name either
	return append(slices.Clone(s.Sandbox.Write), workspace)
}

// reached is a folder of the user's where the host writes; empty where a link on the way lies
// in what commands may write, or where they could make it before the host does: they could
// lead the host elsewhere.
func (f *hostFlags) reached(s *settings.Settings, folder string) string {
	places := f.writable(s)
	if len(places.LinksOn(folder)) > 0 || places.Hold(folder) && os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	return folder
}

// shellOf is the tool for commands in a folder; environment, unless empty, is its
// default.
func (h *host) shellOf(dir, environment string, protected protect.Paths) (*shell.Tool, error) {
	tool, err := h.settings.Shell(dir)
	if err != nil {
		return nil, err
	}
	tool.SpillDir, tool.Sandbox.Protected, tool.Sandbox.Homes = h.spill, protected, homesFolder().Path
	if environment == "" {
		return tool, nil
	}
	tool.Default = environment
	if err := tool.Validate(); err != nil {
		return nil, fmt.Errorf("--env: %w", err)
	}
	return tool, nil
}

// serverPrefix begins the names of tools of MCP servers, and of no others.
const serverPrefix = "mcp__"

// checkPolicy refuses a rule for a tool that does not exist. Tools of servers that are not
// started here may exist elsewhere, unless the name is nearly that of another tool.
func checkPolicy(s *settings.Settings, registry *hostapi.Registry) error {
	for _, rules := range s.Rules {
		for _, rule := range rules.List() {
			var unknown *hostapi.UnknownNameError
			if err := registry.CheckRule(rule); errors.As(err, &unknown) && (unknown.Nearest != "" || !strings.HasPrefix(rule.Tool, serverPrefix)) {
				return fmt.Errorf("%s: rule %q: %w", rule.From, rule, err)
			}
		}
	}
	return nil
}
