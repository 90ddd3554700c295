package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestConnectionsAreOfTheCommandThatMadeThem: a command does not pass for another
// of its sandbox that runs at the same time, whose secret it cannot find.
func TestConnectionsAreOfTheCommandThatMadeThem(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	to := machine(t, shortDir(t))
	tool := listedTool(t, to, "api.test:"+to.Plain)
	handle, result, err := tool.Start(t.Context(), hostapi.Call{Args: encoded(t, map[string]any{"command": "until test -e over; do sleep 0.1; done"})})
	if err != nil || handle == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	defer func() { _ = handle.Close() }()
	line := `u=${HTTP_PROXY#http://}; port=${u##*:}
for i in 1 2 3; do for user in '' "${u%@*}@"; do
  curl -sS -m 5 -o /dev/null -w '%{http_code}\n' --noproxy '' -x "http://${user}127.64.0.$i:$port" http://api.test:` + to.Plain + `/ 2>/dev/null
done; done
cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep '^HTTP_PROXY=' | sort -u | wc -l`
	evil, got := run(t, tool, line)
	if got.Stdout != "407\n407\n407\n200\n000\n000\n1\n" { // it is the second
		t.Errorf("%s%s", got.Stdout, got.Stderr)
	}
	if len(evil.Traffic.Connections) != 1 {
		t.Errorf("%+v", evil.Traffic)
	}
	if err := os.WriteFile(filepath.Join(tool.Dir, "over"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if result, err = handle.Wait(t.Context()); err != nil || len(result.Traffic.Connections) > 0 || len(result.Notes) > 0 {
		t.Errorf("%+v, %v", result, err)
	}
	if said := strangers(tool.Confinement()); !strings.Contains(said, "requests without the secret of their command: 3, refused") {
		t.Errorf("%q", said)
	}
}

func strangers(measures []hostapi.Measure) (said string) {
	for _, m := range measures {
		if m.Name == "hosts" {
			said += m.By
		}
	}
	return said
}

// TestProgramsBearTheirSecret at the first request, and it is shown nowhere.
func TestProgramsBearTheirSecret(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	to := machine(t, shortDir(t))
	tool := listedTool(t, to, "api.test:"+to.Plain, "api.test:"+to.Secure)
	for _, c := range []struct {
		line string
		want int
	}{
		{"curl -sS -k -o /dev/null http://api.test:" + to.Plain + "/ https://api.test:" + to.Secure + "/", 2},
		{"GIT_SSL_NO_VERIFY=1 git ls-remote https://api.test:" + to.Secure + "/x", 1},
		{"git ls-remote http://api.test:" + to.Plain + "/x", 1},
		{"python3 -c 'import urllib.request as u; u.urlopen(\"http://api.test:" + to.Plain + "/\")'", 1},
		{"curl -sS http://other.test/; false", 1},
	} {
		result, _ := run(t, tool, "echo $HTTP_PROXY > secret; "+c.line)
		if len(result.Traffic.Connections) < c.want {
			t.Errorf("%s: %+v\n%s", c.line, result.Traffic, result.Output)
		}
		text, err := os.ReadFile(filepath.Join(tool.Dir, "secret"))
		if err != nil {
			t.Fatal(err)
		}
		_, word, _ := strings.Cut(strings.TrimPrefix(string(text), "http://"), ":")
		word, _, found := strings.Cut(word, "@")
		if all := fmt.Sprintf("%+v %s %s", result, result.Data, result.Metadata); !found || len(word) != 32 || strings.Contains(all, word) {
			t.Errorf("%s: the secret %q is shown: %s", c.line, word, all)
		}
	}
	if said := strangers(tool.Confinement()); said == "" || strings.Contains(said, "without") || strings.Contains(said, "@") {
		t.Errorf("%q", said)
	}
}
