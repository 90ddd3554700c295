package scripttools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// endless is a file whose check takes all the time that it is given.
func endless(lines ...string) string {
	text := tool(append([]string{"description: d"}, lines...)...)
	return text[:strings.LastIndex(text, "---*/\n")+6] + "export default async () => 1" + strings.Repeat("&&1", 60) + "\n"
}

// TestNamedToolIsCheckedAlone: scripts beside it cost a run of it nothing, and what
// is wrong with them is theirs.
func TestNamedToolIsCheckedAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{"tools/z.js": tool("name: wanted", "description: d"), "tools/broken.js": tool("description: d") + "\n}"}
	for i := range 9 {
		files[fmt.Sprintf("tools/n%d.js", i)] = endless()
	}
	write(t, dir, files)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	spec, err := scripttools.LoadNamed(ctx, newRunner(t), scripttools.Dir{Path: dir + "/tools"}, "wanted")
	if err != nil || spec == nil || spec.Program == nil {
		t.Fatalf("%v %v", spec, err)
	}
}

// TestNamedToolIsTheOnlyOneOfItsName, or there is none.
func TestNamedToolIsTheOnlyOneOfItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"tools/a.js": tool("name: twice", "description: d"), "tools/b.js": tool("name: twice", "description: d"),
		"tools/c.js": tool("description: d"), "tools/d.js": tool("description: d") + "\n}",
	})
	runner, tools := newRunner(t), scripttools.Dir{Path: dir + "/tools"}
	for name, want := range map[string]string{"twice": "is taken by", "d": "d.js", "cc": "is taken by"} {
		if _, err := scripttools.LoadNamed(t.Context(), runner, tools, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if spec, err := scripttools.LoadNamed(t.Context(), runner, tools, "c"); spec == nil || spec.Name != "c" || err == nil {
		t.Errorf("what is wrong with other headers is told with the tool: %v %v", spec, err)
	}
	for i, spelling := range []string{`"tw\u0069ce"`, `"tw\x69ce"`, "\"tw\\\n  ice\"", `"tw\U00000069ce"`} { // escapes do not hide it
		write(t, dir, map[string]string{"tools/b.js": tool("name: "+spelling, "description: d"), "tools/e.js": tool(`description: "d\u0069"`, "nme: x")})
		_, all := scripttools.LoadDir(t.Context(), runner, dir+"/tools")
		_, err := scripttools.LoadNamed(t.Context(), runner, tools, "twice")
		if err == nil || all == nil || !strings.Contains(all.Error(), err.Error()) || !strings.Contains(err.Error(), `tools/b.js:3:7: the name "twice" is taken by `) {
			t.Errorf("%d: %v, and of the whole directory %v", i, err, all)
		}
	}
	if err := os.Remove(dir + "/tools/e.js"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"tools/b.js": tool("description: d")})
	var unknown *scripttools.UnknownToolError
	if _, err := scripttools.LoadNamed(t.Context(), runner, tools, "cc"); !errors.As(err, &unknown) || len(unknown.Offered) != 4 {
		t.Errorf("%v", err)
	}
}

// TestDirectoryIsCheckedInAProportionateTime: files that take long cannot take
// theirs one after the other, nor keep another from being checked, and one that was
// not reached does not pass.
func TestDirectoryIsCheckedInAProportionateTime(t *testing.T) {
	t.Parallel()
	const n = 10
	dir := t.TempDir()
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("tools/n%d.js", i)] = endless(fmt.Sprintf("name: n%d", i))
	}
	files["tools/z.js"] = tool("description: d")
	write(t, dir, files)
	done := make(chan error, 1)
	began := time.Now()
	go func() {
		catalog, err := scripttools.Reload(t.Context(), newRunner(t), scripttools.Dir{Path: dir + "/tools"}, nil)
		if catalog.Len() != 1 {
			t.Errorf("%d tools are there", catalog.Len())
		}
		done <- err
	}()
	select {
	case err := <-done:
		var load *scripttools.LoadError
		if !errors.As(err, &load) || len(load.Problems) != n {
			t.Fatal(err)
		}
		late := 0
		for _, p := range load.Problems {
			if strings.Contains(p.Msg, "its check was not over") {
				late++
			}
		}
		// Where others have the processors, there is time for all.
		if took := time.Since(began); late == 0 && goruntime.GOMAXPROCS(0) <= 2 && took < n*runtime.MaxCheckTime*3/4 { // two at once would take half
			t.Errorf("all were checked in %v: %v", took, err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("it is not over")
	}
}
