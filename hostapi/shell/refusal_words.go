package shell

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// A command that was refused something usually prints an error of the system or of its
// own. That is compared with what the sandbox grants: it did not refuse a file that
// commands may write. A command can print anything, so all of this is reported with
// "probably".

// refusalWords is how many bytes at the end of each stream are searched.
const refusalWords = 8 << 10

// witness compares what a failed command wrote with its sandbox.
type witness struct {
	command Command
	policy  sandbox.Policy
	visit   *protect.Visit // nil for none
	binds   bool           // an earlier line of a stack trace opens a server
	files   bool           // one makes a socket in a file
	sockets bool           // one makes a socket

	databases bool // a line says that a database could not be opened, and not why
}

func newWitness(command Command, visit *protect.Visit) *witness {
	policy, _ := policyOf(command, nil)
	return &witness{command: command, policy: policy, visit: visit}
}

// probablyRefused is what the output of a failed command says of refusals that are not
// known: at most three, since the first failure often causes the others. If nothing is
// known and the output says nothing, it is what the command's line names.
func probablyRefused(command Command, status ExitStatus, out Output, known []Refusal) (all []Refusal) {
	r := newWitness(command, out.visit)
	if status.OOMKilled {
		return []Refusal{{What: "more memory", Allow: r.limited("memoryBytes")}}
	}
	if status.Signal == "SIGXFSZ" {
		return []Refusal{{What: "a larger file", Allow: r.limited("fileBytes"), Probably: true}} // it may have sent the signal itself
	}
	for _, stream := range []Captured{out.Stderr, out.Stdout, out.Both} {
		if stream := lastText(stream); stream == lastText(out.Both) && len(all) > 0 {
			break // its lines were searched before
		}
		before := ""
		for line := range strings.Lines(lastText(stream)) {
			told := strings.TrimSpace(line)
			if w := tellings(); strings.TrimLeft(line, " \t") != line && w.reasonAlone.MatchString(told) { // of unzip
				told = before + " " + told
			}
			before = strings.TrimSpace(line)
			r.databases = r.databases || strings.Contains(line, "unable to open database")
			refused, ok := r.line(told)
			if ok && !tells(known, refused) && !tells(all, refused) {
				all = append(all, refused)
			}
			if len(all) == mostProbable {
				return all
			}
		}
	}
	if len(all) == 0 && len(known) == 0 {
		return r.ofItsLine()
	}
	return all
}

// mostProbable is how many refusals are reported that only the output tells of.
const mostProbable = 3

func lastText(c Captured) string {
	text := c.bytes()
	return string(text[max(0, len(text)-refusalWords):])
}

// line is the refusal that one line of output tells of.
func (r *witness) line(line string) (Refusal, bool) {
	for _, tell := range []func(string) (Refusal, bool){r.socket, r.file, r.toolchain, r.network, r.call, r.limit} {
		if refused, ok := tell(line); ok {
			return refused, true
		}
	}
	return Refusal{}, false
}

// tellings match the messages of programs in the C locale, which commands usually have.
var tellings = sync.OnceValue(func() (w struct{ readOnly, readOnlySystem, busy, denied, deniedAlone, reasonAlone, binds, unix, unixMade, noSocket, missing, path, network, listen, offline, host, own, refused, call, memory, processes, size, files, index, writes, config, goes *regexp.Regexp }) {
	w.readOnly = regexp.MustCompile(`(?i)read-only file system|EROFS|device or resource busy|EBUSY|cross-device link|EXDEV|isn't writable`)
	w.readOnlySystem = regexp.MustCompile(`(?i)read-only file system|EROFS`)
	w.busy = regexp.MustCompile(`(?i)device or resource busy|EBUSY`)
	w.denied = regexp.MustCompile(`(?i)permission denied|EACCES`)
	w.deniedAlone = regexp.MustCompile(`^PermissionError: \[Errno 13\] Permission denied$`)
	w.reasonAlone = regexp.MustCompile(`(?i)^(?:read-only file system|permission denied)\.?$`)
	w.binds = regexp.MustCompile(`\.(?:bind|listen)\(`)
	w.unix = regexp.MustCompile(`(?i)\b(?:listen|dial) unix .*(?:permission denied|EACCES)|(?:listen EACCES: permission denied|connect EACCES) (?:[./]\S*|[a-z_][^\s:]*)$|unix_listener: socket: permission denied|` +
		`(?:on socket "|unix socket|unix domain socket|unix://|\.sock\b|tmux-\d+/).*(?:permission denied|EACCES)|(?:permission denied|EACCES).*(?:unix://|\.sock\b)`)
	w.unixMade = regexp.MustCompile(`socket\(getattr\(socket, family\)\)|socket\.AF_UNIX`)
	w.noSocket = regexp.MustCompile(`\b_socket\.socket\.__init__\(`)
	w.missing = regexp.MustCompile(`(?i)no such file or directory|not a directory|ENOENT|ENOTDIR|not found`)
	w.writes = regexp.MustCompile(`cannot (?:touch|create|move|copy .* to|open output file)\b`)
	w.config = regexp.MustCompile(`^error: could not (?:lock|write) config file `)
	w.goes = regexp.MustCompile(`requires go >= ([0-9][\w.]*) .*GOTOOLCHAIN=local`)
	w.path = regexp.MustCompile(`["'‘\x60]([^"'’\x60]*[/.][^"'’\x60]*)["'’\x60]|([~./\w@+%,-]*[/.][\w./@+%,~-]*)`)
	w.network = regexp.MustCompile(`(?i)could not resolve (?:host|proxy)|temporary failure in name resolution|name or service not known|EAI_AGAIN|\bENOTFOUND\b|network is unreachable|ENETUNREACH|` +
		`failed to establish a new connection|socket: (?:permission denied|operation not permitted)|dial (?:tcp|udp)\b.*(?:permission denied|unreachable|lookup)|lookup \S+ on .*:53|unable to resolve host address`)
	w.listen = regexp.MustCompile(`(?i)\blisten\b.*(?:EACCES|permission denied)|(?:EACCES|permission denied).*\blisten\b|cannot bind|can't bind|bind: permission denied|permission denied \(while attempting to bind`)
	w.offline = regexp.MustCompile(`(module lookup disabled by GOPROXY=off)|(\bENOTCACHED\b)|(you're using offline mode|--offline was specified)|(network access is disabled)`)
	w.index = regexp.MustCompile("could not be found in registry index|could not find `[^`]*` in registry ")
	w.host = regexp.MustCompile(`(?i)(?:https?://|resolve host: |lookup |getaddrinfo (?:EAI_AGAIN|ENOTFOUND) |host='|connect to )([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::(\d+))?`)
	w.own = regexp.MustCompile(`(?i)(?:^|[^\w.-])(127\.0\.0\.1|localhost|\[?::1\]?)(?:"?,? port |[:/])(\d{1,5})\b`)
	w.refused = regexp.MustCompile(`(?i)connection refused|ECONNREFUSED|couldn't connect to server|failed to connect|could not connect`)
	w.call = regexp.MustCompile(`(?i)(ptrace|unshare|setns|mount|perf_event_open|bpf|io_uring\w*|userfaultfd|keyctl)\b.*(?:operation not permitted|permission denied|EPERM)|(chmod|changing permissions|set-?[ug]id)\b.*operation not permitted`)
	w.memory = regexp.MustCompile(`(?i)cannot allocate memory|out of memory|ENOMEM|^MemoryError|std::bad_alloc|Array buffer allocation failed`)
	w.processes = regexp.MustCompile(`(?i)\bfork\b.*resource temporarily unavailable|can't start new thread|pthread_create.*EAGAIN|unable to create (?:new native )?thread`)
	w.size = regexp.MustCompile(`(?i)file too large|EFBIG|file size limit exceeded`)
	w.files = regexp.MustCompile(`(?i)too many open files|EMFILE`)
	return w
})

// profileOff says what it opens: a command can print the message that it is the advice
// for.
const profileOff = `[sandbox] profile = "off", which opens everything, your secrets too`

// call is a system call that every sandbox refuses.
func (r *witness) call(line string) (Refusal, bool) {
	match := tellings().call.FindStringSubmatch(line)
	switch {
	case match == nil:
		return Refusal{}, false
	case match[2] != "":
		return Refusal{What: "a mode that lets a program run as its owner", Allow: profileOff, Probably: true}, true
	}
	return Refusal{What: match[1], Allow: profileOff, Probably: true}, true
}

// limited is the setting for twice the limit in force.
func (r *witness) limited(key string) string {
	limits := r.policy.Limits.OrDefault()
	value := map[string]int64{"memoryBytes": limits.MemoryBytes, "fileBytes": limits.FileBytes, "processes": int64(limits.Processes), "openFiles": int64(limits.OpenFiles)}[key]
	return fmt.Sprintf("[sandbox.limits] %s = %d", key, 2*value)
}

// limit is a limit of the sandbox that the command reached.
func (r *witness) limit(line string) (Refusal, bool) {
	w, limits := tellings(), r.policy.Limits
	for _, l := range []struct {
		tells       *regexp.Regexp
		set         bool // in the settings; the default is hardly ever reached
		what, allow string
	}{
		{w.memory, limits.MemoryBytes > 0, "more memory", "memoryBytes"},
		{w.processes, limits.Processes > 0, "more processes", "processes"},
		{w.size, limits.FileBytes > 0, "a larger file", "fileBytes"},
		{w.files, limits.OpenFiles > 0, "more open files", "openFiles"},
	} {
		if l.set && l.tells.MatchString(line) {
			return Refusal{What: l.what, Allow: r.limited(l.allow), Probably: true}, true
		}
	}
	return Refusal{}, false
}
