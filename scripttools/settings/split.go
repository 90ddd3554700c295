package settings

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// split divides a project's file. narrow has the keys that cannot widen. trusted has
// all that is in force once the file is trusted, and grants are the difference, in the
// order of the keys. Keys that are not in the table are in neither.
func (f *file) split(operator *file) (narrow, trusted *file, grants []Grant) {
	s := splitter{operator: operator}
	empty := file{path: f.path, dir: f.dir, digest: f.digest, policy: f.policy}
	n, t := empty, empty
	s.table("", "", reflect.ValueOf(f).Elem(), reflect.ValueOf(&n).Elem(), reflect.ValueOf(&t).Elem())
	return &n, &t, s.grants
}

type splitter struct {
	operator *file
	grants   []Grant
}

// table splits one table, whose keys begin with prefix. called is the table's own name,
// if it has one.
func (s *splitter) table(prefix, called string, from, narrow, trusted reflect.Value) {
	for _, field := range fieldsOf(from.Type()) {
		tag := tagOf(field)
		v, n, t := from.FieldByIndex(field.Index), narrow.FieldByIndex(field.Index), trusted.FieldByIndex(field.Index)
		switch {
		case v.IsZero():
		case tableOf(field.Type) == nil:
			s.key(tag, prefix+tag, called, v, n, t)
		case v.Kind() == reflect.Slice:
			s.tables(tag, v, n, t)
		default:
			s.table(prefix+tag+".", called, v, n, t)
		}
	}
}

// tables splits a list of tables. A table with no key left is left out.
func (s *splitter) tables(key string, from, narrow, trusted reflect.Value) {
	for i := range from.Len() {
		called := fmt.Sprintf("%s %d", key, i+1)
		if name := from.Index(i).FieldByName("Name").String(); name != "" {
			called = key + " " + render(name)
		}
		n, t := reflect.New(from.Type().Elem()).Elem(), reflect.New(from.Type().Elem()).Elem()
		s.table(key+".", called, from.Index(i), n, t)
		if !n.IsZero() {
			narrow.Set(reflect.Append(narrow, n))
		}
		if !t.IsZero() {
			trusted.Set(reflect.Append(trusted, t))
		}
	}
}

// key puts one key into narrow, trusted and the grants, as its verdict says.
func (s *splitter) key(tag, name, called string, v, narrow, trusted reflect.Value) {
	k := keyOf(name)
	if k.verdict != operators {
		trusted.Set(v)
	}
	if k.verdict == holds || isEmpty(v) || !k.gives(v.Interface(), s.operator) {
		narrow.Set(v)
		return
	}
	if called == "" {
		called = name
	}
	line := fmt.Sprintf("%s = %s: %s", tag, render(v.Interface()), k.does)
	if last := len(s.grants) - 1; last >= 0 && s.grants[last].Name == called {
		s.grants[last].Lines = append(s.grants[last].Lines, line)
		return
	}
	s.grants = append(s.grants, Grant{Name: called, Lines: []string{line}, Never: k.never()})
}

// isEmpty reports whether a list or a table of names is empty and so gives nothing. An
// empty list of hosts is still a network.
func isEmpty(v reflect.Value) bool {
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}

// render shows a value of a file in one line. It quotes text, so that nothing in it can
// look like something else or move a cursor.
func render(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case []string:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = strconv.Quote(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = render(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]string:
		var items []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, strconv.Quote(key)+" = "+strconv.Quote(v[key]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case *bool:
		return strconv.FormatBool(*v)
	}
	return fmt.Sprint(value)
}
