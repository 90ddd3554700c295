package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// stores are files in which programs keep credentials, or what somebody typed.
var stores = []string{
	".gitconfig", ".config/git/config", ".netrc", ".claude.json", ".qwen/oauth_creds.json", ".local/share/opencode/auth.json", ".dockercfg", ".authinfo", ".authinfo.gpg",
	".local/share/kwalletd/kdewallet.kwl", ".config/BraveSoftware/Brave-Browser/Default/Cookies", ".config/microsoft-edge/Default/Cookies", ".thunderbird/x/logins.json",
	".zhistory", ".sqlite_history", ".irb_history", ".R_history", ".lesshst", ".viminfo", ".local/state/nvim/shada/main.shada", ".supabase/access-token", ".config/stripe/config.toml",
	".config/heroku/x", ".config/netlify/config.json", ".local/share/com.vercel.cli/auth.json", ".wrangler/config/default.toml", ".config/ngrok/ngrok.yml", ".databrickscfg",
	".snowflake/config.toml", ".dbt/profiles.yml", ".kaggle/kaggle.json", ".jfrog/jfrog-cli.conf.v6", ".config/nix/nix.conf", ".Xauthority", ".vnc/passwd", ".smbcredentials",
	".msmtprc", ".fetchmailrc", ".wgetrc", ".curlrc", ".erlang.cookie", ".config/Bitwarden/data.json", ".config/1Password/x", ".config/Slack/Cookies",
	".copilot/config.json", ".codeium/config.json", ".local/share/crush/crush.json", ".config/io.datasette.llm/keys.json", ".hex/hex.config", ".sbt/.credentials", ".ivy2/.credentials", ".config/coursier/credentials.properties", ".conan2/credentials.json",
	".bunfig.toml", ".local/share/uv/credentials/credentials.toml", ".config/helm/registry/config.json", ".pulumi/credentials.json", ".talos/config", ".minikube/ca.key", ".aliyun/config.json", ".bluemix/config.json", ".config/scw/config.yaml", ".config/exoscale/exoscale.toml",
	".config/linode-cli", ".vultr-cli.yaml", ".civo.json", ".railway/config.json", ".config/configstore/firebase-tools.json", ".doppler/.doppler.yaml", ".infisical/x", ".tsh/x", ".step/x", ".local/share/mkcert/rootCA-key.pem", ".sentryclirc", ".twurlrc", ".twilio-cli/config.json",
	".slack/credentials.json", ".clearml.conf", ".putty/x", ".local/share/gopass/x", ".config/filezilla/sitemanager.xml", ".local/share/remmina/x", ".config/goa-1.0/accounts.conf", ".local/share/evolution/x", ".config/evolution/x", ".mbsyncrc", ".config/isyncrc", ".offlineimaprc",
	".config/discord/x", ".config/Signal/x", ".config/Element/x", ".local/share/TelegramDesktop/x", ".zen/x/logins.json", ".local/share/DBeaverData/x", ".bitcoin/wallet.dat", ".ethereum/keystore/x", ".electrum/x", ".config/solana/id.json", ".foundry/keystores/x",
	".config/nushell/history.txt", ".local/share/atuin/history.db", ".local/share/powershell/PSReadLine/ConsoleHost_history.txt", ".local/state/python_history", ".julia/logs/repl_history.jl", ".duckdb_history", ".mongosh/x", ".dbshell", ".ghc/ghci_history",
}

// TestStoresOfSecretsAreHidden: in a home that is the workspace, or may be read.
func TestStoresOfSecretsAreHidden(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	for _, name := range append(stores, "notes") {
		at := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("OF-"+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, policy := range map[string]sandbox.Policy{"workspace": {Workspace: home}, "read": {Workspace: work, Read: []string{home}}} {
		policy.Path, policy.Home = "/usr/bin:/bin", home
		box := open(t, policy)
		if !whole(t, box) {
			return
		}
		if got := line(t, box, policy.Workspace, "cat $(find "+home+" -type f) 2>/dev/null"); got.out != "OF-notes\n" {
			t.Errorf("%s: %s", name, got.out)
		}
	}
}
