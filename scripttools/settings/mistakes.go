package settings

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/scriptrun/scriptrun/hostapi"
)

// mistaken is what the decoder says of a value of another type than the key's.
// It has no type for that.
var mistaken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^toml: line (\d+) \(last key "(.*)"\): incompatible types: TOML value has type \S+; destination has type (\w+)$`)
})

// expectedType is a type of the decoder as people call it, with an example;
// empty for one that no key has.
func expectedType(name string) string {
	return map[string]string{
		"slice":   `a list: ["…"]`,
		"string":  `text: "…"`,
		"boolean": "true or false",
		"integer": "a whole number: 5000",
		"map":     `a table: {NAME = "…"}`,
	}[name]
}

// notDecoded is a text that is not TOML, or has a value of another type than
// its key's.
func notDecoded(path, text string, err error) *placedError {
	bad := &placedError{path: path, err: err}
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		bad.line, bad.col, bad.err = syntax.Position.Line, syntax.Position.Col, errors.New(syntax.Message)
		return bad
	}
	found := mistaken().FindStringSubmatch(err.Error())
	if found == nil || expectedType(found[3]) == "" {
		return bad
	}
	bad.line, _ = strconv.Atoi(found[1]) // it is digits
	expected := expectedType(found[3])
	lines := strings.Split(text, "\n")
	if bad.line >= 1 && bad.line <= len(lines) {
		_, value, _ := strings.Cut(lines[bad.line-1], "=")
		value = strings.TrimSpace(value)
		if given, err := strconv.Unquote(value); err == nil && found[3] == "slice" {
			expected = fmt.Sprintf("a list: [%q]", given)
		} else if _, err := strconv.ParseFloat(value, 64); err == nil && found[3] == "string" {
			expected = fmt.Sprintf("text: %q", value)
		}
	}
	bad.err = fmt.Errorf("%s: expected %s", found[2], expected)
	return bad
}

// unknownKey says what is there instead: the nearest key, or else all of them.
func unknownKey(key toml.Key) error {
	if near := hostapi.Nearest(key.String(), append(knownKeys(), knownTables()...)); near != "" {
		return fmt.Errorf("unknown key %s; did you mean %s?", key, near)
	}
	return fmt.Errorf("unknown key %s; there are %s", key, strings.Join(knownKeys(), ", "))
}

// knownTables are the tables of the known keys.
func knownTables() (tables []string) {
	for _, key := range knownKeys() {
		if dot := strings.LastIndexByte(key, '.'); dot >= 0 {
			tables = append(tables, key[:dot])
		}
	}
	return tables
}

// checkHosts refuses addresses where hosts are expected.
func (f *file) checkHosts(text string) error {
	for key, hosts := range map[string][]string{"hosts": f.Fetch.Hosts, "private": f.Fetch.Private} {
		for _, host := range hosts {
			if u, err := url.Parse(host); err == nil && strings.Contains(host, "://") {
				return &placedError{path: f.path, line: lineOfKey(text, toml.Key{"fetch", key}), err: fmt.Errorf("fetch.%s holds a URL; expected a host: %q", key, u.Host)}
			}
		}
	}
	return nil
}
