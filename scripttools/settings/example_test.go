package settings_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/web"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// An embedder makes tools from the operator's file and the project's. The
// project's narrows at once, and what it would widen waits.
func Example() {
	folder, err := os.MkdirTemp("", "settings-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	operator, workspace := filepath.Join(folder, "agent.toml"), filepath.Join(folder, "work")
	put(operator, "[limits]\ntimeoutMs = 60000\n[policy]\ndeny = ['write(secret/**)']\n")
	put(filepath.Join(workspace, settings.ProjectFile), "[limits]\ntimeoutMs = 5000\n[sandbox]\nnetwork = 'full'\n")

	s, err := settings.Load(settings.Sources{
		Operator: operator, Workspace: workspace, Trust: settings.Store(filepath.Join(folder, "trust")),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range s.Projects {
		for _, g := range p.Grants {
			fmt.Printf("%s waits: %v\n", g.Name, p.State != settings.TrustGiven)
		}
	}

	protected, err := s.Protected()
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := files.OpenProtecting(workspace, protected)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tree.Close()
	commands, err := s.Shell(workspace)
	if err != nil {
		fmt.Println(err)
		return
	}
	commands.Sandbox.Protected = protected
	runner, err := runtime.New(runtime.Options{
		Tools:    append(tree.Tools(), commands, &web.Fetch{Hosts: s.FetchHosts, Private: s.FetchPrivate}),
		Policies: s.Policies(), Ceiling: s.Limits, InProcess: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runner.Close()

	write, err := hostapi.ParseRule("write")
	if err != nil {
		fmt.Println(err)
		return
	}
	report := runner.Run(context.Background(), runtime.Request{
		Source: &runtime.Source{Name: "try", Body: []byte(`await ctx.write("secret/key", "x")`), FunctionBody: true},
		Allow:  []hostapi.Rule{write},
	})
	fmt.Println(s.Limits.Timeout, errors.Is(report.Err(), hostapi.ErrDenied))
	// Output:
	// sandbox.network waits: true
	// 5s true
}

func put(path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		fmt.Println(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
	}
}
