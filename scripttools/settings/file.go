package settings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = 192 << 10

// file is one parsed settings file. Keys that it lacks are zero. It never changes after
// parsing. [keys] has the meaning of each key.
type file struct {
	path   string         // as messages show it
	dir    string         // what its relative paths are relative to
	digest string         // SHA-256 of the bytes that were parsed, in hex
	policy *hostapi.Rules // its [policy]; nil if there is none

	DefaultEnvironment string             `toml:"default_environment"`
	MCPFiles           bool               `toml:"mcp_files"`
	Environments       []environmentTable `toml:"environments"`
	MCPServers         []serverTable      `toml:"mcp_servers"`
	Sandbox            struct {
		Profile   string        `toml:"profile"`
		Network   any           `toml:"network"` // see [networkRank]
		Private   []string      `toml:"private"`
		Read      []string      `toml:"read"`
		Write     []string      `toml:"write"`
		Unprotect []string      `toml:"unprotect"`
		Require   *bool         `toml:"require"`
		Limits    sandboxLimits `toml:"limits"`
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
	Serve struct {
		MaxResultBytes int    `toml:"maxResultBytes"`
		Instructions   string `toml:"instructions"`
	} `toml:"serve"`
	Limits struct {
		TimeoutMs      int64 `toml:"timeoutMs"`
		MaxToolCalls   int   `toml:"maxToolCalls"`
		MaxOutputBytes int64 `toml:"maxOutputBytes"`
		MaxResultBytes int64 `toml:"maxResultBytes"`
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

// sandboxLimits are the fields of sandbox.Limits, with their keys.
type sandboxLimits struct {
	MemoryBytes int64 `toml:"memoryBytes"`
	FileBytes   int64 `toml:"fileBytes"`
	Processes   int   `toml:"processes"`
	OpenFiles   int   `toml:"openFiles"`
}

// placedError says where in a settings file a mistake is.
type placedError struct {
	path      string
	line, col int // 0 if they are not known
	err       error
}

func (e *placedError) Error() string {
	if e.line == 0 {
		return fmt.Sprintf("%s: %v", e.path, e.err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.path, e.line, e.col, e.err)
}

func (e *placedError) Unwrap() error { return e.err }

// read reads a file once, and returns nil if there is none. A file with a mistake in it
// is refused as a whole.
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
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // as some editors begin a file
	seen, err := walk(path, text)                   // it stops where the text is not TOML
	if err == nil {
		err = toml.Unmarshal(text, f)
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, col := bad.Position()
		return nil, seen.mistake(seen.offset(line, col), errors.New(strings.TrimPrefix(bad.Error(), "toml: ")))
	}
	if err != nil {
		return nil, err
	}
	return f, f.check(seen)
}
