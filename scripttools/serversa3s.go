package scripttools

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// A3S writes a server in words of its own, which are taken as well: what reaches it stands
// below transport, enabled: false leaves it out, and ${env:NAME} is a variable of the host's.

// transport is where command, args, url and headers stand.
func (r *fieldReader) transport() *fieldReader {
	f, ok := r.header.root.field("transport")
	if !ok {
		return r
	}
	kinds := []string{"stdio", "http", "streamable-http"}
	kind, way := f.value, r
	if f.value.kind == kindMap {
		way = &fieldReader{file: r.file, header: &header{tree: tree{root: f.value}, opening: r.header.opening}}
		way.unknown(f.value, []string{"type", "command", "args", "url", "headers"}, "the keys of transport")
		kind = way.value("type", kindText)
		for _, key := range []string{"command", "args", "url", "headers"} {
			if twice, ok := r.header.root.field(key); ok {
				r.fail(twice.value.at, "keep the one below transport", "%s stands below transport already, or belongs there", key)
			}
		}
	}
	if kind != nil && !slices.Contains(kinds, kind.text) {
		r.fail(kind.at, "write "+strings.Join(kinds, ", or "), "unknown transport %s", quote(kind.text))
	}
	return way
}

// disabled reports whether the file says that its server is not to be started.
func (r *fieldReader) disabled() bool {
	n := r.value("enabled", kindBool)
	return n != nil && n.text == "false"
}

// references passes the variables that env and headers refer to.
func (r *fieldReader) references(s *ServerSpec) {
	const bearer = "Bearer "
	for _, key := range slices.Sorted(maps.Keys(s.Env)) {
		switch name, ok := environmentName(s.Env[key]); {
		case !ok && strings.Contains(s.Env[key], reference):
			r.fail(r.header.opening, "pass the variable on whole, by its own name, with pass_env", "env.%s: a variable of the host's cannot be a part of a value", key)
		case !ok:
		case name == key:
			s.PassEnv = append(s.PassEnv, name)
			delete(s.Env, key)
		default:
			r.fail(r.header.opening, "pass a variable on by its own name, with pass_env", "env.%s: a variable of the host's gets no other name than %s", key, quote(name))
		}
	}
	for _, v := range [][2]string{{"command", s.Command}, {"args", strings.Join(s.Args, " ")}, {"url", s.URL}, {"cwd", s.Cwd}} {
		if strings.Contains(v[1], reference) {
			r.fail(r.header.opening, "write the value itself, or pass the variable to the server with pass_env", "%s: a variable of the host's has no place here", v[0])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Headers)) {
		token, isBearer := strings.CutPrefix(s.Headers[key], bearer)
		name, ok := environmentName(token)
		switch {
		case ok && isBearer && strings.EqualFold(key, "Authorization"):
			s.BearerEnv = name
			delete(s.Headers, key)
		case strings.Contains(s.Headers[key], reference):
			r.fail(r.header.opening, "name the variable with the token in bearer_env", "headers.%s: a variable of the host's can be sent as %q alone", key, "Authorization: Bearer")
		}
	}
}

// reference begins a reference to a variable of the host's.
const reference = "${env:"

// environmentName is the variable that a value consists of, as ${env:NAME}.
func environmentName(value string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(value, reference)
	name, whole := strings.CutSuffix(rest, "}")
	return name, ok && whole && name != "" && !strings.ContainsAny(name, "${}")
}

// duration reads a number of units; zero for none.
func (r *fieldReader) duration(key string, unit time.Duration, most int64) time.Duration {
	n := r.value(key, kindNumber)
	if n == nil {
		return 0
	}
	number, ok := wholeNumber(n.text)
	if !ok || number < 1 || number > most {
		r.fail(n.at, "", "%s is %s; it must be a whole number in the range 1 to %d", key, n.text, most)
		return 0
	}
	return time.Duration(number) * unit
}
