package scripttools

import (
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// stem is the name of a file without folder and extension: a tool's name
// unless its header gives one.
func stem(file string) string {
	base := path.Base(filepath.ToSlash(file))
	return strings.TrimSuffix(base, path.Ext(base))
}

// name is the tool's name and the place to blame for it; "" if it has none
// that can be used.
func (r *fieldReader) name(registry *hostapi.Registry) (string, place) {
	const grammar = "a name holds letters, digits, _ and - only, 1 to 64 of them"
	name, at := stem(r.file.path), r.header.opening
	if f, ok := r.header.root.field("name"); ok {
		n := r.value("name", kindText)
		if n == nil {
			return "", at
		}
		name, at = n.text, f.value.at
		if !hostapi.ValidName(name) {
			r.fail(at, "", "the name %s cannot be used: %s", quote(name), grammar)
			return "", at
		}
	} else if !hostapi.ValidName(name) {
		r.fail(at, "add name: … to the header", "the name of the file, %s, cannot be the name of the tool: %s", quote(name), grammar)
		return "", at
	}
	var unknown *hostapi.UnknownNameError
	switch err := registry.CheckRule(hostapi.Rule{Tool: name}); {
	case errors.As(err, &unknown):
	case err == nil:
		r.fail(at, "give the tool another name", "the name %s is taken by a host tool", quote(name))
		return "", at
	default:
		r.fail(at, "give the tool another name", "the name %s is reserved", quote(name))
		return "", at
	}
	return name, at
}
