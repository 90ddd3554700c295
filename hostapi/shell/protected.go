package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// guards are the guards of workspaces that commands run in.
type guards struct {
	mu  sync.Mutex
	all map[string]*protect.Guard
}

// mostGuards bounds how many are kept. A guard that is made again knows less about what
// running commands have made.
const mostGuards = 64

// of is the guard of a workspace and its protected paths.
func (g *guards) of(workspace string, paths protect.Paths) *protect.Guard {
	key := strings.Join(slices.Concat([]string{workspace}, paths.Further, []string{""}, paths.Except, []string{""}, paths.Settings, []string{""}, paths.Homes, []string{"", paths.Trash, fmt.Sprint(paths.Elsewhere)}), "\x00")
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil || len(g.all) >= mostGuards && g.all[key] == nil {
		g.all = map[string]*protect.Guard{}
	}
	if g.all[key] == nil || g.all[key].Moved() {
		g.all[key] = protect.NewGuard(workspace, paths)
	}
	return g.all[key]
}

// guarded is the guard of a command, and the folders that it may write to. The guard is
// nil for a command that can write nothing, or that may write anything.
func (s *site) guarded(command Command) (*protect.Guard, protect.Folders) {
	confined := command.Sandbox.in(command.Context)
	if confined.off() || confined.Profile == ProfileReadOnly && len(confined.Write) == 0 {
		return nil, protect.Folders{}
	}
	return s.guards.of(confined.workspace, confined.protected(command.Context.granted().home)),
		protect.Folders{Cwd: command.Context.Cwd(), Further: confined.further, Git: confined.gitFolders}
}

// protected are the protected paths, with what the host's environment names, and the home that
// the operator gives to commands.
func (s Sandbox) protected(home string) protect.Paths {
	return s.Protected.InEnvironment(os.Environ(), append(slices.Clone(s.Write), s.workspace)...).InEnvironment([]string{"HOME=" + home})
}

// heldSettings are the settings in force, and the trash, where they lie in places that
// commands may write to. pins are the folders on the way to them.
func (s Sandbox) heldSettings() (held, pins []string) {
	places := s.Write
	if s.Profile != ProfileReadOnly {
		places = append(slices.Clone(places), s.workspace)
	}
	for _, path := range append(slices.Clone(s.Protected.Settings), s.Protected.Trash) {
		if s.Profile == ProfileReadOnly { // no guard checks a link then, so its folder is held read-only
			for _, link := range sandbox.NewPlaces(places...).LinksOn(path) {
				held = append(held, filepath.Dir(link))
			}
		}
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue // it is not there
		}
		for _, place := range places {
			switch place = resolvedOr(place); {
			case beneath(path, place):
				held = append(held, path)
				for dir := range upward.Within(place, filepath.Dir(path)) {
					if dir == place {
						break
					}
					pins = append(pins, dir)
				}
			case beneath(place, path):
				held = append(held, place)
			}
		}
	}
	slices.Sort(held)
	return slices.Compact(held), pins
}

// ofSettings reports whether a path belongs to the settings in force.
func (s Sandbox) ofSettings(path string) bool {
	return s.Protected.OfSettings(path) || slices.ContainsFunc(s.Protected.Settings, func(at string) bool { return beneath(path, resolvedOr(at)) })
}

// in is the sandbox with its workspace set.
func (s Sandbox) in(where ExecContext) Sandbox {
	if s.workspace == "" {
		s.workspace = where.Cwd()
	}
	return s
}

// furtherFolders are the folders outside the workspace that commands may write to, links
// followed.
func furtherFolders(workspace string, write []string) (folders []string) {
	for _, path := range write {
		if dir, err := realDir(path); err == nil && !beneath(dir, workspace) {
			folders = append(folders, dir)
		}
	}
	return folders
}
