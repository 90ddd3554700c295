package presets

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// npmHosts are the registry, and those of scopes.
func npmHosts(ctx context.Context, m Machine) (Preset, error) {
	text, err := m.ask(ctx, "npm", "npm", []string{"config", "list", "--json", "--global"}, "npm_config_update_notifier=false")
	if err != nil {
		return Preset{}, err
	}
	var said map[string]any
	if err := json.Unmarshal(text, &said); err != nil {
		return Preset{}, err
	}
	p := Preset{Env: map[string]string{}}
	for key, value := range said {
		text, _ := value.(string)
		if key != "registry" && !(strings.HasPrefix(key, "@") && strings.HasSuffix(key, ":registry")) {
			continue
		}
		if host, plain := address(text); host != "" {
			p.Hosts = append(p.Hosts, host)
			if key == "registry" {
				p.Env["npm_config_registry"] = plain
			}
		}
	}
	if len(p.Hosts) == 0 {
		return Preset{}, &NoHostError{"npm", "npm config names no registry; set one with npm config set registry URL, or name its host"}
	}
	return p, nil
}

// pipHosts are the indexes.
func pipHosts(ctx context.Context, m Machine) (Preset, error) {
	quiet := []string{"PIP_DISABLE_PIP_VERSION_CHECK=1", "COLUMNS=1000", "NO_COLOR=1"}
	program := "pip3"
	text, err := m.ask(ctx, "pip", program, []string{"config", "list"}, quiet...)
	if err != nil {
		program = "pip"
		if text, err = m.ask(ctx, "pip", program, []string{"config", "list"}, quiet...); err != nil {
			return Preset{}, err
		}
	}
	p, index := indexes(string(text))
	if index == "" { // its default is in its help, and nowhere else
		if text, err = m.ask(ctx, "pip", program, []string{"install", "--help"}, quiet...); err != nil {
			return Preset{}, err
		}
		index = helpDefault(string(text), "--index-url")
	}
	if host, plain := address(index); host != "" {
		p.Hosts = append(p.Hosts, host)
		p.Env["PIP_INDEX_URL"] = plain
	}
	if len(p.Hosts) == 0 {
		return Preset{}, &NoHostError{"pip", "pip names no index; set one with pip config set global.index-url URL, or name its host"}
	}
	return p, nil
}

// indexes reads pip config list: lines of key='value', in which variables win,
// then what is for one command, then what is for all.
func indexes(text string) (p Preset, index string) {
	p.Env = map[string]string{}
	var extra []string
	rank := map[string]int{"global": 1, "install": 2, ":env:": 3}
	best := 0
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		section, name, _ := strings.Cut(key, ".")
		value = strings.ReplaceAll(strings.Trim(value, `'"`), `\n`, " ")
		switch {
		case rank[section] == 0:
		case name == "index-url" && rank[section] > best:
			index, best = value, rank[section]
		case name == "extra-index-url":
			for one := range strings.FieldsSeq(value) {
				if host, plain := address(one); host != "" {
					p.Hosts = append(p.Hosts, host)
					extra = append(extra, plain)
				}
			}
		}
	}
	if len(extra) > 0 {
		p.Env["PIP_EXTRA_INDEX_URL"] = strings.Join(slices.Compact(extra), " ")
	}
	return p, index
}

// helpDefault is the default that a help text gives an option: "(default URL)".
func helpDefault(text, option string) string {
	_, after, _ := strings.Cut(text, option+" ")
	after, _, _ = strings.Cut(after, "\n  -") // the next option
	_, after, _ = strings.Cut(after, "(default")
	value, _, _ := strings.Cut(after, ")")
	return strings.Join(strings.Fields(value), "")
}
