package presets

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// cargoHosts are the registries of cargo's configuration, and what stands in for
// crates.io. Where there are none it is cargo's own default.
func cargoHosts(ctx context.Context, m Machine) (Preset, error) {
	// Stable versions tell their configuration only when they are taken for another.
	text, err := m.ask(ctx, "cargo", "cargo", []string{"-Zunstable-options", "config", "get", "--format", "json"}, "RUSTC_BOOTSTRAP=1", "RUSTUP_AUTO_INSTALL=0")
	if err != nil {
		return Preset{}, err
	}
	var said struct {
		Registries map[string]struct{ Index string }
		Source     map[string]struct{ Registry string }
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return Preset{}, err
	}
	p := Preset{Env: map[string]string{}}
	take := func(text string) (plain string) {
		host, plain := address(text)
		if host != "" {
			p.Hosts = append(p.Hosts, host)
		}
		return plain
	}
	for name, registry := range said.Registries {
		if plain := take(registry.Index); plain != "" {
			p.Env[registryVariable(name)] = plain
		}
	}
	for _, entry := range m.Env {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "CARGO_REGISTRIES_") && strings.HasSuffix(name, "_INDEX") {
			if plain := take(value); plain != "" {
				p.Env[name] = plain
			}
		}
	}
	for _, source := range said.Source { // what stands in for another is one of them
		take(source.Registry)
	}
	if len(p.Hosts) > 0 {
		return p, nil
	}
	index, why, err := cargoDefault(ctx, m)
	if err != nil {
		return Preset{}, err
	}
	if take(index); len(p.Hosts) == 0 {
		return Preset{}, &NoHostError{"cargo", fmt.Sprintf("cargo's configuration names no registry, and cargo did not tell its default (%.300s); name the hosts of the registry that you use, that of its index and that of its files", why)}
	}
	return p, nil
}

// registryVariable is how cargo names the index of a registry in the environment.
func registryVariable(name string) string {
	return "CARGO_REGISTRIES_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "_INDEX"
}

// cargoDefault is the index that cargo asks by itself: it says where it was about to look,
// when it cannot. why is what it said.
func cargoDefault(ctx context.Context, m Machine) (index, why string, err error) {
	home, err := os.MkdirTemp("", "scriptrun-cargo-") // it makes folders there
	if err != nil {
		return "", "", err
	}
	defer func() { _ = os.RemoveAll(home) }()
	if !m.kept(home) {
		return "", "there is no folder for it where commands do not write", nil
	}
	const nowhere = "http://127.0.0.1:0" // no server can be there
	_, complaint, err := m.run(ctx, "cargo", "cargo", []string{"search", "--limit", "1", "x"}, "CARGO_HOME="+home, "CARGO_HTTP_PROXY="+nowhere,
		"HTTPS_PROXY="+nowhere, "CARGO_NET_RETRY=0", "CARGO_NET_OFFLINE=false", "CARGO_TERM_COLOR=never", "RUSTUP_AUTO_INSTALL=0")
	if complaint == nil {
		return "", "", err
	}
	for i, word := range strings.Split(string(complaint), "`") {
		if host, _ := address(word); host != "" && i%2 == 1 { // what is quoted
			return word, "", nil
		}
	}
	return "", strings.Join(strings.Fields(string(complaint)), " "), nil
}
