package shell

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// inherited reports whether a variable of the host process reaches commands.
func inherited(name string) bool {
	switch name {
	case "PATH", "HOME", "SHELL", "TMPDIR", "USER", "LANG", "TERM", "TZ":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// Variables that carry credentials or change how programs load. Names are
// compared in upper case.
var (
	withheldNames = []string{
		"TOKEN", "SECRET", "DATABASE_URL", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GPG_AGENT_INFO",
		"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_LOADABLES_PATH", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH",
		"NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PERL5OPT", "PERL5LIB", "PERL5DB",
		"RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "GCONV_PATH", "GIT_EXEC_PATH",
		"GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
	}
	withheldPrefixes = []string{
		"AWS_", "AZURE_", "GCP_", "GOOGLE_", "OPENAI_", "ANTHROPIC_", "HF_", "HUGGING", "GITHUB_",
		"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG",
	}
	withheldSuffixes = []string{"_TOKEN", "_SECRET", "_KEY", "_CREDENTIALS"}
)

// withheld reports whether a variable never reaches a command, whoever set it.
func withheld(name string) bool {
	name = strings.ToUpper(name)
	starts := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	ends := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
	return slices.Contains(withheldNames, name) ||
		slices.ContainsFunc(withheldPrefixes, starts) ||
		slices.ContainsFunc(withheldSuffixes, ends) ||
		strings.Contains(name, "PASSWORD") || strings.Contains(name, "PASSWD") ||
		!validVariable(name)
}

// validVariable reports whether a shell could set a variable of this name.
func validVariable(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// environment layers what a command gets: the call over the host's own list
// over the inherited names. dropped are the names that somebody set and that
// never pass, sorted.
func environment(host []string, call map[string]string) (env map[string]string, dropped []string) {
	env = map[string]string{}
	for _, entry := range os.Environ() {
		if name, value, ok := strings.Cut(entry, "="); ok && inherited(name) {
			env[name] = value
		}
	}
	for _, entry := range host {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	maps.Copy(env, call)
	for name := range env {
		if withheld(name) || strings.ContainsRune(env[name], 0) {
			delete(env, name)
			dropped = append(dropped, name)
		}
	}
	slices.Sort(dropped)
	return env, dropped
}
