package settings

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// split divides what a project's file says. narrow is what holds anyway: the
// keys that cannot widen. trusted is all that holds once the file is trusted,
// and grants are the difference, in the order of the keys.
func (f *file) split(operator *file) (narrow, trusted *file, grants []Grant, err error) {
	s := splitter{operator: operator, narrow: map[string]any{}, trusted: map[string]any{}}
	for _, key := range slices.Sorted(maps.Keys(f.tree)) {
		switch value := f.tree[key].(type) {
		case map[string]any:
			s.narrow[key], s.trusted[key] = s.table(key, key, value)
		case []map[string]any:
			s.tables(key, value)
		default:
			if tables, ok := asTables(value); ok {
				s.tables(key, tables)
				continue
			}
			s.key(s.narrow, s.trusted, key, key, key, value)
		}
	}
	if narrow, err = f.with(s.narrow); err == nil {
		trusted, err = f.with(s.trusted)
	}
	return narrow, trusted, s.grants, err
}

type splitter struct {
	operator        *file
	narrow, trusted map[string]any
	grants          []Grant
}

// key puts one key where it belongs. path is its name in the table of rules,
// and name what it is called here.
func (s *splitter) key(narrow, trusted map[string]any, key, path, name string, value any) {
	rule := ruleOf(path)
	if !rule.operatorOnly {
		trusted[key] = value
	}
	if !rule.widens(value, s.operator) {
		narrow[key] = value
		return
	}
	line := fmt.Sprintf("%s = %s: %s", key, render(value), rule.does)
	if last := len(s.grants) - 1; last >= 0 && s.grants[last].Name == name {
		s.grants[last].Lines = append(s.grants[last].Lines, line)
		return
	}
	s.grants = append(s.grants, Grant{Name: name, Lines: []string{line}, Never: rule.never()})
}

// table splits one table.
func (s *splitter) table(path, name string, table map[string]any) (narrow, trusted map[string]any) {
	narrow, trusted = map[string]any{}, map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		of := name // a table with a name is shown as one
		if of == path {
			of = path + "." + key
		}
		if inner, ok := table[key].(map[string]any); ok && isTable(path+"."+key) {
			narrow[key], trusted[key] = s.table(path+"."+key, of, inner)
			continue
		}
		s.key(narrow, trusted, key, path+"."+key, of, table[key])
	}
	return narrow, trusted
}

// isTable reports whether a name is that of a table whose keys have rules.
func isTable(name string) bool {
	return slices.ContainsFunc(keyRules, func(r keyRule) bool { return strings.HasPrefix(r.key, name+".") })
}

// tables splits an array of tables. One of which nothing is left is left out.
func (s *splitter) tables(key string, all []map[string]any) {
	var narrow, trusted []map[string]any
	for i, table := range all {
		name := fmt.Sprintf("%s %d", key, i+1)
		if text, ok := table["name"].(string); ok {
			name = key + " " + render(text)
		}
		n, t := s.table(key, name, table)
		if len(n) > 0 {
			narrow = append(narrow, n)
		}
		if len(t) > 0 {
			trusted = append(trusted, t)
		}
	}
	s.narrow[key], s.trusted[key] = narrow, trusted
}

// asTables is an array of inline tables.
func asTables(value any) ([]map[string]any, bool) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	var tables []map[string]any
	for _, item := range list {
		table, ok := item.(map[string]any)
		if !ok {
			return nil, false
		}
		tables = append(tables, table)
	}
	return tables, true
}

// with is the file with these keys and no others.
func (f *file) with(tree map[string]any) (*file, error) {
	var text bytes.Buffer
	out := &file{path: f.path, dir: f.dir, digest: f.digest, tree: tree, policy: f.policy}
	if err := toml.NewEncoder(&text).Encode(tree); err != nil {
		return nil, &placedError{path: f.path, err: err}
	}
	if _, err := toml.Decode(text.String(), out); err != nil {
		return nil, &placedError{path: f.path, err: err}
	}
	return out, nil
}

// render shows a value of a file in one line. Text is quoted, so that nothing
// in it can pass for something else, or move a cursor.
func render(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = render(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		var items []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, strconv.Quote(key)+" = "+render(v[key]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return fmt.Sprint(value)
}
