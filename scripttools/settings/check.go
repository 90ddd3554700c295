package settings

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// check refuses values that have the right type but cannot be used. The error
// is a *[placedError].
func (f *file) check(seen *places) (err error) {
	for _, check := range []func(*places) error{f.checkLimits, f.checkAudit, f.checkServe, f.checkSandbox, f.checkPolicy, f.checkHosts, f.checkServers} {
		if err := check(seen); err != nil {
			return err
		}
	}
	return nil
}

// checkLimits refuses limits with which nothing could run.
func (f *file) checkLimits(seen *places) error {
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"limits.timeoutMs", f.Limits.TimeoutMs},
		{"limits.maxToolCalls", int64(f.Limits.MaxToolCalls)},
		{"limits.maxOutputBytes", f.Limits.MaxOutputBytes},
		{"limits.maxResultBytes", f.Limits.MaxResultBytes},
		{"limits.maxMemoryBytes", f.Limits.MaxMemoryBytes},
		{"sandbox.limits.memoryBytes", f.Sandbox.Limits.MemoryBytes},
		{"sandbox.limits.processes", int64(f.Sandbox.Limits.Processes)},
		{"sandbox.limits.openFiles", int64(f.Sandbox.Limits.OpenFiles)},
		{"sandbox.limits.fileBytes", f.Sandbox.Limits.FileBytes},
	} {
		if limit.value <= 0 && seen.has(limit.key) {
			return seen.mistake(seen.key(limit.key), fmt.Errorf("%s is %d; expected more than zero", limit.key, limit.value))
		}
	}
	var low *sandbox.LimitError
	if errors.As(sandbox.Limits(f.Sandbox.Limits).Check(), &low) {
		key := "sandbox.limits." + low.Name
		return seen.mistake(seen.key(key), fmt.Errorf("%s is %d; expected at least %d", key, low.Value, low.Min))
	}
	if most := runtime.MaxLimits().Timeout.Milliseconds(); f.Limits.TimeoutMs > most { // a larger one may overflow into a small one
		return seen.mistake(seen.key("limits.timeoutMs"), &runtime.LimitError{
			Field: "limits.timeoutMs", Value: f.Limits.TimeoutMs, Min: runtime.MinLimits().Timeout.Milliseconds(), Max: most,
		})
	}
	return nil
}

// Bounds of the serve table, in bytes: a result needs room for the line that says what is
// left out, and clients cut long instructions.
const minServeResult, maxServeResult, maxInstructions = 1 << 10, 16 << 20, 16 << 10

func (f *file) checkServe(seen *places) error {
	if n := f.Serve.MaxResultBytes; seen.has("serve.maxResultBytes") && (n < minServeResult || n > maxServeResult) {
		return seen.mistake(seen.key("serve.maxResultBytes"), fmt.Errorf("serve.maxResultBytes is %d; expected %d to %d", n, minServeResult, maxServeResult))
	}
	if n := len(f.Serve.Instructions); n > maxInstructions {
		return seen.mistake(seen.key("serve.instructions"), fmt.Errorf("serve.instructions has %d bytes; expected at most %d", n, maxInstructions))
	}
	return nil
}

func (f *file) checkAudit(seen *places) error {
	at := max(seen.key("audit"), seen.key("audit.file"), seen.key("audit.require"))
	if f.Audit.File != "" || at < 0 {
		return nil
	}
	return seen.mistake(at, errors.New("audit.file is missing; name the file for the log"))
}

// checkSandbox refuses unknown profiles and hosts that are not hosts.
func (f *file) checkSandbox(seen *places) error {
	check := func(key string, s shell.Sandbox) error {
		if err := (&shell.Tool{Sandbox: s}).Validate(); err != nil {
			return seen.mistake(seen.key(key), err)
		}
		return nil
	}
	if err := check("sandbox.profile", shell.Sandbox{Profile: shell.Profile(f.Sandbox.Profile)}); err != nil {
		return err
	}
	confined := shell.Sandbox{Network: sandbox.NetworkProxied, Private: f.Sandbox.Private}
	if err := check("sandbox.private", confined); err != nil {
		return err
	}
	for i, path := range f.Sandbox.Write {
		if resolved, err := f.resolvePath(path); err == nil && filepath.Clean(resolved) == "/" && f.Sandbox.Profile != string(shell.ProfileOff) {
			return seen.mistake(seen.item("sandbox.write", i), errors.New("sandbox.write names the root folder; name the folders that commands need"))
		}
	}
	for i, path := range f.Sandbox.Read {
		if resolved, err := f.resolvePath(path); err == nil && f.Sandbox.Profile != string(shell.ProfileOff) {
			var root *sandbox.RootError
			if errors.As((&shell.Tool{Sandbox: shell.Sandbox{Read: []string{resolved}}}).Validate(), &root) {
				return seen.mistake(seen.item("sandbox.read", i), root)
			}
		}
	}
	value := f.Sandbox.Network
	if networkRank(value) < 0 {
		return seen.mistake(seen.key("sandbox.network"), fmt.Errorf(
			`network is %s; expected "none", "loopback", "full", or a list of hosts such as ["api.example.com", "preset:go"]`, render(value)))
	}
	confined.Hosts, _ = hostsOf(value)
	return check("sandbox.network", confined)
}

// checkPolicy parses the rules and records where each stands.
func (f *file) checkPolicy(seen *places) error {
	var rules hostapi.Rules
	for _, list := range []struct {
		key   string
		texts []string
		to    *[]hostapi.Rule
	}{{"policy.deny", f.Policy.Deny, &rules.Deny}, {"policy.ask", f.Policy.Ask, &rules.Ask}, {"policy.allow", f.Policy.Allow, &rules.Allow}} {
		if seen.has(list.key) {
			*list.to = []hostapi.Rule{} // an empty allow allows nothing
		}
		for i, text := range list.texts {
			at := seen.item(list.key, i)
			rule, err := hostapi.ParseRule(text)
			if err != nil {
				return seen.mistake(at, fmt.Errorf("%s: %w", list.key, err))
			}
			line, col := seen.place(at)
			rule.From = fmt.Sprintf("%s:%d:%d", f.path, line, col)
			*list.to = append(*list.to, rule)
		}
		if seen.has(list.key) {
			f.policy = &rules
		}
	}
	return nil
}

// checkHosts refuses addresses where hosts are expected.
func (f *file) checkHosts(seen *places) error {
	for _, list := range []struct {
		key   string
		hosts []string
	}{{"fetch.hosts", f.Fetch.Hosts}, {"fetch.private", f.Fetch.Private}} {
		for i, host := range list.hosts {
			if u, err := url.Parse(host); err == nil && strings.Contains(host, "://") {
				return seen.mistake(seen.item(list.key, i), fmt.Errorf("%s holds a URL; expected a host: %q", list.key, u.Host))
			}
		}
	}
	return nil
}
