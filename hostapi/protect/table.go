package protect

import (
	"path"
	"slices"
)

// Name is a file or folder that runs by itself, and why.
type Name struct {
	// Path is relative to a working folder, with slashes.
	Path string
	// Reason says which program runs or reads it, as a clause.
	Reason string
	// Except is the exception that allows it, as in [Paths.Except]; empty if none does.
	Except string
}

// Names is the table of protected names, without the parts of repositories. They run as soon as
// somebody opens a folder, works in it or uses git there, without being asked for. Files that
// run only on request, such as a Makefile or the scripts of package.json, are not in it.
func Names() []Name {
	var all []Name
	for _, n := range slices.Concat(names, keys) {
		all = append(all, Name{Path: n.path, Reason: n.reason, Except: n.path})
	}
	return all
}

type named struct{ path, reason string }

var names = []named{
	{"scriptrun.toml", "it says what scripts may do here"},
	{".scriptrun.toml", "it belongs to scriptrun"},
	{".scriptrun", "it belongs to scriptrun"},

	{".hg/hgrc", "Mercurial runs the hooks and programs that it names"},
	{".hg/hgrc-not-shared", "Mercurial runs the hooks and programs that it names"},
	{".hg/sharedpath", "Mercurial takes settings from the repository that it names"},
	{".jj/repo", "Jujutsu runs the programs that it names"},
	{".sl/sharedpath", "Sapling takes settings from the repository that it names"},
	{".sl/config", "Sapling runs the hooks and programs that it names"},
	{".husky", "git runs it as hooks, where husky is set up"},
	{".githooks", "git runs it as hooks, where core.hooksPath names it"},

	{".vscode", "VS Code and its kin run the tasks and programs that it names"},
	{".vs", "Visual Studio runs what it names"},
	{".idea", "JetBrains' editors run what it names"},
	{".run", "JetBrains' editors run the configurations in it"},
	{".fleet", "JetBrains' Fleet runs what it names"},
	{".zed", "Zed runs the programs that it names"},
	{".helix", "Helix runs the language servers that it names"},
	{".nvim.lua", "Neovim runs it, where exrc is set"},
	{".nvimrc", "Neovim runs it, where exrc is set"},
	{".exrc", "vi and its kin run it, where exrc is set"},
	{".vimrc", "Vim runs it, where exrc is set"},
	{".lvimrc", "Vim runs it, with the plugin of that name"},
	{".dir-locals.el", "Emacs takes settings from it"},
	{".dir-locals-2.el", "Emacs takes settings from it"},
	{".theia", "Theia runs the tasks and programs that it names"},
	{".lazygit.yml", "lazygit runs the commands that it names"},
	{".Rprofile", "R and its editors run it"},
	{".Renviron", "R takes an environment from it, and runs the file that it names"},
	{".irbrc", "irb runs it"},
	{".pryrc", "pry runs it"},
	{".rdbgrc", "Ruby's debugger runs it"},
	{".rdbgrc.rb", "Ruby's debugger runs it"},
	{".byebugrc", "byebug runs it"},
	{".pdbrc", "Python's debugger runs it"},
	{".perldb", "Perl's debugger runs it"},
	{".ghci", "ghci runs it"},
	{".ocamlinit", "OCaml runs it"},
	{".erlang", "Erlang runs it"},
	{".iex.exs", "iex runs it"},
	{".octaverc", "Octave runs it"},
	{".gdbinit", "gdb runs it"},
	{".gdbearlyinit", "gdb runs it"},
	{".devcontainer", "editors start containers and commands that it names"},
	{".devcontainer.json", "editors start containers and commands that it names"},

	{".mcp.json", "agents start the servers that it names"},
	{".claude", "Claude Code runs its hooks and starts its servers"},
	{".codex", "Codex takes settings from it"},
	{".gemini", "Gemini starts the servers that it names"},
	{".qwen", "Qwen Code starts the servers that it names"},
	{".cursor", "Cursor runs its hooks and starts its servers"},
	{".windsurf", "Windsurf takes settings from it"},
	{".kiro", "Kiro runs its hooks and starts its servers"},
	{".roo", "Roo Code starts the servers that it names"},
	{".amazonq", "Amazon Q starts the servers that it names"},
	{".continue", "Continue starts the servers that it names"},
	{".opencode", "opencode runs the plugins in it"},
	{"opencode.json", "opencode starts the servers that it names"},
	{"opencode.jsonc", "opencode starts the servers that it names"},
	{".crush.json", "Crush starts the servers that it names"},
	{"crush.json", "Crush starts the servers that it names"},
	{".aider.conf.yml", "aider runs the commands that it names"},
	{".clinerules", "Cline runs the hooks in it"},
	{".github/hooks", "Copilot runs it as hooks"},
	{".kilocode", "Kilo Code starts the servers that it names"},
	{".trae", "Trae starts the servers that it names"},

	{".envrc", "direnv runs it"},
	{".direnv", "direnv takes an environment from it"},
	{"mise.toml", "mise runs its hooks"},
	{".mise.toml", "mise runs its hooks"},
	{"mise.local.toml", "mise runs its hooks"},
	{".mise.local.toml", "mise runs its hooks"},
	{".mise", "mise runs its hooks"},
	{".config/mise", "mise runs its hooks"},
	{".config/mise.toml", "mise runs its hooks"},
	{"mise/config.toml", "mise runs its hooks"},
	{".autoenv", "shells run it, with the plugin of that name"},
	{".autoenv.zsh", "zsh runs it, with the plugin of that name"},
	{".autoenv_leave.zsh", "zsh runs it, with the plugin of that name"},

	// A workspace that is a home folder.
	{".profile", "shells run it"},
	{".bashrc", "bash runs it"},
	{".bash_profile", "bash runs it"},
	{".bash_login", "bash runs it"},
	{".bash_logout", "bash runs it"},
	{".bash_aliases", "bash runs it"},
	{".zshrc", "zsh runs it"},
	{".zshenv", "zsh runs it"},
	{".zprofile", "zsh runs it"},
	{".zlogin", "zsh runs it"},
	{".zlogout", "zsh runs it"},
	{".zshrc.zwc", "zsh runs it in the place of .zshrc"},
	{".zshenv.zwc", "zsh runs it in the place of .zshenv"},
	{".zprofile.zwc", "zsh runs it in the place of .zprofile"},
	{".zlogin.zwc", "zsh runs it in the place of .zlogin"},
	{".zlogout.zwc", "zsh runs it in the place of .zlogout"},
	{".lesskey", "less runs the programs that it names"},
	{".config/lesskey", "less runs the programs that it names"},
	{".lldbinit", "lldb runs it"},
	{".bashrc.d", "bash runs it, where .bashrc says so"},
	{".cshrc", "csh runs it"},
	{".tcshrc", "tcsh runs it"},
	{".login", "csh runs it"},
	{".kshrc", "ksh runs it"},
	{".mkshrc", "mksh runs it"},
	{".oh-my-zsh", "zsh runs it, with the plugins of that name"},
	{".inputrc", "shells bind keys to the commands in it"},
	{".bash_completion", "bash runs it"},
	{".local/share/bash-completion", "bash runs what is in it"},
	{".pam_environment", "logins take an environment from it"},
	{".tmux.conf", "tmux runs the commands in it"},
	{".config/tmux", "tmux runs the commands in it"},
	{".screenrc", "screen runs the commands in it"},
	{".config/zsh", "zsh runs it, where ZDOTDIR names it"},
	{".config/direnv", "direnv runs it"},
	{".config/nushell", "Nushell runs it"},
	{".config/powershell", "PowerShell runs it"},
	{".hgrc", "Mercurial runs the hooks and programs that it names"},
	{".config/hg", "Mercurial runs the hooks and programs that it names"},
	{".jjconfig.toml", "Jujutsu runs the programs that it names"},
	{".config/jj", "Jujutsu runs the programs that it names"},
	{".gitconfig", "git runs the programs that it names"},
	{".config/git", "git runs the programs that it names"},
	{".config/fish", "fish runs it"},
	{".config/starship.toml", "shells run the commands that it names"},
	{".config/lazygit", "lazygit runs the commands that it names"},
	{".config/Code", "VS Code runs the tasks and programs that it names"},
	{".config/helix", "Helix runs the language servers that it names"},
	{".config/zed", "Zed runs the programs that it names"},
	{".config/gdb", "gdb runs it"},
	{".config/kitty", "kitty runs the programs that it names"},
	{".config/alacritty", "Alacritty runs the programs that it names"},
	{".config/i3", "i3 runs the programs that it names"},
	{".config/sway", "sway runs the programs that it names"},
	{".config/autostart", "the desktop starts it"},
	{".config/systemd", "systemd starts it"},
	{".config/scriptrun", "it says what scripts may do"},
	{".config/environment.d", "systemd takes an environment from it"},
	{".config/nvim", "Neovim runs it"},
	{".config/emacs", "Emacs runs it"},
	{".local/bin", "shells find programs in it"},
	{".local/share/systemd", "systemd starts it"},
	{".local/share/applications", "the desktop starts it"},
	{".local/share/nvim/site", "Neovim runs the plugins in it"},
	{".config/plasma-workspace", "the desktop runs it"},
	{".xprofile", "the desktop runs it"},
	{".xsession", "the desktop runs it"},
	{".xsessionrc", "the desktop runs it"},
	{".xinitrc", "the desktop runs it"},
	{".gvimrc", "Vim runs it"},
	{".vim", "Vim runs what is in it"},
	{".emacs", "Emacs runs it"},
	{".emacs.d", "Emacs runs it"},
	{".local/lib", "Python runs the start-up files in it"},
	{"Library/Python", "Python runs the start-up files in it"},
	{"Library/LaunchAgents", "the system starts it"},
	{".ipython", "IPython runs what is in it"},
	{".jupyter", "Jupyter runs what is in it"},
	{".julia/config", "Julia runs it"},
	{".config/rstudio", "RStudio runs what it names"},
	{".sbclrc", "SBCL runs it"},
	{".guile", "Guile runs it"},
	{".config/irb", "irb runs it"},
	{".config/pry", "pry runs it"},
	{".psqlrc", "psql runs the commands in it"},
	{".sqliterc", "sqlite3 runs the commands in it"},
	{".emacs.el", "Emacs runs it"},
	{".emacs.elc", "Emacs runs it"},
	{".config/vim", "Vim runs what is in it"},
	{".config/kak", "Kakoune runs it"},
	{".config/micro", "micro runs the plugins in it"},
	{".config/VSCodium", "VSCodium runs the tasks and programs that it names"},
	{".config/Cursor", "Cursor runs the tasks and programs that it names"},
	{".vscode-server", "VS Code runs what is in it"},
	{".config/JetBrains", "JetBrains' editors run what it names"},
	{".config/sublime-text", "Sublime Text runs the plugins in it"},
	{".p10k.zsh", "zsh runs it, where .zshrc says so"},
	{".zprezto", "zsh runs it, where .zshrc says so"},
	{".zim", "zsh runs it, where .zshrc says so"},
	{".oh-my-bash", "bash runs it, where .bashrc says so"},
	{".bash_it", "bash runs it, where .bashrc says so"},
	{".cargo/env", "shells run it, where .profile says so"},
	{".config/user-dirs.dirs", "the desktop runs it"},
	{".local/share/fish", "fish runs what is in it"},
	{".config/elvish", "Elvish runs it"},
	{".xonshrc", "xonsh runs it"},
	{".config/xonsh", "xonsh runs it"},
	{".condarc", "conda takes plugins and packages from where it says"},
	{".config/wezterm", "WezTerm runs it"},
	{".wezterm.lua", "WezTerm runs it"},
	{".config/ghostty", "Ghostty runs the programs that it names"},
	{".config/foot", "foot runs the programs that it names"},
	{".config/zellij", "Zellij runs the commands that it names"},
	{".config/hypr", "Hyprland runs the programs that it names"},
	{".config/bspwm", "bspwm runs it"},
	{".config/sxhkd", "sxhkd runs the commands that it names"},
	{".config/awesome", "awesome runs it"},
	{".config/openbox", "Openbox runs the programs that it names"},
	{".config/polybar", "Polybar runs the commands that it names"},
	{".config/waybar", "Waybar runs the commands that it names"},
	{".config/autostart-scripts", "the desktop starts it"},
	{".local/share/dbus-1", "D-Bus starts the programs that it names"},
	{".config/ranger", "ranger runs the commands that it names"},
	{".config/lf", "lf runs the commands that it names"},
	{".config/vifm", "Vifm runs the commands that it names"},
	{".config/yazi", "Yazi runs the plugins in it"},
	{".config/mpv", "mpv runs the scripts in it"},
	{".config/nix", "Nix runs the programs that it names"},
	{".mailcap", "mail programs run the commands that it names"},
	{".muttrc", "Mutt runs the commands that it names"},
	{".config/mutt", "Mutt runs the commands that it names"},
	{".forward", "mail servers run the programs that it names"},
	{".procmailrc", "procmail runs the commands in it"},
	{".rhosts", "logins let in whom it lists"},
	{".shosts", "logins let in whom it lists"},
}

// keys are the names of [Paths.MatchKeys].
var keys = []named{
	{Trash + "/" + Ignore, "it keeps git from what is in the trash"},
	{".ssh", "ssh runs the programs that it names, and lets in whom it lists"},
}

// gitFolder is a repository's own folder, at the top of a working folder.
const gitFolder = ".git"

// gitReason is why it is protected.
const gitReason = "git runs the programs that its configuration and hooks name"

// gitParts are the parts of a repository's folder, and of those of its submodules and further
// working folders, that git obeys. The last two hold remotes that its configuration does not
// name: pushing to one nearby runs its hooks.
var gitParts = []string{"config", "config.worktree", "hooks", "commondir", "remotes", "branches"}

// why is why a path is protected, and the exception that allows it.
type why struct{ reason, except string }

// ofGit is why for a part of a repository; for all of it if part is empty.
func ofGit(part string) why { return why{gitReason, path.Join(gitFolder, part)} }
