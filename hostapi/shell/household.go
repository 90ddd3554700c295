package shell

import (
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/toolchains"
)

// household is what the commands of a workspace have outside it.
type household struct {
	home       string   // their home folder, in place of the user's; empty for none
	kept       error    // why the home folder is not kept; nil if it is
	toolchains []string // folders and files that they may read
	env        map[string]string
}

// offline makes programs that download fail at once without a network. pip needs one
// retry to say why.
var offline = map[string]string{
	"GOPROXY": "off", "GOTOOLCHAIN": "local",
	"npm_config_offline": "true", "npm_config_update_notifier": "false",
	"PIP_RETRIES": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
	"CARGO_NET_OFFLINE": "true", "RUSTUP_AUTO_INSTALL": "0", "UV_OFFLINE": "1",
}

// listed keeps programs, where there is a list of hosts, from asking for updates of
// themselves, and from retrying hosts that are not listed.
var listed = map[string]string{
	"npm_config_update_notifier": "false", "npm_config_fetch_retries": "1",
	"PIP_RETRIES": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CARGO_NET_RETRY": "1", "RUSTUP_AUTO_INSTALL": "0",
}

// households are those of one tool, by workspace.
type households struct {
	making sync.Mutex // one at a time
	mu     sync.Mutex
	all    map[string]kept
}

type kept struct {
	*household
	made time.Time
}

// Households expire: somebody may install a toolchain, or change their name.
const (
	householdAge   = time.Minute
	mostHouseholds = 64
)

// get is one that was made lately and has its home still; nil for none. Commands do not wait for one
// another while it looks.
func (h *households) get(key string) *household {
	h.mu.Lock()
	k, ok := h.all[key]
	h.mu.Unlock()
	if !ok || time.Since(k.made) >= householdAge {
		return nil
	}
	if _, _, err := homes.Find(k.home); err != nil {
		return nil
	}
	return k.household
}

func (h *households) put(key string, made *household) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil || len(h.all) >= mostHouseholds {
		h.all = map[string]kept{}
	}
	h.all[key] = kept{household: made, made: time.Now()}
}

// onThisMachine is the backend of this machine; nil if commands run elsewhere.
func (t *Tool) onThisMachine() *Local {
	switch backend := t.Backend.(type) {
	case nil:
		return &t.local
	case *Local:
		return backend
	}
	return nil
}

// household is that of a workspace, for an operator with these grants. It is empty if
// the sandbox is off, or if commands run elsewhere.
func (t *Tool) household(workspace string, granted grants) (*household, error) {
	local := t.onThisMachine()
	if t.Sandbox.off() || local == nil || t.prepare != nil {
		return &household{}, nil
	}
	key := workspace + "\x00" + granted.path + "\x00" + granted.home
	if h := t.households.get(key); h != nil {
		return h, nil
	}
	t.households.making.Lock()
	defer t.households.making.Unlock()
	if h := t.households.get(key); h != nil {
		return h, nil
	}
	h, err := t.newHousehold(local, workspace, granted)
	if err != nil {
		return nil, err
	}
	t.households.put(key, h)
	return h, nil
}

func (t *Tool) newHousehold(local *Local, workspace string, granted grants) (h *household, err error) {
	h = &household{env: map[string]string{}}
	if h.home, h.kept = t.keptHome(workspace); h.home == "" {
		scratch, err := local.scratch()
		if err != nil {
			return nil, err
		}
		if h.home, err = homesIn(scratch).For(workspace); err != nil {
			return nil, err
		}
	}
	if err := homes.Introduce(h.home, homes.IdentityOf(granted.home)); err != nil && h.kept == nil {
		h.kept = err // commands run, but git commit lacks an author
	}
	writable := sandbox.NewPlaces(append([]string{workspace, h.home, t.Sandbox.Homes}, t.Sandbox.Write...)...)
	for _, found := range toolchains.Find(granted.path, granted.home, writable) {
		h.toolchains = append(h.toolchains, found.Read...)
		maps.Copy(h.env, found.Env)
		if found.Name == "pyenv" && !writable.Hold(filepath.Join(found.Root, "shims")) {
			if hooks, err := homes.SkipRehash(h.home); err == nil { // else pip reports that it could not rehash
				h.env["PYENV_HOOK_PATH"] = hooks
			}
		}
	}
	if t.Sandbox.Network == "" || t.Sandbox.Network == sandbox.NetworkNone || t.Sandbox.Network == sandbox.NetworkLoopback {
		maps.Copy(h.env, offline)
	}
	if t.Sandbox.Network == sandbox.NetworkProxied {
		maps.Copy(h.env, listed)
	}
	h.env["HOME"] = h.home
	return h, nil
}

// homesIn are homes that are not kept, in the folder for temporary files.
func homesIn(scratch string) homes.Folder { return homes.Folder{Path: filepath.Join(scratch, "homes")} }

// keptHome is the home folder that is kept for a workspace; empty for none. Read-only
// commands could not write to it. It fails where commands may write to a folder around
// it, since they could replace it.
func (t *Tool) keptHome(workspace string) (home string, err error) {
	if t.Sandbox.Homes == "" || t.Sandbox.Profile == ProfileReadOnly {
		return "", nil
	}
	places := append([]string{workspace}, t.Sandbox.Write...)
	for _, place := range places {
		if links := sandbox.NewPlaces(place).LinksOn(t.Sandbox.Homes); len(links) > 0 {
			return "", &homeInReachError{folder: links[0], place: place}
		}
	}
	if err := os.MkdirAll(t.Sandbox.Homes, 0o700); err != nil {
		return "", err
	}
	folder, err := realDir(t.Sandbox.Homes)
	if err != nil {
		return "", err
	}
	for _, place := range places {
		if resolved, err := realDir(place); err == nil && beneath(folder, resolved) {
			return "", &homeInReachError{folder: folder, place: place}
		}
	}
	return homes.Folder{Path: folder}.For(workspace)
}

// homeInReachError is a folder for homes that commands may write to.
type homeInReachError struct{ folder, place string }

// Error implements error.
func (e *homeInReachError) Error() string {
	return "homes are kept in " + e.folder + ", and commands may write in " + e.place + ", which holds it"
}

// measure says what HOME is for commands.
func (h *household) measure() hostapi.Measure {
	m := hostapi.Measure{Name: "home", By: "a folder of the workspace's own, " + h.home}
	if h.kept != nil {
		m.By = "a temporary folder"
		m.Gap, m.Fix = "caches are not kept: "+h.kept.Error(), "work in a folder of its own, and let scriptrun write to the folder for caches (XDG_CACHE_HOME)"
	}
	return m
}
