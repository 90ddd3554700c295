package shell

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// offlineTools are the presets of the tools in the groups of tellings.offline.
var offlineTools = [...]string{"go", "npm", "cargo", "pip"}

// socket is a socket in a file, which is refused whatever the network is.
func (r *witness) socket(line string) (Refusal, bool) {
	w := tellings()
	r.files, r.sockets = r.files || w.unixMade.MatchString(line), r.sockets || w.noSocket.MatchString(line)
	denied := w.deniedAlone.MatchString(line)
	listens := r.policy.Network != "" && r.policy.Network != sandbox.NetworkNone // then others are made
	if w.unix.MatchString(line) || denied && (r.files || r.sockets && listens) {
		return Refusal{What: "a socket in a file, which no setting of the network allows: take pipes or a port, if you can", Allow: `[sandbox] profile = "off", and nothing less: it opens everything, your secrets too`, Probably: true}, true
	}
	return Refusal{}, false
}

// network is the refusal of a connection, a name or a server.
func (r *witness) network(line string) (Refusal, bool) {
	w, to := tellings(), r.policy.Network
	none := to == "" || to == sandbox.NetworkNone
	r.binds = r.binds || w.binds.MatchString(line)
	switch {
	case none && (w.listen.MatchString(line) || r.binds && w.deniedAlone.MatchString(line)):
		return Refusal{What: "listening on a port", Allow: networkIs + `"loopback"`, Probably: true}, true
	case to == sandbox.NetworkFull:
		return Refusal{}, false
	case w.refused.MatchString(line):
		if refused, ok := r.ownServer(line, none); ok {
			return refused, true
		}
	}
	if _, chosen := r.command.Context.Lookup("CARGO_NET_OFFLINE"); chosen && w.index.MatchString(line) && r.command.Sandbox.Hosts == nil {
		return Refusal{What: theNetwork, Probably: true}.adding(keyNetwork, "preset:cargo"), true
	}
	refused := Refusal{What: theNetwork, Allow: networkIs + `["the.host"], with the host that it needs; ` + knowsNoProxy, Probably: true}
	if r.command.Sandbox.Hosts != nil { // the proxy reports by name those who ask it
		refused.Allow = networkIs + `"full": ` + askedNoProxy
	}
	if match := w.host.FindStringSubmatch(line); match != nil {
		host := match[1]
		if match[2] != "" && match[2] != "443" && match[2] != "80" {
			host += ":" + match[2]
		}
		refused.What = theNetwork + " (" + host + ")"
		refused = refused.adding(keyNetwork, host).saying("; " + knowsNoProxy)
	}
	if match := w.offline.FindStringSubmatch(line); match != nil {
		tool := offlineTools[slices.IndexFunc(match[1:], func(words string) bool { return words != "" })]
		return refused.adding(keyNetwork, "preset:"+tool), true
	}
	return refused, w.network.MatchString(line)
}

// ownServer is a server at the machine's loopback address; commands have a loopback of
// their own. Whether one listens outside is not looked up: a command would learn of it.
func (r *witness) ownServer(line string, none bool) (Refusal, bool) {
	server := "127.0.0.1"
	match := tellings().own.FindStringSubmatch(line)
	switch {
	case match != nil:
		server = match[1] + ":" + match[2]
	case !none || !strings.Contains(line, "[Errno 111]"): // with no network it can be no other
		return Refusal{}, false
	}
	if match != nil && slices.Contains(r.command.Sandbox.Hosts, server) {
		return Refusal{What: fmt.Sprintf("%s (%s): %s", theNetwork, server, withoutProxy), Probably: true}, true
	}
	lists, name := r.command.Sandbox, ofThisMachine(server)
	listed := lists.list(keyNetwork, name) + " and " + strings.TrimPrefix(lists.list("private", name), "[sandbox] ")
	if name != server {
		listed += ", asked for by that name"
	}
	if match == nil {
		listed = "[sandbox] network and private that have its host:port"
	}
	refused := Refusal{What: fmt.Sprintf("%s (%s)", theNetwork, server), Probably: true}
	if none {
		refused.Allow = networkIs + `"loopback" if a command serves it; if this machine does, with ` + strings.TrimPrefix(listed, "[sandbox] ") + "; " + knowsNoProxy
		return refused, true
	}
	refused.What += ", if it is this machine that serves it"
	refused.Allow = listed + "; " + knowsNoProxy
	return refused, true
}

// ofThisMachine is an entry of a list for a server of this machine: a loopback address means the
// commands' own network, whatever is listed, and the name of it means the machine's.
func ofThisMachine(entry string) string {
	host, port := entry, ""
	if address, err := netip.ParseAddr(entry); err == nil && address.IsLoopback() {
		return "localhost"
	}
	if at := strings.LastIndexByte(entry, ':'); at > strings.LastIndexByte(entry, ']') {
		host, port = entry[:at], entry[at:]
	}
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && address.Unmap().IsLoopback() {
		return "localhost" + port
	}
	return entry
}
