package presets

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// goHosts are the module proxies and the checksum database.
func goHosts(ctx context.Context, m Machine) (Preset, error) {
	text, err := m.ask(ctx, "go", "go", []string{"env", "-json", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOENV", "GOROOT"}, "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=")
	if err != nil {
		return Preset{}, err
	}
	var said struct{ GOPROXY, GOSUMDB, GONOSUMDB, GOPRIVATE, GOENV, GOROOT string }
	if err := json.Unmarshal(text, &said); err != nil {
		return Preset{}, err
	}
	p := Preset{Env: map[string]string{"GONOSUMDB": said.GONOSUMDB, "GOPRIVATE": said.GOPRIVATE}}
	if choice := m.goToolchain(said.GOENV, said.GOROOT); choice == "auto" || strings.HasSuffix(choice, "+auto") {
		p.Env["GOTOOLCHAIN"] = choice // the proxies have them as modules
	}
	var proxies strings.Builder
	rest := said.GOPROXY
	for rest != "" {
		one, after := rest, ""
		if i := strings.IndexAny(rest, ",|"); i >= 0 {
			one, after = rest[:i], rest[i:]
		}
		if host, plain := address(withScheme(one)); host != "" {
			p.Hosts = append(p.Hosts, host)
			one = plain
		}
		proxies.WriteString(one)
		if after != "" {
			proxies.WriteByte(after[0])
			after = after[1:]
		}
		rest = after
	}
	if len(p.Hosts) == 0 {
		return Preset{}, &NoHostError{"go", "GOPROXY is " + said.GOPROXY + ", which names no host; set it with go env -w, or name the hosts that modules come from"}
	}
	p.Env["GOPROXY"], p.Env["GOSUMDB"] = proxies.String(), said.GOSUMDB
	if said.GOSUMDB == "off" {
		return p, nil
	}
	key, at, _ := strings.Cut(strings.TrimSpace(said.GOSUMDB), " ")
	name, _, _ := strings.Cut(key, "+")
	if at == "" {
		at = "https://" + name
	}
	if host, plain := address(strings.TrimSpace(at)); host != "" {
		p.Hosts = append(p.Hosts, host)
		if key != strings.TrimSpace(said.GOSUMDB) {
			p.Env["GOSUMDB"] = key + " " + plain
		}
	}
	return p, nil
}

// goToolchain is the operator's GOTOOLCHAIN, from where go has it. Go itself is not asked:
// it would fetch what that says.
func (m Machine) goToolchain(config, root string) (choice string) {
	for _, entry := range m.Env { // of two entries of a name the last counts
		if value, ok := strings.CutPrefix(entry, "GOTOOLCHAIN="); ok {
			choice = value
		}
	}
	for _, path := range []string{config, filepath.Join(root, "go.env")} {
		if choice != "" || !m.kept(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), "GOTOOLCHAIN="); ok {
				choice = value
			}
		}
	}
	return choice
}

// withScheme is a proxy as the go command reads it.
func withScheme(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, ".:/") && !strings.Contains(text, ":/") && !filepath.IsAbs(text) {
		return "https://" + text
	}
	return text
}
