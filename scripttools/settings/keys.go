package settings

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// verdict is what a key may do in a project's file, which may have come with a
// download, or from a tool.
type verdict int

const (
	waits     verdict = iota // it widens: it is held back until the file is trusted
	holds                    // it cannot widen
	compared                 // it is held back where it gives more than the operator's settings do
	operators                // it never has an effect there, trusted or not
)

// key is a key of a file, and all that is known of it beside its type.
type key struct {
	name    string // or table.name
	doc     string // what it says, for whoever writes it
	verdict verdict
	// does says what the key does where it widens, for whoever is asked to trust
	// it, and otherwise why it cannot widen.
	does string
	// widens is there for keys that are compared. operator is never nil.
	widens func(value any, operator *file) bool
}

// keys is the one table of the keys that there are. A key that is not in it is
// an error in every file; one that is has been decided on. docs/settings.md has
// the same rows, and their types are those of [file].
var keys = []key{
	{"default_environment", "the environment of commands that name none", compared, "commands that name no environment run with what this trusted one holds", namesTrusted},
	{"mcp_files", "start the servers of files of `kind: mcp` without a yes for each", operators, "its digest would not cover the files that it lets start; scriptrun trust FILE does, one by one", nil},

	{"environments.name", "how calls ask for it", holds, "a name gives nothing", nil},
	{"environments.cwd", "its directory, within the workspace", holds, "it lies in the workspace, where any call may choose its directory", nil},
	{"environments.env", "its variables", waits, "these variables reach commands, and can make programs that a rule allows do something else", nil},
	{"environments.trusted", "let its variables through that carry credentials or change how programs load; no script can name it", waits, "its variables that carry credentials or change how programs load reach commands", nil},

	{"sandbox.profile", `"workspace", "read-only" or "off"`, compared, "commands may do more than in your profile; off is no sandbox at all", looserProfile},
	{"sandbox.network", `"none", "loopback", "full", or a list of hosts: ["api.example.com", "preset:go"]`, compared, "commands may use more of the network; full is all of it, a list is these hosts", looserNetwork},
	{"sandbox.private", "of a list of hosts: addresses that are not public, and allowed all the same", waits, "commands reach these of a list of hosts although they are not public", nil},
	{"sandbox.read", "further paths that commands read: absolute, ~/…, or relative to the file", waits, "commands may read these too", nil},
	{"sandbox.write", "further paths that they write", waits, "commands may write these too", nil},
	{"sandbox.unprotect", `protected paths that may be written after all, such as ".vscode"`, waits, "commands and tools may write these, which you, your editor or git run", nil},
	{"sandbox.require", "refuse to start what cannot be kept in the sandbox", compared, "commands start also where the sandbox cannot be kept", notRequired},

	{"sandbox.limits.memoryBytes", "of each process, and of all together where there is a control group", compared, "commands may use more memory than by default", aboveDefault(func(l sandboxLimits) int64 { return l.MemoryBytes })},
	{"sandbox.limits.processes", "and threads, of all commands of a workspace", compared, "commands may start more processes than by default", aboveDefault(func(l sandboxLimits) int64 { return int64(l.Processes) })},
	{"sandbox.limits.fileBytes", "of each file", compared, "commands may write larger files than by default", aboveDefault(func(l sandboxLimits) int64 { return l.FileBytes })},
	{"sandbox.limits.openFiles", "of each process, 256 at least", holds, "the lower limit counts", nil},

	{"limits.timeoutMs", "a ceiling for the time of every run", holds, "the lower limit counts", nil},
	{"limits.maxToolCalls", "and for its calls", holds, "the lower limit counts", nil},
	{"limits.maxOutputBytes", "for each part of a result, the value and the logs, in bytes", holds, "the lower limit counts", nil},
	{"limits.maxMemoryBytes", "for the memory of a script", holds, "the lower limit counts", nil},

	{"fetch.hosts", "the hosts that `fetch` asks; every public one if left out", holds, "a host must be on your list too, if you have one", nil},
	{"fetch.private", "hosts and networks that are not public, and allowed all the same", waits, "scripts that may fetch reach these hosts, which are not public", nil},

	{"policy.deny", "rules of calls that are refused", holds, "no call that it names is made", nil},
	{"policy.ask", "rules of calls that a person is asked about", holds, "a call that it names is made when a person says yes", nil},
	{"policy.allow", "rules of which a call must match one", holds, "a call must be allowed by the other files, too", nil},

	{"audit.file", "the log, which has a line for each run and call", operators, "what scripts did is recorded where you say, and nowhere else", nil},
	{"audit.require", "nothing runs that is not recorded there", operators, "whether a run must be recorded is for you to say", nil},

	{"mcp_servers.name", "its tools are `mcp__name__…`", waits, "tools of this name can be allowed", nil},
	{"mcp_servers.command", "the program of a local server", waits, "this program is started, outside the sandbox, with your rights", nil},
	{"mcp_servers.args", "its arguments", waits, "with these arguments", nil},
	{"mcp_servers.cwd", "where it starts, relative to the file; the file's folder if left out", waits, "in this directory", nil},
	{"mcp_servers.env", "its variables", waits, "with these variables", nil},
	{"mcp_servers.pass_env", "names of your variables that it is given", waits, "it is given your variables of these names", nil},
	{"mcp_servers.url", "the address of a remote server", waits, "this address is asked, and told what scripts send", nil},
	{"mcp_servers.bearer_env", "the name of your variable with its token", waits, "it is given your variable of this name, as its token", nil},
	{"mcp_servers.headers", "headers of requests to it", waits, "with these headers", nil},
	{"mcp_servers.tools", "those of its tools that there are; all if left out", waits, "these of its tools", nil},
	{"mcp_servers.timeoutMs", "how long a call may take", waits, "how long its calls may take", nil},
}

// keyOf finds a key; one that is not there has no effect.
func keyOf(name string) key {
	if i := slices.IndexFunc(keys, func(k key) bool { return k.name == name }); i >= 0 {
		return keys[i]
	}
	return key{name: name, verdict: operators, does: "nobody has decided what it may do here"}
}

// gives reports whether a value, which is not the zero one, gives somebody more
// than the operator's settings do.
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

// never says why trust does not give the key either; empty where it does.
func (k key) never() string {
	if k.verdict == operators {
		return k.does
	}
	return ""
}

// types are those of all keys and tables, by their names.
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

// typeOf is the type of a key or a table; nil if there is none of this name.
// What stands in env and headers has names of its own.
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

// tableOf is the struct of a table, or of tables; nil for the type of a key.
func tableOf(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Struct {
		return typ
	}
	return nil
}

// fieldsOf are the fields of a table that have keys, by their keys.
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

// notRequired is false where the operator does not require the sandbox.
func notRequired(value any, operator *file) bool {
	require, ok := value.(*bool)
	return (!ok || !*require) && operator.Sandbox.Require != nil && *operator.Sandbox.Require
}

// profiles are those of the sandbox, the strictest first.
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

// namesTrusted is the name of an environment that the operator trusts. Those of
// the project are not trusted while its file is not.
func namesTrusted(value any, operator *file) bool {
	return slices.ContainsFunc(operator.Environments, func(e environmentTable) bool { return e.Name == value && e.Trusted })
}

// aboveDefault is for a limit. Of two the lower one counts, but what is above
// the default widens where the operator has none.
func aboveDefault(limit func(sandboxLimits) int64) func(any, *file) bool {
	return func(value any, operator *file) bool {
		usual := limit(sandboxLimits(sandbox.Limits{}.OrDefault()))
		return usual > 0 && reflect.ValueOf(value).Int() > usual && limit(operator.Sandbox.Limits) == 0
	}
}
