package lower

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// manifest is what a package.json says about the files of a package.
type manifest struct {
	folder string // where it lies, such as node_modules/zod

	name, main, module string
	kind               string          // its "type"
	exports, imports   *choice         // nil if it has none
	instead            string          // its "browser", if that is one file
	replaced           map[string]any  // its "browser", if that is a table: another file, or false for none
	pure               json.RawMessage // its "sideEffects"
	needs              map[string]any  // its "dependencies"
}

// readManifest reads a package.json. Fields of a wrong type count as missing, as in Node.
func readManifest(folder, text string) (*manifest, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, errors.New("its package.json is no JSON object: " + err.Error())
	}
	m := &manifest{folder: folder, pure: fields["sideEffects"]}
	for name, to := range map[string]*string{"name": &m.name, "main": &m.main, "module": &m.module, "type": &m.kind, "browser": &m.instead} {
		_ = json.Unmarshal(fields[name], to)
	}
	_ = json.Unmarshal(fields["browser"], &m.replaced)
	_ = json.Unmarshal(fields["dependencies"], &m.needs)
	for name, to := range map[string]**choice{"exports": &m.exports, "imports": &m.imports} {
		raw := fields[name]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		c, err := readChoice(json.NewDecoder(bytes.NewReader(raw)))
		if err != nil {
			return nil, errors.New("its package.json has no valid " + name + ": " + err.Error())
		}
		*to = &c
	}
	return m, nil
}

// start is the file that a package without exports begins with, as its package.json has it.
func (m *manifest) start(required bool) string {
	order := []string{m.module, m.instead, m.main}
	if required {
		order = []string{m.instead, m.main}
	}
	for _, file := range order {
		if file != "" {
			return file
		}
	}
	return "index"
}

// replacement is what a package has where there is no Node, for a file of its own, such as
// ./lib/node.js, or for another module. Its second result is false if that is nothing.
func (m *manifest) replacement(wanted string) (instead string, there, found bool) {
	names := []string{wanted}
	if strings.HasPrefix(wanted, "./") {
		names = append(names, strings.TrimSuffix(wanted, ".js"), strings.TrimSuffix(wanted, "/index.js"), strings.TrimPrefix(wanted, "./"))
	}
	for _, name := range names {
		switch to := m.replaced[name].(type) {
		case string:
			return to, true, to != wanted
		case bool:
			return "", false, !to
		}
	}
	return "", false, false
}

// hasEffects reports whether a file does something when it runs although nothing of it is used.
// A package says that of its files; what is not understood counts as yes.
func (m *manifest) hasEffects(file string) bool {
	var none bool
	if json.Unmarshal(m.pure, &none) == nil {
		return none || len(m.pure) == 0 || string(m.pure) == "null"
	}
	var patterns []string
	if json.Unmarshal(m.pure, &patterns) != nil {
		return true
	}
	within := strings.TrimPrefix(file, m.folder+"/")
	for _, pattern := range patterns {
		pattern = strings.TrimPrefix(pattern, "./")
		if !strings.Contains(pattern, "/") {
			pattern = "**/" + pattern
		}
		if matched, err := doublestar.Match(pattern, within); matched || err != nil {
			return true
		}
	}
	return false
}
