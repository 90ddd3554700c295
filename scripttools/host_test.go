package scripttools_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// echo is a host tool that answers with its name.
func echo(name string) hostapi.Tool {
	return &hostapi.Func{ToolName: name, Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(name), nil
	}}
}

// scoped is an echo whose rules may carry a pattern.
type scoped struct{ hostapi.Func }

func (*scoped) CheckPattern(pattern string) error {
	if strings.Contains(pattern, "***") {
		return errors.New("*** matches nothing")
	}
	return nil
}

func (*scoped) Plan(context.Context, hostapi.Call) (hostapi.Plan, error) { return nil, nil }

func newScoped(name string) hostapi.Tool {
	tool := &scoped{}
	tool.ToolName = name
	tool.Do = func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed(name), nil }
	return tool
}

func newRunner(t testing.TB) *runtime.Runner {
	t.Helper()
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{
		echo("grep"), echo("glob"), echo("ls"), echo("search"), newScoped("read"), newScoped("bash"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return runner
}

// write makes files below dir; names have slashes.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// loadFiles loads the tools folder of a workspace that consists of files.
func loadFiles(t testing.TB, files map[string]string) (*scripttools.Catalog, string, error) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	catalog, err := scripttools.Load(t.Context(), newRunner(t), scripttools.Dir{Path: filepath.Join(dir, "tools"), Workspace: dir})
	return catalog, dir, err
}

// shown is an error without the folder that the test happens to use.
func shown(err error, dir string) string {
	if err == nil {
		return ""
	}
	text := strings.ReplaceAll(err.Error(), filepath.ToSlash(dir)+"/", "")
	return strings.ReplaceAll(text, filepath.ToSlash(dir), "WORKSPACE") + "\n"
}

// wantProblem checks that an error is a LoadError which contains every part.
func wantProblem(t *testing.T, err error, parts ...string) {
	t.Helper()
	var load *scripttools.LoadError
	if !errors.As(err, &load) {
		t.Fatalf("got error %v, want a LoadError", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not contain %q:\n%v", part, err)
		}
	}
}

const runBody = "export default async function run(ctx, inputs) { return inputs }\n"

// tool is a JavaScript tool file with these header lines besides kind.
func tool(lines ...string) string {
	return "/*---\nkind: script\n" + strings.Join(lines, "\n") + "\n---*/\n" + runBody
}

func writeFile(t interface{ Fatal(...any) }, path, data string) {
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) {
	runtime.WorkerMain()
	os.Exit(m.Run())
}
