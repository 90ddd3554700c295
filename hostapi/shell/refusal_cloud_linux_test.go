package shell_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestAdviceOpensNoCloud: where a cloud keeps credentials no line names a setting, by words
// or by what was asked for.
func TestAdviceOpensNoCloud(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, line := range []string{
		"curl -sSf -m 5 http://169.254.169.254/latest/", "curl -sSf -m 5 'http://[fd00:ec2::254]/latest/'", "curl -sSf -m 5 http://169.254.169.254:8080/", "curl -sSf -m 5 http://metadata.google.internal/",
		"curl -sSf -m 5 'http://[fd00:ec2::23]/'", "curl -sSf -m 5 'http://[64:ff9b::a9fe:a9fe]/'", "curl -sSf -m 5 'http://[2002:a9fe:a9fe::1]/'", "curl -sSf -m 5 'http://[::a9fe:a9fe]/'", "curl -sSf -m 5 http://metadata.tencentyun.com/",
		"echo 'could not resolve host: 169.254.169.254' >&2; exit 1", "echo 'could not resolve host: metadata.google.internal' >&2; exit 1", "echo 'curl: (7) failed: network is unreachable http://169.254.169.254/' >&2; exit 1",
	} {
		for _, hosts := range [][]string{nil, {"a.test"}, {"169.254.169.254"}} {
			t.Run(line+strings.Join(hosts, ""), func(t *testing.T) {
				t.Parallel()
				tool := newTool(t)
				if hosts != nil {
					tool.Sandbox.Network, tool.Sandbox.Hosts = sandbox.NetworkProxied, hosts
				}
				result, _ := run(t, tool, line)
				said := strings.Join(result.Notes, "\n")
				_, advice, _ := strings.Cut(said, "allow it with")
				for _, name := range []string{`169.254.169.254:8080"`, `fd00:ec2::`, `a9fe`, `metadata.`, `private = ["169`} {
					if strings.Contains(advice, name) {
						t.Errorf("%q", said)
					}
				}
				if hosts == nil && !strings.Contains(said, "a cloud keeps credentials") {
					t.Errorf("%q\n%s", said, result.Output)
				}
			})
		}
	}
}

// TestAdviceSaysWhatNoSandboxComesTo: words alone are enough for such a line.
func TestAdviceSaysWhatNoSandboxComesTo(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, words := range []string{"mount: Operation not permitted", "chmod: x: Operation not permitted", "dial unix x.sock: permission denied"} {
		tool := newTool(t)
		result, _ := run(t, tool, "echo '"+words+"' >&2; exit 1")
		if said := strings.Join(result.Notes, ""); !strings.Contains(said, "probably") || !strings.Contains(said, "opens everything, your secrets too") {
			t.Errorf("%s: %q", words, said)
		}
	}
}

// TestAdviceOpensNoNameOfACloud: nor for a name of somebody's that leads to such an address.
func TestAdviceOpensNoNameOfACloud(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	tool := newTool(t)
	tool.Sandbox.Network, tool.Sandbox.Hosts = sandbox.NetworkProxied, []string{"link.test"}
	tool.LookUpWith(lookingUp(answerNames(t)))
	result, _ := run(t, tool, "curl -sSf -m 5 http://link.test/")
	if said := strings.Join(result.Notes, "\n"); strings.Contains(said, "private") || !strings.Contains(said, "a cloud keeps credentials") {
		t.Errorf("%q", said)
	}
}
