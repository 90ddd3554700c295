package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// grants are what a policy opens besides the system's folders: the folders of the
// operator's PATH, and toolchains. Nothing else of HOME is open.
type grants struct {
	path, home string
	toolchains []string
}

func (p Policy) grants() grants { return grants{path: p.Path, home: p.Home, toolchains: p.Toolchains} }

// homes are the home folders whose secrets are hidden, as named and with links
// followed: that of HOME, and that of the system's user.
func (g grants) homes() []string {
	named := []string{g.home}
	if u, err := user.Current(); err == nil {
		named = append(named, u.HomeDir)
	}
	var homes []string
	for _, home := range named {
		if !filepath.IsAbs(home) || filepath.Clean(home) == "/" {
			continue
		}
		homes = append(homes, filepath.Clean(home))
		if resolved, err := filepath.EvalSymlinks(home); err == nil {
			homes = append(homes, resolved)
		}
	}
	slices.Sort(homes)
	return slices.Compact(homes)
}

// keysInHome are the names under which people and programs keep credentials. They
// matter where a granted folder holds them; elsewhere commands cannot read them anyway.
var keysInHome = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".config/op", ".netrc", ".npmrc", ".pypirc",
	".git-credentials", ".pgpass", ".cargo/credentials", ".cargo/credentials.toml", ".terraform.d", ".vault-token", ".password-store",
	".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".bash_history", ".zsh_history", ".python_history",
	".local/state/scriptrun",

	// Of version control and its hosts.
	".config/git/credentials", ".config/hub", ".config/glab-cli", ".config/github-copilot",
	".gitcookies", ".subversion/auth", ".cvspass", ".config/tea", ".circleci/cli.yml", ".travis/config.yml", "_netrc",
	".gitconfig", ".config/git/config", // a header or an address with a token
	// Of package managers.
	".yarnrc.yml", ".config/pip/pip.conf", ".pip/pip.conf", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties",
	".gem/credentials", ".local/share/gem/credentials", ".bundle/config", ".composer/auth.json", ".config/composer/auth.json",
	".hex/hex.config", ".sbt/.credentials", ".ivy2/.credentials", ".config/coursier/credentials.properties", ".conan2/credentials.json", ".bunfig.toml",
	".local/share/uv/credentials", ".config/helm/registry",
	".config/pypoetry/auth.toml", ".nuget/NuGet/NuGet.Config", ".config/containers/auth.json", ".dockercfg", ".jfrog", ".config/nix/nix.conf",
	".yarnrc", ".config/pnpm/auth.ini", ".config/dart/pub-credentials.json",
	// Of agents and models.
	".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".cache/huggingface/token", ".huggingface/token",
	".claude.json", ".gemini/mcp-oauth-tokens.json", ".qwen/oauth_creds.json", ".local/share/opencode/auth.json", ".local/share/opencode/mcp-auth.json", ".kaggle/kaggle.json",
	".copilot", ".codeium", ".local/share/crush", ".config/io.datasette.llm", ".clearml.conf",
	".cache/huggingface/stored_tokens", ".config/kaggle/kaggle.json", ".ollama/id_ed25519", ".continue/config.json", ".config/goose/secrets.yaml", ".modal.toml",
	// Of stores and clouds.
	".s3cfg", ".boto", ".config/rclone", ".rclone.conf", ".config/doctl", ".config/hcloud", ".fly", ".oci", ".terraformrc",
	".config/sops/age", ".config/age", ".supabase/access-token", ".config/stripe", ".config/heroku", ".config/netlify", ".local/share/com.vercel.cli",
	".wrangler", ".config/.wrangler", ".config/ngrok", ".databrickscfg", ".snowflake", ".config/snowflake", ".dbt/profiles.yml",
	".pulumi", ".talos", ".minikube", ".aliyun", ".bluemix", ".config/scw", ".config/exoscale", ".config/linode-cli", ".vultr-cli.yaml", ".civo.json",
	".railway", ".config/configstore", ".doppler", ".infisical", ".tsh", ".step", ".local/share/mkcert", ".sentryclirc", ".twurlrc", ".twilio-cli", ".slack",
	".chef", ".config/openstack", ".config/argocd", ".argocd", ".rancher", ".cloudflared", ".mc/config.json", ".config/borg/keys", ".config/restic",
	".config/neonctl", ".config/planetscale",
	// Of mail, the network and desktops.
	".authinfo", ".authinfo.gpg", ".msmtprc", ".config/msmtp", ".fetchmailrc", ".wgetrc", ".curlrc", ".smbcredentials", ".Xauthority", ".vnc", ".erlang.cookie",
	".local/share/kwalletd", ".config/Bitwarden", ".config/1Password", ".config/Slack", ".config/BraveSoftware", ".config/microsoft-edge",
	".config/vivaldi", ".config/opera", ".librewolf", ".thunderbird",
	".zen", ".local/share/evolution", ".config/evolution", ".mbsyncrc", ".config/isyncrc", ".offlineimaprc", ".putty", ".local/share/gopass", ".config/filezilla",
	".local/share/remmina", ".config/goa-1.0", ".config/discord", ".config/Signal", ".config/Element", ".local/share/TelegramDesktop",
	".bitcoin", ".ethereum", ".electrum", ".config/solana", ".foundry/keystores",
	".davfs2/secrets", ".purple/accounts.xml", ".config/aerc/accounts.conf", ".config/weechat/sec.conf", ".pki/nssdb", ".local/share/rbw", ".local/share/lpass",
	".config/Bitwarden CLI",
	// Of databases, and histories of what was typed.
	".my.cnf", ".mylogin.cnf", ".psql_history", ".mysql_history", ".rediscli_history", ".node_repl_history", ".local/share/fish/fish_history",
	".zhistory", ".histfile", ".sqlite_history", ".irb_history", ".local/share/irb/irb_history", ".R_history", ".Rhistory", ".lesshst", ".local/state/lesshst", ".viminfo",
	".local/share/nvim/shada", ".local/state/nvim/shada",
	".config/nushell/history.txt", ".local/share/atuin", ".local/share/powershell/PSReadLine", ".local/state/python_history", ".julia/logs",
	".duckdb_history", ".mongosh", ".dbshell", ".ghc/ghci_history", ".local/share/DBeaverData",
	".history", ".ksh_history", ".sh_history", ".mksh_history", ".config/zsh/.zsh_history", ".local/state/bash/history", ".local/state/zsh/history",
	".gdb_history", ".pry_history", ".local/share/pry/pry_history",
}

// named are the folders of PATH and the toolchains that commands may read, each with
// its links followed. It leaves out home folders and what holds one, paths inside a
// secret, and paths through a place that commands may write, because they could put a
// link there.
func (g grants) named(writable []string) map[string]string {
	homes := g.homes()
	places := NewPlaces(writable...)
	var secrets []string
	for _, home := range homes {
		for _, name := range keysInHome {
			if path, err := filepath.EvalSymlinks(filepath.Join(home, name)); err == nil {
				secrets = append(secrets, path)
			}
		}
	}
	named := map[string]string{}
	for _, dir := range append(filepath.SplitList(g.path), g.toolchains...) {
		if !filepath.IsAbs(dir) {
			continue
		}
		resolved, ok := places.Follow(dir)
		holdsHome := slices.ContainsFunc(homes, func(home string) bool { return beneath(home, resolved) })
		secret := slices.ContainsFunc(secrets, func(path string) bool { return beneath(resolved, path) })
		if ok && resolved != "/" && !holdsHome && !secret {
			named[filepath.Clean(dir)] = resolved
		}
	}
	return named
}

// beneath reports whether path is dir or beneath it. Both are absolute. It is asked ten
// thousand times when a box opens, so it does not say where beneath.
func beneath(path, dir string) bool {
	path, dir = filepath.Clean(path), filepath.Clean(dir)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// outermost drops paths that lie beneath others, and missing ones.
func outermost(paths []string) (kept []string) {
	for i, path := range paths {
		covered := false
		for j, other := range paths {
			covered = covered || beneath(path, other) && (path != other || j < i)
		}
		if _, err := os.Lstat(path); err == nil && !covered && strings.HasPrefix(path, "/") {
			kept = append(kept, path)
		}
	}
	return kept
}
