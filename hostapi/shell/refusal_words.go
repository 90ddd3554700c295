package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// A command that was refused something mostly says so, in the words of the
// system or of the program. What it says is held against what the sandbox grants: a
// file that everybody may write was not refused by it. A command can write what it
// likes, so that all of this is said with "probably".

// refusalWords is how much of the end of each stream is looked at, in bytes.
const refusalWords = 8 << 10

// witness holds what a command that failed wrote against its sandbox.
type witness struct {
	command Command
	policy  sandbox.Policy
}

// probablyRefused is what the words of a command that failed tell of a refusal;
// ok is false if they tell of none.
func probablyRefused(command Command, status ExitStatus, out Output) (refused Refusal, ok bool) {
	if command.Sandbox.off() || status.Cancelled || status.TimedOut || status.ExitCode == 0 && status.Signal == "" {
		return Refusal{}, false
	}
	policy, _ := policyOf(command, nil)
	r := witness{command: command, policy: policy}
	if status.OOMKilled {
		return Refusal{What: "more memory", Allow: "[sandbox.limits] memoryBytes = …"}, true
	}
	if status.Signal == "SIGXFSZ" {
		return Refusal{What: "a larger file", Allow: "[sandbox.limits] fileBytes = …", Probably: true}, true // a command may send it to itself
	}
	for _, stream := range []Captured{out.Stderr, out.Stdout, out.Both} {
		for line := range strings.Lines(lastText(stream)) {
			if refused, ok := r.line(strings.TrimSpace(line)); ok {
				return refused, true
			}
		}
	}
	return Refusal{}, false
}

func lastText(c Captured) string {
	text := c.bytes()
	return string(text[max(0, len(text)-refusalWords):])
}

// line is what one line tells.
func (r *witness) line(line string) (Refusal, bool) {
	for _, tell := range []func(string) (Refusal, bool){r.file, r.network, r.call, r.limit} {
		if refused, ok := tell(line); ok {
			return refused, true
		}
	}
	return Refusal{}, false
}

// tellings are what programs say, in the C locale, which commands mostly have.
var tellings = sync.OnceValue(func() (w struct{ readOnly, readOnlySystem, denied, missing, path, network, listen, offline, host, call, memory, processes, size, files *regexp.Regexp }) {
	w.readOnly = regexp.MustCompile(`(?i)read-only file system|EROFS|device or resource busy|EBUSY|cross-device link|EXDEV`)
	w.readOnlySystem = regexp.MustCompile(`(?i)read-only file system|EROFS`)
	w.denied = regexp.MustCompile(`(?i)permission denied|EACCES`)
	w.missing = regexp.MustCompile(`(?i)no such file or directory|ENOENT|not found`)
	w.path = regexp.MustCompile(`["'‘\x60]([^"'’\x60]*[/.][^"'’\x60]*)["'’\x60]|([~./\w@+%,-]*[/.][\w./@+%,~-]*)`)
	w.network = regexp.MustCompile(`(?i)could not resolve (?:host|proxy)|temporary failure in name resolution|name or service not known|EAI_AGAIN|\bENOTFOUND\b|network is unreachable|ENETUNREACH|` +
		`failed to establish a new connection|socket: (?:permission denied|operation not permitted)|dial (?:tcp|udp)\b.*(?:permission denied|unreachable|lookup)|lookup \S+ on .*:53|unable to resolve host address`)
	w.listen = regexp.MustCompile(`(?i)\blisten\b.*(?:EACCES|permission denied)|(?:EACCES|permission denied).*\blisten\b|cannot bind|can't bind|bind: permission denied`)
	w.offline = regexp.MustCompile(`module lookup disabled by GOPROXY=off|\bENOTCACHED\b|you're using offline mode|--offline was specified|network access is disabled`)
	w.host = regexp.MustCompile(`(?i)(?:https?://|resolve host: |lookup |getaddrinfo (?:EAI_AGAIN|ENOTFOUND) |host='|connect to )([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::(\d+))?`)
	w.call = regexp.MustCompile(`(?i)(ptrace|unshare|setns|mount|perf_event_open|bpf|io_uring\w*|userfaultfd|keyctl)\b.*(?:operation not permitted|permission denied|EPERM)|(chmod|changing permissions|set-?[ug]id)\b.*operation not permitted`)
	w.memory = regexp.MustCompile(`(?i)cannot allocate memory|out of memory|ENOMEM|^MemoryError|std::bad_alloc`)
	w.processes = regexp.MustCompile(`(?i)\bfork\b.*resource temporarily unavailable|can't start new thread|pthread_create.*EAGAIN|unable to create (?:new native )?thread`)
	w.size = regexp.MustCompile(`(?i)file too large|EFBIG|file size limit exceeded`)
	w.files = regexp.MustCompile(`(?i)too many open files|EMFILE`)
	return w
})

// file is a file that may not be read or written.
func (r *witness) file(line string) (Refusal, bool) {
	w := tellings()
	readOnly, denied, missing := w.readOnly.MatchString(line), w.denied.MatchString(line), w.missing.MatchString(line)
	if !readOnly && !denied && !missing {
		return Refusal{}, false
	}
	workspace := r.policy.Workspace
	for _, match := range w.path.FindAllStringSubmatch(line, 64) {
		path := strings.TrimRight(match[1]+match[2], ".,:;)")
		if path == "" || strings.Contains(path, "://") || len(path) > 4096 {
			continue
		}
		if !filepath.IsAbs(path) {
			if missing && !readOnly && !denied {
				continue // of the workspace, where everything is there
			}
			path = filepath.Join(r.command.Context.Cwd(), path)
		}
		path = filepath.Clean(path)
		rel, _ := filepath.Rel(workspace, path)
		rel = filepath.ToSlash(rel)
		if by, ok := r.command.Sandbox.Protected.Match(workspace, path); ok && readOnly && beneath(path, workspace) {
			return Refusal{What: "writing " + named(rel) + " (" + by.Reason + ")", Allow: unprotect(by.Except), Probably: true}, true
		}
		read, write := r.policy.Reaches(path)
		switch {
		case !(read && (write || missing)) && !beneath(path, workspace) && r.policy.Hides(path):
			return hidden(path), true
		case readOnly && !write && beneath(path, workspace):
			return Refusal{What: "writing " + named(rel), Allow: `[sandbox] profile = "workspace"`, Probably: true}, true
		case readOnly && !write, denied && read && !write && beneath(path, workspace):
			return Refusal{What: "writing " + named(path), Allow: fmt.Sprintf("[sandbox] write = [%q]", folderOf(path)), Probably: true}, true
		case (denied || missing) && !read && topIsThere(path):
			return Refusal{What: "reading " + named(path), Allow: fmt.Sprintf("[sandbox] read = [%q]", folderOf(path)), Probably: true}, true
		}
	}
	if w.readOnlySystem.MatchString(line) && r.policy.Profile == ProfileReadOnly {
		return Refusal{What: "writing", Allow: `[sandbox] profile = "workspace"`, Probably: true}, true
	}
	return Refusal{}, false
}

// hidden is a place of secrets. There is no advice on how to open one: whoever
// writes the line could have anything opened by whoever follows it.
func hidden(path string) Refusal {
	return Refusal{What: named(path) + ", which is hidden from commands: it may hold secrets", Probably: true}
}

// topIsThere reports whether the system has the folder at the top that a path is
// in. What lies deeper is not asked: a command would learn what it cannot see.
func topIsThere(path string) bool {
	top, _, _ := strings.Cut(path[1:], "/")
	_, err := os.Lstat("/" + top)
	return err == nil
}

// named is a path in a sentence. A command may have made it up to look like more.
func named(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+@~%,") == "" {
		return path
	}
	return strconv.Quote(path)
}

// folderOf is a folder that people would grant. A home folder is none.
func folderOf(path string) string {
	if dir := filepath.Dir(path); strings.Count(dir, "/") > 1 && filepath.Dir(dir) != "/home" {
		return dir
	}
	return path
}

// network is a connection, a name or a server.
func (r *witness) network(line string) (Refusal, bool) {
	w, network := tellings(), r.policy.Network
	host := ""
	if match := w.host.FindStringSubmatch(line); match != nil {
		if host = match[1]; match[2] != "" {
			host += ":" + match[2]
		}
		host = " (" + host + ")"
	}
	none := network == "" || network == sandbox.NetworkNone
	switch {
	case none && w.listen.MatchString(line):
		return Refusal{What: "a server", Allow: `[sandbox] network = "loopback"`, Probably: true}, true
	case network == sandbox.NetworkFull:
	case w.network.MatchString(line), w.offline.MatchString(line):
		return Refusal{What: "the network" + host, Allow: `[sandbox] network = "full"`, Probably: true}, true
	}
	return Refusal{}, false
}

// call is a system call that is refused in every sandbox.
func (r *witness) call(line string) (Refusal, bool) {
	match := tellings().call.FindStringSubmatch(line)
	switch {
	case match == nil:
		return Refusal{}, false
	case match[2] != "":
		return Refusal{What: "a mode that lets a program run as its owner", Allow: `[sandbox] profile = "off"`, Probably: true}, true
	}
	return Refusal{What: match[1], Allow: `[sandbox] profile = "off"`, Probably: true}, true
}

// limit is more than a command may have.
func (r *witness) limit(line string) (Refusal, bool) {
	w, limits := tellings(), r.policy.Limits
	for _, l := range []struct {
		tells       *regexp.Regexp
		set         bool // else the limit is some hundred times of what one has
		what, allow string
	}{
		{w.memory, limits.MemoryBytes > 0, "more memory", "memoryBytes"},
		{w.processes, limits.Processes > 0, "more processes", "processes"},
		{w.size, limits.FileBytes > 0, "a larger file", "fileBytes"},
		{w.files, limits.OpenFiles > 0, "more open files", "openFiles"},
	} {
		if l.set && l.tells.MatchString(line) {
			return Refusal{What: l.what, Allow: "[sandbox.limits] " + l.allow + " = …", Probably: true}, true
		}
	}
	return Refusal{}, false
}
