package scripttools

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ServerSpec is what a file of kind: mcp declares: a Model Context Protocol
// server whose tools scripts may be allowed to call.
type ServerSpec struct {
	// Name stands in the names of the tools, mcp__NAME__tool; by default that of
	// the file.
	Name string
	// Description is for people; it may be empty.
	Description string
	// Command and Args start the server, in Cwd; or URL says where it is.
	Command string
	Args    []string
	Cwd     string
	URL     string
	// Env are variables for the program, and PassEnv names those of the host's
	// that it gets. BearerEnv names the variable with the token for URL, and
	// Headers are sent with each request.
	Env       map[string]string
	PassEnv   []string
	BearerEnv string
	Headers   map[string]string
	// Tools are those that are wanted; empty means all.
	Tools []string
	// Timeout bounds each call; 0 is the default.
	Timeout time.Duration
	// Path is the file.
	Path string
	// Digest is the SHA-256 of the file's bytes that were read, in hex.
	Digest string
	// Err is what is wrong with the file, a *[LoadError] with every problem of
	// it; nil for a sound file. Of the rest only Name and Path can be relied on
	// then.
	Err error
}

// serverKeys are those of a header of kind: mcp.
var serverKeys = []string{
	"kind", "name", "description", "command", "args", "cwd", "url", "env", "pass_env", "bearer_env", "headers", "tools", "timeoutMs",
	"transport", "enabled", "tool_timeout_secs",
}

// LoadServers reads the files of a directory that are of kind: mcp, and no
// others: their servers must be there before scripts can be checked. A path
// that is a file is read as the only one. Nothing is started. What is wrong with
// one file stands in its Err, and keeps nobody from the others; the error is a
// *[LoadError] of a path that cannot be read.
func LoadServers(dir Dir) ([]*ServerSpec, error) {
	l := &loader{serversOnly: true, mention: kindMCP}
	if info, err := os.Stat(dir.Path); err == nil && !info.IsDir() {
		if p := l.only(dir.Path); p != nil {
			return nil, loadError([]Problem{*p})
		}
		return l.servers, loadError(l.problems)
	}
	// No program is looked at, which is what could take long.
	if p := l.dir(dir); p != nil {
		return nil, loadError([]Problem{*p})
	}
	return l.servers, nil
}

// serverOnly takes a file if it declares a server.
func (l *loader) serverOnly(h *header, r *fieldReader) {
	if h == nil || h.root == nil {
		return
	}
	if f, ok := h.root.field("kind"); ok && f.value.kind == kindText && f.value.text == kindMCP {
		s := r.server()
		problems := r.problems
		for _, flaw := range h.flaws {
			problems = append(problems, r.file.problem(flaw.at, flaw.hint, "%s", flaw.msg))
		}
		s.Err = loadError(problems)
		if !r.disabled() {
			l.servers = append(l.servers, s)
		}
	}
}

// server reads the fields of a header whose kind is mcp.
func (r *fieldReader) server() *ServerSpec {
	r.unknown(r.header.root, serverKeys, "the keys of kind: mcp")
	way := r.transport()
	s := &ServerSpec{
		Name: r.plainText("name"), Description: strings.TrimSpace(r.plainText("description")),
		Command: way.plainText("command"), Args: way.texts("args"), Cwd: r.plainText("cwd"), URL: way.plainText("url"),
		Env: r.textMap("env"), PassEnv: r.texts("pass_env"), BearerEnv: r.plainText("bearer_env"), Headers: way.textMap("headers"),
		Tools: r.texts("tools"), Path: r.file.path, Digest: digest(r.file),
	}
	if way != r {
		r.problems = append(r.problems, way.problems...)
	}
	r.references(s)
	if s.Name == "" {
		base := filepath.Base(r.file.path)
		s.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	s.Timeout = r.duration("timeoutMs", time.Millisecond, 3_600_000) + r.duration("tool_timeout_secs", time.Second, 3600)
	switch {
	case s.Command != "" && s.URL != "":
		r.fail(r.header.opening, "a command starts a server, a url reaches one", "command and url are both there; give one")
	case s.Command == "" && s.URL == "" && len(r.problems) == 0: // else one of them may be what is wrong
		r.fail(r.header.opening, "add command: and args:, or url:", "kind: mcp needs either a command, to start a server, or a url, to reach one")
	}
	return s
}

func (r *fieldReader) plainText(key string) string {
	if n := r.value(key, kindText); n != nil {
		return n.text
	}
	return ""
}

func (r *fieldReader) texts(key string) (out []string) {
	n := r.value(key, kindList)
	if n == nil {
		return nil
	}
	for _, item := range n.items {
		if item.kind != kindText {
			r.fail(item.at, "quote it", "%s holds %s; expected text", key, item.kind)
			continue
		}
		out = append(out, item.text)
	}
	return out
}

func (r *fieldReader) textMap(key string) map[string]string {
	n := r.value(key, kindMap)
	if n == nil {
		return nil
	}
	out := map[string]string{}
	for _, f := range n.fields {
		if f.value.kind != kindText {
			r.wrongKind(f, key+"."+f.key, kindText)
			continue
		}
		out[f.key] = f.value.text
	}
	return out
}
