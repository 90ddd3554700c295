package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/toolchains"
	"github.com/scriptrun/scriptrun/runtime"
)

// trials are lines that try ordinary tools: each needs more than the program itself,
// and neither a network nor a place to write to.
var trials = []struct{ program, line string }{
	{"go", "go version && go list std >/dev/null"},
	{"node", "node -e 'console.log(process.version)'"},
	{"npm", "npm --version"},
	{"python3", "python3 -c 'import json, sys; print(sys.version.split()[0])'"},
	{"cargo", "cargo --version"},
	{"java", "java -version 2>&1 | head -n 1"},
	{"ruby", "ruby -e 'puts RUBY_VERSION'"},
	{"gcc", "gcc --version | head -n 1"},
	{"make", "make --version | head -n 1"},
	{"git", "git --version"},
}

// trial is the result of one line.
type trial struct {
	Code   int    `json:"code"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
}

// asksProxy reports whether fetch of a Node version uses the proxy if
// NODE_USE_ENV_PROXY is set.
func asksProxy(version string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(version, "v%d.%d", &major, &minor); err != nil {
		return true // unknown
	}
	return major >= 24 || major == 22 && minor >= 21
}

// tryToolchains runs the ordinary tools of this machine in the sandbox, and prints
// which of them work there, and the toolchains that were found.
func tryToolchains(ctx context.Context, p *page, h *host, workspace string) {
	lines := make([]string, len(trials))
	for i, t := range trials {
		lines[i] = fmt.Sprintf("command -v %s >/dev/null || exit 111; %s", t.program, t.line)
	}
	text, _ := json.Marshal(lines) // strings always encode
	report := h.doctor(ctx, fmt.Sprintf(`const all = [];
for (const line of %s) {
  const r = await ctx.shell.run(line, {timeoutMs: 20000});
  all.push({code: r.exitCode ?? -1, stdout: r.stdout, stderr: r.stderr});
}
return all`, text), runtime.Limits{})
	p.say("")
	p.heading("Tools that commands find, tried in the sandbox:")
	var all []trial
	var err error
	if report.Outcome == runtime.OutcomeOK {
		err = json.Unmarshal([]byte(report.Text), &all)
	} else {
		err = errors.New(report.Failure.Message)
	}
	if err != nil || len(all) != len(trials) {
		p.verdict("NOT", "tools", fmt.Sprintf("they could not be tried: %v", err))
		return
	}
	var absent []string
	for i, t := range trials {
		switch got := all[i]; got.Code {
		case 0:
			p.verdict("works", t.program, clip.Line(got.Stdout))
			if t.program == "node" && h.shell.Sandbox.Network == sandbox.NetworkProxied && !asksProxy(clip.Line(got.Stdout)) {
				p.verdict("", "", "to do: its fetch uses no proxy, and so reaches no listed host; use Node 22.21, or 24 and later")
			}
		case 111:
			absent = append(absent, t.program)
		default:
			why := clip.Line(strings.TrimSpace(got.Stderr + "\n" + got.Stdout))
			p.verdict("NOT", t.program, fmt.Sprintf("exit code %d: %s", got.Code, why))
			p.verdict("", "", "to do: if it works outside, add its folder to [sandbox] read")
		}
	}
	if len(absent) > 0 {
		p.verdict("absent", "", strings.Join(absent, ", "))
	}
	var found []string
	if at, err := filepath.Abs(workspace); err == nil {
		workspace = at
	}
	for _, t := range toolchains.Find(os.Getenv("PATH"), os.Getenv("HOME"), sandbox.NewPlaces(append([]string{workspace}, h.shell.Sandbox.Write...)...)) {
		if !strings.HasPrefix(t.Root+"/", "/usr/bin/") && t.Root != "/usr" && t.Root != "/" {
			found = append(found, t.Name+" "+t.Root)
		}
	}
	if len(found) > 0 {
		p.verdict("found", "", strings.Join(slices.Compact(found), ", "))
	}
}
