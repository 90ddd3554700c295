package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// maxSettings bounds a file of settings.
const maxSettings = 192 << 10

// file is what one file of settings says. What it leaves out is nil or
// empty. It is not changed once it is parsed.
type file struct {
	path   string         // as messages show it
	dir    string         // what its relative paths are relative to
	digest string         // SHA-256 of the bytes that were parsed, in hex
	tree   map[string]any // the same, by its keys
	policy *hostapi.Rules // its [policy]; nil if there is none

	DefaultEnvironment string             `toml:"default_environment"`
	MCPFiles           bool               `toml:"mcp_files"`
	Environments       []environmentTable `toml:"environments"`
	MCPServers         []serverTable      `toml:"mcp_servers"`
	Sandbox            struct {
		Profile string          `toml:"profile"`
		Network *networkSetting `toml:"network"`
		Private []string        `toml:"private"`
		Read    []string        `toml:"read"`
		Write   []string        `toml:"write"`
		Require *bool           `toml:"require"`
		Limits  struct {
			MemoryBytes int64 `toml:"memoryBytes"`
			Processes   int   `toml:"processes"`
			OpenFiles   int   `toml:"openFiles"`
			FileBytes   int64 `toml:"fileBytes"`
		} `toml:"limits"`
		// Unprotect are names of package protect's table.
		Unprotect []string `toml:"unprotect"`
	} `toml:"sandbox"`
	Fetch struct {
		Hosts   []string `toml:"hosts"`
		Private []string `toml:"private"`
	} `toml:"fetch"`
	Policy struct {
		Deny  []string `toml:"deny"`
		Ask   []string `toml:"ask"`
		Allow []string `toml:"allow"`
	} `toml:"policy"`
	Audit struct {
		File    string `toml:"file"`
		Require bool   `toml:"require"`
	} `toml:"audit"`
	Limits struct {
		TimeoutMs      int64 `toml:"timeoutMs"`
		MaxToolCalls   int   `toml:"maxToolCalls"`
		MaxOutputBytes int64 `toml:"maxOutputBytes"`
		MaxMemoryBytes int64 `toml:"maxMemoryBytes"`
	} `toml:"limits"`
}

// environmentTable is an [[environments]] table.
type environmentTable struct {
	Name    string            `toml:"name"`
	Cwd     string            `toml:"cwd"`
	Env     map[string]string `toml:"env"`
	Trusted bool              `toml:"trusted"`
}

// placedError is a file of settings that cannot be used.
type placedError struct {
	path      string
	line, col int // 0 if they are not known
	err       error
}

func (e *placedError) Error() string {
	place := e.path
	if e.line > 0 {
		place = fmt.Sprintf("%s:%d", e.path, e.line)
		if e.col > 0 {
			place = fmt.Sprintf("%s:%d", place, e.col)
		}
	}
	return place + ": " + e.err.Error()
}

func (e *placedError) Unwrap() error { return e.err }

// read reads a file once: what it returns is of those bytes, and no
// others are looked at again. It is nil where there is no such file. Nothing is
// taken from a file with a mistake in it.
func read(path string) (*file, error) {
	text, err := regular.Read(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return parse(path, text)
}

// parse reads the text of a file. The error is a *[placedError].
func parse(path string, text []byte) (*file, error) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, &placedError{path: path, err: err}
	}
	sum := sha256.Sum256(text)
	f := &file{path: path, dir: dir, digest: hex.EncodeToString(sum[:])}
	about, err := toml.Decode(string(text), f)
	if err == nil {
		_, err = toml.Decode(string(text), &f.tree)
	}
	if err != nil {
		return nil, notDecoded(path, string(text), err)
	}
	for _, key := range about.Keys() { // the decoder takes them in any case
		if !knownKey(key) {
			return nil, &placedError{path: path, line: lineOfKey(string(text), key), err: unknownKey(key)}
		}
	}
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"timeoutMs", f.Limits.TimeoutMs},
		{"maxToolCalls", int64(f.Limits.MaxToolCalls)},
		{"maxOutputBytes", f.Limits.MaxOutputBytes},
		{"maxMemoryBytes", f.Limits.MaxMemoryBytes},
	} {
		if limit.value <= 0 && about.IsDefined("limits", limit.key) {
			return nil, &placedError{path: path, line: lineOfKey(string(text), toml.Key{"limits", limit.key}), err: fmt.Errorf("limits.%s is %d; expected more than zero", limit.key, limit.value)}
		}
	}
	if f.Audit.File == "" && about.IsDefined("audit") {
		return nil, &placedError{path: path, line: lineOfKey(string(text), toml.Key{"audit"}), err: errors.New("audit.file is missing; name the file that the log goes to")}
	}
	if err := f.checkSandboxLimits(about, string(text)); err != nil {
		return nil, err
	}
	if most := runtime.MaxLimits().Timeout.Milliseconds(); f.Limits.TimeoutMs > most { // beyond it, it might pass for less
		return nil, &placedError{path: path, line: lineOfKey(string(text), toml.Key{"limits", "timeoutMs"}), err: &runtime.LimitError{
			Field: "limits.timeoutMs", Value: f.Limits.TimeoutMs, Min: runtime.MinLimits().Timeout.Milliseconds(), Max: most,
		}}
	}
	if err := (&shell.Tool{Sandbox: shell.Sandbox{Profile: shell.Profile(f.Sandbox.Profile)}}).Validate(); err != nil {
		return nil, &placedError{path: path, line: lineOfKey(string(text), toml.Key{"sandbox", "profile"}), err: err}
	}
	if f.policy, err = f.policyRules(about, string(text)); err != nil {
		return nil, err
	}
	if err := f.checkNetwork(string(text)); err != nil {
		return nil, err
	}
	if err := f.checkHosts(string(text)); err != nil {
		return nil, err
	}
	return f, f.checkServers()
}

// lineOfKey finds the line that a key is on, by its last word; 0 if it is not
// found. The decoder does not tell.
func lineOfKey(text string, key toml.Key) int {
	last := key[len(key)-1]
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimLeft(line, " \t[\"'")
		if rest, ok := strings.CutPrefix(line, last); ok && strings.IndexAny(rest+"=", " \t=]\"'.") == 0 {
			return i + 1
		}
	}
	return 0
}
