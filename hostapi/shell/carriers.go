package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// carriers run what their arguments or their input name.
var carriers = []string{
	"env", "xargs", "timeout", "nohup", "sudo", "doas", "su", "runuser", "setpriv", "capsh", "pkexec", "sg", "newgrp",
	"eval", "exec", "command", "builtin", "nice", "ionice", "chrt", "taskset", "numactl", "prlimit", "stdbuf", "unbuffer",
	"time", "setsid", "setarch", "linux32", "linux64", "strace", "ltrace", "watch", "parallel", "flock", "chroot", "unshare",
	"nsenter", "bwrap", "firejail", "script", "expect", "busybox", "toybox", "entr", "at", "batch", "crontab", "systemd-run",
	"start-stop-daemon", "run-parts", "chpst", "softlimit", "ssh", "dbus-run-session", "xvfb-run", "fakeroot", "eatmydata",
	"catchsegv", "coproc", "ld.so", "ld-linux.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
}

// changers are builtins that change what later commands mean, or that evaluate
// their arguments.
var changers = []string{
	"source", ".", "alias", "unalias", "hash", "enable", "set", "shopt", "trap", "unset", "export", "declare", "typeset",
	"local", "readonly", "nameref", "let", "read", "mapfile", "readarray", "getopts", "bind", "complete", "compgen",
	"compopt", "fc", "history", "jobs", "wait",
}

// shells run their input, or the argument of -c.
var shells = []string{
	"sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "lksh", "oksh", "pdksh", "yash", "posh", "fish",
	"csh", "tcsh", "elvish", "nu", "pwsh", "hush", "static-sh",
}

// finderFlags are the arguments of find that run a command.
var finderFlags = []string{"-exec", "-execdir", "-ok", "-okdir"}

// clear refuses a command whose words do not show what it runs.
func (s simple) clear() *unclear {
	if why := obscure(s.words[0], s.words[1:]); why != "" {
		return opaque(s.at, "%s", why)
	}
	return nil
}

// obscure is why the words of a command do not show what it runs; "" where they do.
func obscure(name string, args []string) string {
	if name == "" {
		return "the name of a command is empty"
	}
	base := path.Base(name)
	switch {
	case slices.Contains(carriers, base):
		return fmt.Sprintf("%s runs another command", base)
	case slices.Contains(changers, name):
		return fmt.Sprintf("%s can change what other commands do", base)
	case slices.Contains(shells, base):
		return plainShell(base, args)
	case base == "find" || base == "gfind":
		return without(base, args, finderFlags...)
	case base == "fd" || base == "fdfind":
		return without(base, args, "-x", "-X", "--exec", "--exec-batch")
	case base == "test" || base == "[", base == "printf":
		return without(base, args, "-v") // evaluates a subscript
	case base == "git":
		return plainGit(args)
	}
	return ""
}

// without refuses arguments that begin with a flag.
func without(name string, args []string, flags ...string) string {
	for _, arg := range args {
		for _, flag := range flags {
			if strings.HasPrefix(arg, flag) {
				return fmt.Sprintf("%s %s can run another command", name, flag)
			}
		}
	}
	return ""
}

// plainShell allows a shell that runs a script named by its first argument.
func plainShell(name string, args []string) string {
	if len(args) == 0 {
		return fmt.Sprintf("%s runs what it reads", name)
	}
	first := args[0]
	if first == "" || first[0] == '-' || first[0] == '+' || strings.HasPrefix(path.Clean(first), "/dev/") ||
		strings.HasPrefix(path.Clean(first), "/proc/") {
		return fmt.Sprintf("%s %s runs what it is given or reads", name, first)
	}
	return ""
}

// gitRunners are the subcommands of git that can run a command from their arguments,
// and the arguments that do so.
var gitRunners = map[string][]string{
	"bisect": {"run"}, "submodule": {"foreach"}, "rebase": {"-x", "--ex"}, "filter-branch": {""},
	"difftool": {"-x", "--ext"}, "grep": {"-O", "--open"},
}

// gitValued are git's own options that take the next word as their value.
var gitValued = []string{"-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source", "--list-cmds", "--shallow-file"}

// plainGit refuses git's own options that let any subcommand run something else,
// and subcommands that run a command.
func plainGit(args []string) string {
	value := false
	for i, arg := range args {
		if value {
			value = false
			continue
		}
		switch {
		case arg == "-c" || strings.HasPrefix(arg, "--config-env") || strings.HasPrefix(arg, "--exec-path="):
			return fmt.Sprintf("git %s can run another command", arg)
		case strings.HasPrefix(arg, "-"):
			value = slices.Contains(gitValued, arg)
			continue
		}
		if flags := gitRunners[arg]; flags != nil {
			return without("git "+arg, args[i+1:], flags...)
		}
		return ""
	}
	return ""
}
