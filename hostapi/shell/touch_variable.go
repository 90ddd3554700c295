package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Variables that make a shell or another program run something. A value that is a command,
// or that a program adds words to, is read as such. A value that is settings or code is
// opaque, unless all of it is known to be harmless. Variables that lead to files of code,
// such as PATH and PYTHONPATH, are neither: like a script's name, they do not show what runs.

// runVariables are run by shells, or change what commands mean. computedVariables have
// their values evaluated, which can run commands.
var (
	runVariables      = []string{"PS4", "PS0", "PROMPT_COMMAND", "BASH_ENV", "ENV", "BASH_ALIASES", "BASH_CMDS", "SHELLOPTS", "BASHOPTS"}
	computedVariables = []string{"RANDOM", "SRANDOM", "SECONDS", "LINENO", "OPTIND", "HISTCMD", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME"}
)

// programVariables name a program or a command that other programs run, and so do those
// with an ending of programEndings.
var (
	programVariables = []string{
		"GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "KUBECTL_EXTERNAL_DIFF",
		"VISUAL", "FCEDIT", "LESSOPEN", "LESSCLOSE", "LESSEDIT", "TEXEDIT", "HGMERGE", "SVN_MERGE", "P4DIFF", "P4MERGE", "DIFFPROG",
		"SVN_SSH", "CVS_RSH", "RSYNC_RSH", "RSYNC_CONNECT_PROG", "BORG_RSH", "FZF_DEFAULT_COMMAND", "SHELL", "CONFIG_SHELL", "MAKESHELL",
		"MAKE", "CC", "CXX", "CPP", "FC", "F77", "LD", "AS", "AR", "NM", "RANLIB", "STRIP", "OBJCOPY", "OBJDUMP", "LEX", "YACC", "INSTALL", "NINJA",
		"HOSTCC", "HOSTCXX", "GCCGO", "PKG_CONFIG", "CCACHE_PREFIX", "CCACHE_PREFIX_CPP", "RUSTC", "RUSTDOC", "RUSTFMT", "CARGO", "CARGO_BUILD_RUSTC",
		"CARGO_BUILD_RUSTDOC", "GOAUTH", "GOCACHEPROG", "JAVACMD", "PYTHON", "CLOUDSDK_PYTHON", "NPM_CONFIG_GIT", "NPM_CONFIG_SHELL", "NPM_CONFIG_SCRIPT_SHELL",
		"NPM_CONFIG_PYTHON", "NPM_CONFIG_NODE_GYP", "NPM_CONFIG_VIEWER",
	}
	programEndings = []string{"EDITOR", "PAGER", "BROWSER", "ASKPASS", "_WRAPPER", "_LINKER", "_RUNNER", "_LAUNCHER", "_COMPILER"}
)

// settingVariables are settings and code of programs, with what is harmless of them; nil
// for nothing. A name that ends in * stands for all that begin so.
var settingVariables = map[string]func(value string) bool{
	"GIT_CONFIG": nil, "GIT_CONFIG_COUNT": nil, "GIT_CONFIG_KEY_*": nil, "GIT_CONFIG_VALUE_*": nil, "GIT_CONFIG_PARAMETERS": nil, "GIT_EXEC_PATH": nil,
	"GIT_CONFIG_GLOBAL": noFile, "GIT_CONFIG_SYSTEM": noFile, "GIT_TEMPLATE_DIR": noFile, "GIT_ALLOW_PROTOCOL": each(`(?:file|git|http|https|ssh|:)*`),
	"HGRCPATH": noFile, "JJ_CONFIG": noFile, "WGETRC": noFile, "RIPGREP_CONFIG_PATH": noFile, "NPM_CONFIG_USERCONFIG": noFile, "NPM_CONFIG_GLOBALCONFIG": noFile,
	"GOENV": func(value string) bool { return value == "off" || noFile(value) },

	"LD_PRELOAD": nil, "LD_AUDIT": nil, "DYLD_INSERT_LIBRARIES": nil, "GCONV_PATH": nil, "GCC_EXEC_PREFIX": nil, "COMPILER_PATH": nil,
	"PYTHONSTARTUP": nil, "PYTHONBREAKPOINT": each(`0`), "PERL5DB": nil, "PERLDB_OPTS": nil, "PERL5OPT": each(`-[wT]`), "LUA_INIT*": nil,
	"RUBYOPT":      each(`-[wW][012]?|-W:[a-z_-]+|--(?:yjit|jit|(?:enable|disable)[=-][a-z_-]+)`),
	"NODE_OPTIONS": plainNode, "NPM_CONFIG_NODE_OPTIONS": plainNode, "NODE_REPL_EXTERNAL_MODULE": nil, "BUN_OPTIONS": nil, "NPM_CONFIG_ONLOAD_SCRIPT": nil, "NPM_CONFIG_INIT_MODULE": nil,
	"JAVA_TOOL_OPTIONS": plainJava, "_JAVA_OPTIONS": plainJava, "JDK_JAVA_OPTIONS": plainJava, "JAVA_OPTS": plainJava, "MAVEN_OPTS": plainJava, "GRADLE_OPTS": plainJava, "SBT_OPTS": plainJava, "ANT_OPTS": plainJava,
	"ERL_FLAGS": nil, "ERL_AFLAGS": nil, "ERL_ZFLAGS": nil, "ELIXIR_ERL_OPTIONS": nil, "R_PROFILE": noFile, "R_PROFILE_USER": noFile, "R_ENVIRON": noFile, "R_ENVIRON_USER": noFile,

	"GOFLAGS":   each(`--?(?:mod|modfile|tags|count|p|buildvcs|timeout|run|skip|parallel|cpu|cover|covermode|shuffle|vet|buildmode)=[\w.,:/|^$-]*|--?(?:race|v|x|a|n|work|trimpath|short|cover|asan|msan|modcacherw|failfast|json|buildvcs|linkshared)|--?ldflags=-[sw]`),
	"MAKEFLAGS": plainMake, "GNUMAKEFLAGS": plainMake, "MFLAGS": plainMake, "MAKEFILES": noFile, "CONFIG_SITE": noFile,
	"CFLAGS": plainC, "CXXFLAGS": plainC, "CPPFLAGS": plainC, "LDFLAGS": plainC, "FFLAGS": plainC, "CGO_CFLAGS": plainC, "CGO_CXXFLAGS": plainC, "CGO_CPPFLAGS": plainC, "CGO_LDFLAGS": plainC,
	"RUSTFLAGS": plainRust, "RUSTDOCFLAGS": plainRust, "CARGO_ENCODED_RUSTFLAGS": plainRust, "CARGO_BUILD_RUSTFLAGS": plainRust,

	"LESS": plainLess, "MORE": plainLess, "LESSKEY": noFile, "LESSKEYIN": noFile, "LESSKEY_CONTENT": nil, "MANOPT": nil, "INPUTRC": noFile,
	"VIMINIT": nil, "EXINIT": nil, "GVIMINIT": nil, "TAR_OPTIONS": nil, "ZIPOPT": nil, "FZF_DEFAULT_OPTS": nil, "FZF_DEFAULT_OPTS_FILE": noFile,
}

var (
	plainNode = each(`--[A-Za-z_-]+(?:=\d+|=(?:verbatim|ipv4first|strict|warn|none|throw|warn-with-error-codes))?`)
	plainJava = each(`-X(?:m[snx]|ss)\w+|-Xint|-Xshare:\w+|-D[\w.]+(?:=[\w.:/,%+-]*)?|-XX:[+-]\w+|-XX:\w+=\d+[kmgKMG]?|-ea|-enableassertions|--(?:add-opens|add-exports|enable-preview|enable-native-access)(?:=[\w.,/-]+)?`)
	plainMake = each(`-?[BijklnqrRsSw]*[0-9.]*|--(?:no-print-directory|silent|quiet|keep-going|warn-undefined-variables)|--jobs=\d+|--output-sync(?:=[a-z]+)?`)
	plainC    = each(`-(?:[DUILlOgm][\w./=+,:-]*|W[\w=+-]*|Wl,(?:-rpath|-z|-O1|--as-needed|--gc-sections)[\w,=./-]*|f(?:PIC|PIE|pic|pie)|f[a-eg-ot-z][\w=+,-]*|f(?:sanitize|stack|short|signed|ffast|freestanding|rounding)[\w=+,-]*|std=[\w+]+|s|v|w|c|pipe|pthread|pedantic|shared|static[\w-]*|no[\w-]*)`)
	rustWords = each(`[\w.=+,:"/-]+`)
	plainRust = func(value string) bool {
		return rustWords(value) && !strings.Contains(value, "link") && !strings.Contains(value, "ar=")
	}
	plainLess = each(`-?[A-Za-jl-z0-9]*|--(?:quit-if-one-screen|no-init|RAW-CONTROL-CHARS|ignore-case|chop-long-lines|use-color)`)
)

// each is whether every word of a value is of a form.
func each(form string) func(value string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + form + `)$`) })
	return func(value string) bool {
		return !slices.ContainsFunc(strings.Fields(value), func(word string) bool { return !compiled().MatchString(word) })
	}
}

// noFile is whether a file's name stands for none.
func noFile(value string) bool { return value == "" || value == "/dev/null" }

// configures is whether a variable is in settingVariables, and what is harmless of it.
func configures(name string) (harmless func(value string) bool, ok bool) {
	if harmless, ok = settingVariables[name]; ok {
		return harmless, true
	}
	for listed, harmless := range settingVariables {
		if begin, all := strings.CutSuffix(listed, "*"); all && strings.HasPrefix(name, begin) {
			return harmless, true
		}
	}
	if strings.HasSuffix(name, "_RUSTFLAGS") {
		return plainRust, true
	}
	return nil, false
}

// unknown is a value that nobody knows.
var unknown = shape{chunks: []string{"", ""}}

// sets reads what a variable makes run that is set to a value.
func (r *reading) sets(name string, value shape, at place, depth int) {
	known := name
	if upper := strings.ToUpper(name); strings.HasPrefix(upper, "NPM_CONFIG_") { // npm reads it in any case, and with dashes
		known = strings.ReplaceAll(upper, "-", "_")
	}
	text := value.text()
	isProgram := slices.Contains(programVariables, known) || slices.ContainsFunc(programEndings, func(end string) bool { return strings.HasSuffix(known, end) })
	harmless, isSetting := configures(known)
	switch {
	case slices.Contains(runVariables, name):
		r.refuse(opaque(at, "%s, which shells run", name))
	case slices.Contains(computedVariables, name) && (!value.isPlain() || strings.Trim(text, "0123456789") != ""):
		r.refuse(opaque(at, "%s, whose value shells compute", name))
	case isSetting && (!value.isPlain() || harmless == nil || !harmless(text)):
		r.refuse(opaque(at, "%s, whose value can make programs run commands", name))
	case !isProgram || isSetting:
	case !value.isPlain():
		r.refuse(opaque(at, "%s, which names a program and is computed", name))
	default:
		r.program(known, text, at, depth)
	}
}

// program reads the value of a variable that names a program.
func (r *reading) program(name, value string, at place, depth int) {
	switch {
	case strings.TrimSpace(value) == "" || strings.HasSuffix(name, "SHELL") && slices.Contains(shells, base(value)):
		return // none, or what runs lines anyway
	case strings.HasPrefix(name, "LESS"):
		value = strings.TrimLeft(value, "|-")
	case strings.HasSuffix(name, "BROWSER"):
		value = strings.ReplaceAll(value, ":", "\n") // a list
	}
	inner := &reading{work: r.work, text: value}
	inner.line(value+` "$@"`, depth+1)
	r.left = inner.left
	for _, c := range inner.commands {
		c.at = at
		r.commands = append(r.commands, c)
	}
	if inner.why != nil {
		r.refuse(opaque(at, "%s, which names a program: %s", name, inner.why.reason))
	}
}

// given is sets for the words of a builtin, which may name variables, with a value or
// without.
func (r *reading) given(builtin string, words []shape, at place, depth int) {
	for _, word := range words {
		name, value, assigns := word.assignment()
		switch {
		case strings.HasSuffix(name, "+") || !assigns && slices.Contains([]string{"read", "getopts", "wait"}, builtin):
			value = unknown
		case !assigns: // it keeps its value
			value = shape{chunks: []string{""}}
		}
		r.sets(strings.TrimSuffix(name, "+"), value, at, depth)
	}
}

// assignment cuts a word at its first =.
func (s shape) assignment() (name string, value shape, ok bool) {
	name, first, ok := strings.Cut(s.begins(), "=")
	value = shape{chunks: append([]string{first}, s.chunks[1:]...), many: s.many}
	return name, value, ok
}
