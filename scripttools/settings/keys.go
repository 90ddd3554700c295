package settings

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// verdict is what a key may do in a project's file, which may have come with a download
// or from a tool.
type verdict int

const (
	waits     verdict = iota // it widens: held back until the file is trusted
	holds                    // it cannot widen
	compared                 // held back if it gives more than the operator's settings
	operators                // never in force there, trusted or not
)

// key is a key of a file, with all that is known of it except its type.
type key struct {
	name    string // or table.name
	doc     string // what it means, for the author of a file
	verdict verdict
	// does says what a widening key does, for the person who is asked to trust it;
	// otherwise it says why the key cannot widen.
	does string
	// widens is set for keys that are compared. operator is never nil.
	widens func(value any, operator *file) bool
}

// keys is the only table of keys. A key that is not in it is an error in every file.
// docs/settings.md has the same rows, and [file] their types.
var keys = []key{
	{"default_environment", "the environment of commands that name none", compared, "commands that name no environment get the variables of this trusted one", namesTrusted},
	{"mcp_files", "start the servers of `kind: mcp` files without a yes for each", operators, "the digest of this file does not cover the servers' files; trust each with scriptrun trust FILE", nil},

	{"environments.name", "the name that calls ask for", holds, "a name gives nothing", nil},
	{"environments.cwd", "its directory, within the workspace", holds, "any call may choose its directory in the workspace", nil},
	{"environments.env", "its variables", waits, "commands get these variables, which can make programs that a rule allows do something else", nil},
	{"environments.trusted", "pass on variables that carry credentials or change how programs load; no script can name this environment", waits, "commands also get its variables that carry credentials or change how programs load", nil},

	{"sandbox.profile", `"workspace", "read-only" or "off"`, compared, "commands may do more than in your profile; off means no sandbox at all", looserProfile},
	{"sandbox.network", `"none", "loopback", "full", or a list of hosts: ["api.example.com", "preset:go"]`, compared, "commands may use more of the network; full means all of it, a list means these hosts", looserNetwork},
	{"sandbox.private", "hosts on the list that may have non-public addresses: names, addresses or networks", waits, "commands reach these hosts on the list at non-public addresses too", nil},
	{"sandbox.read", "further paths that commands may read: absolute, ~/…, or relative to the file", waits, "commands may read these too", nil},
	{"sandbox.write", "further paths that commands may write", waits, "commands may write these too", nil},
	{"sandbox.unprotect", `protected paths that may be written, such as ".vscode"`, waits, "commands and tools may write these files, which you, your editor or git run", nil},
	{"sandbox.require", "refuse to start commands without a complete sandbox", compared, "commands start even if the sandbox is incomplete", notRequired},

	{"sandbox.limits.memoryBytes", "memory of each process, and of all together where there is a control group", compared, "commands may use more memory than by default", aboveDefault(func(l sandboxLimits) int64 { return l.MemoryBytes })},
	{"sandbox.limits.processes", "processes and threads of all commands of a workspace", compared, "commands may start more processes than by default", aboveDefault(func(l sandboxLimits) int64 { return int64(l.Processes) })},
	{"sandbox.limits.fileBytes", "size of each file", compared, "commands may write larger files than by default", aboveDefault(func(l sandboxLimits) int64 { return l.FileBytes })},
	{"sandbox.limits.openFiles", "open files of each process, at least 256", holds, "the lower limit counts", nil},

	{"limits.timeoutMs", "ceiling for the time of every run", holds, "the lower limit counts", nil},
	{"limits.maxToolCalls", "ceiling for the calls of every run", holds, "the lower limit counts", nil},
	{"limits.maxOutputBytes", "ceiling for the value of a result, and for its logs, in bytes", holds, "the lower limit counts", nil},
	{"limits.maxResultBytes", "ceiling for each part of a tool's result, in bytes; `limits.maxOutputBytes` if left out", holds, "the lower limit counts", nil},
	{"limits.maxMemoryBytes", "ceiling for the memory of a script, in bytes", holds, "the lower limit counts", nil},

	{"fetch.hosts", "the hosts that `fetch` may ask; all public hosts if left out", holds, "a host must be on your list too, if you have one", nil},
	{"fetch.private", "hosts and networks that are not public and still allowed", waits, "scripts that may fetch reach these hosts, which are not public", nil},

	{"policy.deny", "rules of calls to refuse", holds, "it only refuses calls", nil},
	{"policy.ask", "rules of calls to ask a person about", holds, "it only makes calls need a person's yes", nil},
	{"policy.allow", "rules; a call must match one of them", holds, "the other files must allow the call too", nil},

	{"audit.file", "the log, with a line for each run and call", operators, "only you say where scripts' calls are recorded", nil},
	{"audit.require", "refuse runs that cannot be recorded there", operators, "only you say whether runs must be recorded", nil},

	{"serve.maxResultBytes", "how much of a result's text `scriptrun serve` passes on, in bytes; 10240 if left out", holds, "the lower limit counts, and the rest can be read", nil},
	{"serve.instructions", "what models are told of the server, before any call", waits, "models of others are told this", nil},

	{"mcp_servers.name", "its tools are `mcp__name__…`", waits, "rules can allow tools of this name", nil},
	{"mcp_servers.command", "the program of a local server", waits, "this program is started, outside the sandbox, with your rights", nil},
	{"mcp_servers.args", "its arguments", waits, "with these arguments", nil},
	{"mcp_servers.cwd", "where it starts, relative to the file; the file's folder if left out", waits, "in this directory", nil},
	{"mcp_servers.env", "its variables", waits, "with these variables", nil},
	{"mcp_servers.pass_env", "names of your variables that it gets", waits, "it gets your variables of these names", nil},
	{"mcp_servers.url", "the address of a remote server", waits, "this server gets what scripts send to it", nil},
	{"mcp_servers.bearer_env", "the name of your variable that holds its token", waits, "it gets your variable of this name as its token", nil},
	{"mcp_servers.headers", "headers of the requests to it", waits, "with these headers", nil},
	{"mcp_servers.tools", "the tools to offer; all if left out", waits, "these of its tools", nil},
	{"mcp_servers.timeoutMs", "how long a call may take", waits, "how long its calls may take", nil},
}

// keyOf finds a key. A key that is not in the table has no effect.
func keyOf(name string) key {
	if i := slices.IndexFunc(keys, func(k key) bool { return k.name == name }); i >= 0 {
		return keys[i]
	}
	return key{name: name, verdict: operators, does: "it is not in the table of keys"}
}

// gives reports whether a value that is not zero gives more than the operator's
// settings.
func (k key) gives(value any, operator *file) bool {
	switch k.verdict {
	case holds:
		return false
	case compared:
		return k.widens(value, operator)
	case waits, operators:
		return true
	}
	return true
}

// never says why even trust does not give the key; empty if trust does.
func (k key) never() string {
	if k.verdict == operators {
		return k.does
	}
	return ""
}

// types are the types of all keys and tables, by name.
var types = sync.OnceValue(func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	var add func(prefix string, table reflect.Type)
	add = func(prefix string, table reflect.Type) {
		for _, field := range fieldsOf(table) {
			name := prefix + tagOf(field)
			all[name] = field.Type
			if inner := tableOf(field.Type); inner != nil {
				add(name+".", inner)
			}
		}
	}
	add("", reflect.TypeFor[file]())
	return all
})

// typeOf is the type of a key or a table; nil if the name is unknown. The keys in env
// and headers are free.
func typeOf(name string) reflect.Type {
	if typ := types()[name]; typ != nil {
		return typ
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		if typ := types()[name[:dot]]; typ != nil && typ.Kind() == reflect.Map {
			return typ.Elem()
		}
	}
	return nil
}

// tableOf is the struct of a table or a list of tables; nil for the type of a key.
func tableOf(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Struct {
		return typ
	}
	return nil
}

// fieldsOf are the fields of a table that have keys, sorted by key.
func fieldsOf(table reflect.Type) (fields []reflect.StructField) {
	for field := range table.Fields() {
		if tagOf(field) != "" {
			fields = append(fields, field)
		}
	}
	slices.SortFunc(fields, func(a, b reflect.StructField) int { return strings.Compare(tagOf(a), tagOf(b)) })
	return fields
}

func tagOf(field reflect.StructField) string { return field.Tag.Get("toml") }

// notRequired reports whether a value gives up a sandbox that the operator requires.
func notRequired(value any, operator *file) bool {
	require, ok := value.(*bool)
	return (!ok || !*require) && operator.Sandbox.Require != nil && *operator.Sandbox.Require
}

// profiles are the sandbox's profiles, the strictest first.
var profiles = []string{"read-only", "workspace", "off"}

func looserProfile(value any, operator *file) bool {
	own := operator.Sandbox.Profile
	if own == "" {
		own = "workspace"
	}
	asked, _ := value.(string)
	rank := slices.Index(profiles, asked)
	return rank < 0 || rank > slices.Index(profiles, own)
}

// namesTrusted reports whether a value is the name of an environment that the operator
// trusts. The project's environments are not trusted while its file is not.
func namesTrusted(value any, operator *file) bool {
	return slices.ContainsFunc(operator.Environments, func(e environmentTable) bool { return e.Name == value && e.Trusted })
}

// aboveDefault compares a limit with the default if the operator has set none: of two
// limits the lower one counts, so that only this case can widen.
func aboveDefault(limit func(sandboxLimits) int64) func(any, *file) bool {
	return func(value any, operator *file) bool {
		usual := limit(sandboxLimits(sandbox.Limits{}.OrDefault()))
		return usual > 0 && reflect.ValueOf(value).Int() > usual && limit(operator.Sandbox.Limits) == 0
	}
}
