package settings

import (
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// keyRule says what a key may do in the project's file, which may have come
// with a download, or from a tool.
type keyRule struct {
	// key is its name, or table.name.
	key string
	// widens reports whether a value gives somebody more than the operator's
	// settings do; then it waits for trust. operator is never nil.
	widens func(value any, operator *file) bool
	// does says what the key does where it widens, for whoever is asked to
	// trust it, and otherwise why it cannot widen.
	does string
	// operatorOnly keys have no effect in a project's file, trusted or not.
	operatorOnly bool
}

// never says why trust does not give the key either; empty where it does.
func (r keyRule) never() string {
	if r.operatorOnly {
		return r.does
	}
	return ""
}

// keyRules is the one table of the keys that there are. A key that is not in
// it is an error in every file; one that is has been decided on.
var keyRules = []keyRule{
	{key: "default_environment", widens: namesTrusted, does: "commands that name no environment run with what this trusted one holds"},
	{key: "mcp_files", widens: notFalse, operatorOnly: true,
		does: "its digest would not cover the files that it lets start; scriptrun trust FILE does, one by one"},

	{key: "environments.name", widens: never, does: "a name gives nothing"},
	{key: "environments.cwd", widens: never, does: "it lies in the workspace, where any call may choose its directory"},
	{key: "environments.env", widens: always, does: "these variables reach commands, and can make programs that a rule allows do something else"},
	{key: "environments.trusted", widens: notFalse, does: "its variables that carry credentials or change how programs load reach commands"},

	{key: "mcp_servers.name", widens: always, does: "tools of this name can be allowed"},
	{key: "mcp_servers.command", widens: always, does: "this program is started, outside the sandbox, with your rights"},
	{key: "mcp_servers.args", widens: always, does: "with these arguments"},
	{key: "mcp_servers.cwd", widens: always, does: "in this directory"},
	{key: "mcp_servers.url", widens: always, does: "this address is asked, and told what scripts send"},
	{key: "mcp_servers.env", widens: always, does: "with these variables"},
	{key: "mcp_servers.pass_env", widens: always, does: "it is given your variables of these names"},
	{key: "mcp_servers.bearer_env", widens: always, does: "it is given your variable of this name, as its token"},
	{key: "mcp_servers.headers", widens: always, does: "with these headers"},
	{key: "mcp_servers.tools", widens: always, does: "these of its tools"},
	{key: "mcp_servers.timeoutMs", widens: always, does: "how long its calls may take"},

	{key: "sandbox.profile", widens: looserProfile, does: "commands may do more than in your profile; off is no sandbox at all"},
	{key: "sandbox.network", widens: looserNetwork, does: "commands may use more of the network; full is all of it, a list is these hosts"},
	{key: "sandbox.private", widens: always, does: "commands reach these of a list of hosts although they are not public"},
	{key: "sandbox.read", widens: always, does: "commands may read these too"},
	{key: "sandbox.write", widens: always, does: "commands may write these too"},
	{key: "sandbox.unprotect", widens: always, does: "commands and tools may write these, which you, your editor or git run"},
	{key: "sandbox.require", widens: notTrueAgainst, does: "commands start also where the sandbox cannot be kept"},

	{key: "sandbox.limits.memoryBytes", widens: aboveDefault("memoryBytes"), does: "commands may use more memory than by default"},
	{key: "sandbox.limits.processes", widens: aboveDefault("processes"), does: "commands may start more processes than by default"},
	{key: "sandbox.limits.openFiles", widens: never, does: "the lower limit counts"},
	{key: "sandbox.limits.fileBytes", widens: aboveDefault("fileBytes"), does: "commands may write larger files than by default"},

	{key: "fetch.hosts", widens: never, does: "a host must be on your list too, if you have one"},
	{key: "fetch.private", widens: always, does: "scripts that may fetch reach these hosts, which are not public"},

	{key: "policy.deny", widens: never, does: "no call that it names is made"},
	{key: "policy.ask", widens: never, does: "a call that it names is made when a person says yes"},
	{key: "policy.allow", widens: never, does: "a call must be allowed by the other files, too"},

	{key: "audit.file", widens: always, operatorOnly: true, does: "what scripts did is recorded where you say, and nowhere else"},
	{key: "audit.require", widens: always, operatorOnly: true, does: "whether a run must be recorded is for you to say"},

	{key: "limits.timeoutMs", widens: never, does: "the lower limit counts"},
	{key: "limits.maxToolCalls", widens: never, does: "the lower limit counts"},
	{key: "limits.maxOutputBytes", widens: never, does: "the lower limit counts"},
	{key: "limits.maxMemoryBytes", widens: never, does: "the lower limit counts"},
}

// ruleOf finds a key; one that is not there widens.
func ruleOf(key string) keyRule {
	if i := slices.IndexFunc(keyRules, func(r keyRule) bool { return r.key == key }); i >= 0 {
		return keyRules[i]
	}
	return keyRule{key: key, widens: always, operatorOnly: true, does: "nobody has decided what it may do here"}
}

// knownKeys are the keys of the table, in its order.
func knownKeys() (keys []string) {
	for _, r := range keyRules {
		keys = append(keys, r.key)
	}
	return keys
}

// knownKey reports whether a key, or a table, is one of the file's. What
// stands in env and headers has names of its own.
func knownKey(key toml.Key) bool {
	name := strings.Join(key, ".")
	if len(key) == 3 && (key[1] == "env" || key[1] == "headers") {
		name = key[0] + "." + key[1]
	}
	return slices.ContainsFunc(keyRules, func(r keyRule) bool {
		return r.key == name || strings.HasPrefix(r.key, name+".")
	})
}

func never(any, *file) bool { return false }

// always is a key whose every value widens; an empty one has none.
func always(value any, _ *file) bool {
	switch v := value.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

func notFalse(value any, _ *file) bool { return value != false }

// notTrueAgainst is false where the operator says true.
func notTrueAgainst(value any, operator *file) bool {
	return value != true && operator.Sandbox.Require != nil && *operator.Sandbox.Require
}

// profiles are those of the sandbox, the strictest first. Empty is the
// default.
var profiles = [][]string{{"read-only"}, {"workspace", ""}, {"off"}}

func looserProfile(value any, operator *file) bool {
	rank := func(profile any) int {
		return slices.IndexFunc(profiles, func(names []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return name == profile })
		})
	}
	asked := rank(value)
	return asked < 0 || asked > rank(operator.Sandbox.Profile)
}

// namesTrusted is the name of an environment that the operator trusts. Those of
// the project are not trusted while its file is not.
func namesTrusted(value any, operator *file) bool {
	return slices.ContainsFunc(operator.Environments, func(e environmentTable) bool { return e.Name == value && e.Trusted })
}
