package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
)

// tracedTools is a workspace with a server of its own, and a tool that calls everything.
func tracedTools(t *testing.T, host string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"tools/outer.js": `/*---
kind: script
name: outer
description: Calls what there is.
allowed_tools: [bash, fetch, mcp__inner__leaf]
limits: {timeoutMs: 60000}
---*/
export default async (ctx, { url }) => {
	const task = await ctx.shell.start("echo $TRACEPARENT");
	const background = (await task.wait()).stdout.trim();
	await task.release?.();
	await ctx.tool("fetch", { url });
	await ctx.tool("secret", {}).catch(() => 0);
	const inner = await ctx.tool("mcp__inner__leaf", {});
	return { bash: (await ctx.bash("echo $TRACEPARENT")).trim(), background, inner: inner.text ?? inner.output };
};
`,
		"inner/leaf.js": "/*---\nkind: script\nname: leaf\ndescription: Tells its trace.\nallowed_tools: [bash]\n---*/\nexport default async (ctx) => (await ctx.bash('echo $TRACEPARENT')).trim();\n",
		"config.toml": fmt.Sprintf(`[fetch]
private = [%q]
[audit]
file = "audit.jsonl"
[[mcp_servers]]
name = "inner"
command = "scriptrun"
args = ["serve", "--tools", "inner"]
pass_env = ["HOME", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_BSP_SCHEDULE_DELAY"]
env = {OTEL_SERVICE_NAME = "inner"}
`, host),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestOneTraceFromTheClientToTheCommand: however a call comes, everything it causes is one
// trace, in which each span has its parent; fetched hosts get no trace.
func TestOneTraceFromTheClientToTheCommand(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []string
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		for name := range r.Header {
			if name := strings.ToLower(name); strings.Contains(name, "trace") || name == "baggage" {
				told = append(told, name)
			}
		}
	}))
	t.Cleanup(site.Close)
	for way, meta := range map[string]string{"made here": "", "left to the library": `"io.modelcontextprotocol/note":1,`} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			dir := tracedTools(t, strings.TrimPrefix(site.URL, "http://"))
			cmd := exec.CommandContext(t.Context(), "scriptrun", "serve", "--config", "config.toml")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_BSP_SCHEDULE_DELAY=5", "OTEL_METRIC_EXPORT_INTERVAL=20")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(stdin, helloLine)
			fmt.Fprintf(stdin, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"outer","arguments":{"url":%q},"_meta":{%s"traceparent":"00-%s-%s-01","tracestate":"a=b"}}}`+"\n", site.URL, meta, clientTrace, clientSpan)
			var printed struct{ Bash, Background, Inner string }
			for lines := bufio.NewScanner(stdout); lines.Scan(); {
				var answer struct {
					ID     json.RawMessage
					Result struct {
						IsError           bool
						Content           []struct{ Text string }
						StructuredContent json.RawMessage
					}
				}
				if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
					t.Fatalf("%q: %v", lines.Text(), err)
				}
				if string(answer.ID) != "2" {
					continue
				}
				if len(answer.Result.Content) == 0 || answer.Result.IsError || json.Unmarshal([]byte(answer.Result.Content[0].Text), &printed) != nil {
					t.Fatalf("%s\n%s", lines.Text(), stderr.String())
				}
				break
			}
			c.await(t, func() bool {
				return len(c.named("inner", "run leaf")) == 1 && len(c.named("scriptrun", "run outer")) == 1 && slices.Contains(c.metrics, "scriptrun.workers.used")
			})
			if err := stdin.Close(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, stderr.String())
			}
			c.checkTree(t, printed.Bash, printed.Background, printed.Inner)
			for _, name := range []string{"scriptrun.runs", "scriptrun.run.duration", "scriptrun.call.duration", "scriptrun.worker.wait", "scriptrun.runs.waiting"} {
				if !slices.Contains(c.metrics, name) {
					t.Errorf("there is no %s in %q", name, c.metrics)
				}
			}
			log, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
			if n := strings.Count(string(log), `"caller":"t 1"`); err != nil || n == 0 || n != strings.Count(string(log), "\n") || n != strings.Count(string(log), `"trace":"`+clientTrace) {
				t.Errorf("%v\n%s", err, log)
			}
		})
	}
	t.Cleanup(func() {
		if len(told) > 0 {
			t.Errorf("a host was told %q", told)
		}
	})
}

// checkTree checks the parents of a run's spans, and what its commands printed.
func (c *collector) checkTree(t *testing.T, bash, background, inner string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[string]string{clientSpan: "client"}
	for _, s := range c.spans {
		names[s.id] = s.service + " " + s.name
	}
	var tree []string
	for _, s := range c.spans {
		if s.trace != clientTrace {
			t.Errorf("%+v is of another trace", s)
		}
		tree = append(tree, fmt.Sprintf("%s < %s: %s%s", names[s.parent], names[s.id], s.attributes["scriptrun.call.status"], s.attributes["scriptrun.run.outcome"]))
	}
	slices.Sort(tree)
	want := []string{
		"client < scriptrun run outer: ok",
		"inner run leaf < inner call bash: ok",
		"scriptrun call bash < scriptrun release bash: ok",
		"scriptrun call bash < scriptrun wait bash: ok",
		"scriptrun call mcp__inner__leaf < inner run leaf: ok",
		"scriptrun run outer < scriptrun call bash: ok",
		"scriptrun run outer < scriptrun call bash: ok",
		"scriptrun run outer < scriptrun call fetch: ok",
		"scriptrun run outer < scriptrun call mcp__inner__leaf: ok",
		"scriptrun run outer < scriptrun call secret: denied",
	}
	if !slices.Equal(want, tree) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(tree, "\n"), strings.Join(want, "\n"))
	}
	for printed, service := range map[string]string{bash: "scriptrun", background: "scriptrun", inner: "inner"} {
		parts := strings.Split(printed, "-")
		if len(parts) != 4 || parts[1] != clientTrace || names[parts[2]] != service+" call bash" {
			t.Errorf("a command printed %q", printed)
		}
	}
	if fetch := c.named("scriptrun", "call fetch"); len(fetch) == 1 && (fetch[0].attributes["server.address"] != "127.0.0.1" || fetch[0].attributes["http.request.method"] != "GET" || fetch[0].kind != 3) {
		t.Errorf("got %+v", fetch[0])
	}
	if secret := c.named("scriptrun", "call secret"); len(secret) == 1 && (secret[0].attributes["error.type"] != "denied" || secret[0].attributes["scriptrun.call.verdict"] != "deny") {
		t.Errorf("got %+v", secret[0])
	}
}

// evalWith runs the command with variables, and no others of OTEL_.
func evalWith(ctx context.Context, t *testing.T, variables ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(ctx, "scriptrun", "eval", "--allow", "bash", `return await ctx.bash("echo $TRACEPARENT")`)
	cmd.Dir = t.TempDir()
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OTEL_") && !strings.HasPrefix(v, "TRACE") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+t.TempDir())
	cmd.Env = append(cmd.Env, variables...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	return out.String(), said.String(), err
}

// TestWhatTheVariablesSend: nothing is sent unless a collector is named; the caller's trace
// goes on all the same.
func TestWhatTheVariablesSend(t *testing.T) {
	t.Parallel()
	parent := "TRACEPARENT=00-" + clientTrace + "-" + clientSpan + "-01"
	for name, c := range map[string]struct {
		variables      []string
		spans, numbers bool
		prints, says   string
	}{
		"an endpoint":                {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL"}, true, true, "00-", ""},
		"within a trace":             {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", parent}, true, true, "00-" + clientTrace, ""},
		"for traces alone":           {[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=URL/v1/traces"}, true, false, "00-", ""},
		"no metrics":                 {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_METRICS_EXPORTER=none"}, true, false, "00-", ""},
		"nothing":                    {nil, false, false, "\n", ""},
		"a trace alone":              {[]string{parent}, false, false, parent[12:] + "\n", ""},
		"a malformed one":            {[]string{"TRACEPARENT=00-$(id)-1"}, false, false, "\n", ""},
		"disabled":                   {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_SDK_DISABLED=true"}, false, false, "\n", ""},
		"none":                       {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none"}, false, false, "\n", ""},
		"another exporter":           {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_TRACES_EXPORTER=zipkin"}, false, false, "\n", `OTEL_TRACES_EXPORTER is "zipkin"; expected otlp or none`},
		"another protocol":           {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, false, false, "\n", `"grpc"; expected http/protobuf`},
		"attributes that are none":   {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_RESOURCE_ATTRIBUTES=a"}, false, false, "\n", "OTEL_RESOURCE_ATTRIBUTES"},
		"no URL":                     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318"}, false, false, "\n", "OTEL_EXPORTER_OTLP_ENDPOINT is no URL"},
		"secrets that are malformed": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_EXPORTER_OTLP_HEADERS=s3cret"}, false, false, "\n", "OTEL_EXPORTER_OTLP_HEADERS is malformed; expected name=value"},
		"headers":                    {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20x"}, true, true, "00-", ""},
		"not sampled":                {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_TRACES_SAMPLER=always_off"}, false, true, "00-", ""},
		"a name for everything":      {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=URL", "OTEL_SERVICE_NAME=agent", "OTEL_RESOURCE_ATTRIBUTES=a=b"}, true, true, "00-", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := newCollector(t)
			var variables []string
			for _, v := range c.variables {
				variables = append(variables, strings.ReplaceAll(v, "URL", to.URL))
			}
			out, said, err := evalWith(t.Context(), t, variables...)
			if err != nil || !strings.HasPrefix(out, c.prints) || strings.Count(out, "\n") != 1 || !strings.Contains(said, c.says) || (said != "") != (c.says != "") || strings.Contains(said, "s3cret") {
				t.Errorf("%v: %q, %q", err, out, said)
			}
			if spans, numbers := len(to.spans) > 0, len(to.metrics) > 0; spans != c.spans || numbers != c.numbers || to.requests > 0 && !spans && !numbers {
				t.Errorf("%d requests: %+v, %q", to.requests, to.spans, to.metrics)
			}
			if service := to.named("agent", "run eval"); (len(service) == 1) != (name == "a name for everything") {
				t.Errorf("got %+v", to.spans)
			}
		})
	}
}

// TestACollectorHoldsNothingUp: with a collector that never answers, or is gone, the answer is
// still on stdout alone, and the process ends.
func TestACollectorHoldsNothingUp(t *testing.T) {
	t.Parallel()
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // it takes connections, and nobody accepts them
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]string{"deaf": deaf.Addr().String(), "gone": gone.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			out, said, err := evalWith(ctx, t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+at, "OTEL_EXPORTER_OTLP_TIMEOUT=3600000")
			if err != nil || !strings.HasPrefix(out, "00-") || strings.Count(out, "\n") != 1 {
				t.Errorf("%v: %q", err, out)
			}
			if !strings.HasPrefix(said, "scriptrun: to the collector: ") || strings.Count(said, "\n") != 1 {
				t.Errorf("it said %q", said)
			}
		})
	}
}
