package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/clients"
	"github.com/scriptrun/scriptrun/scripttools/serve"
	"github.com/spf13/cobra"
)

// serveFlags are those of serve.
type serveFlags struct {
	hostFlags
	http, tokenFile string
	origins, hosts  []string
	rate            float64
	sessions        int
	connections     int
	direct          []string
	ask             bool
	eval            bool
	allow, limits   []string
	workspaces      string
	timeout         time.Duration
	asClient        bool
	client          string
	given           func(flag string) bool
}

func newServe(e env) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools directory to clients of the Model Context Protocol",
		Long: `Serve the tools directory over the Model Context Protocol: to one client on
stdin and stdout, or to many over streamable HTTP, at /mcp, with --http.

--check serves nobody: it says what the clients that scriptrun connect knows would refuse or
cut, and exits with 1 if one refuses a tool.

Files that change are loaded again; one that is broken keeps its last good
version, and stderr says why. Beyond loopback a token is required, from
--token-file or the variable SCRIPTRUN_TOKEN.`,
		Example: "  scriptrun serve --tools tools\n  scriptrun serve --http 127.0.0.1:8080\n  scriptrun serve --check",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := e.interrupted()
			defer stop()
			// A failed write shows that a client has closed its end, and its
			// runs end in order; the signal would leave their processes behind.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
			collectGarbage()
			told := newLossy(e.stderr) // the program that started us may not read it
			defer told.end(time.Second)
			e.stderr = told
			return f.run(ctx, e)
		},
	}
	f.add(cmd)
	f.given = cmd.Flags().Changed
	cmd.Flags().StringVar(&f.http, "http", "", "`address` to listen on, such as 127.0.0.1:8080; default is stdin and stdout")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`file` of bearer tokens, one a line, any of which lets a client in")
	cmd.Flags().StringArrayVar(&f.origins, "origin", nil, "origin that a browser may come from, besides loopback; may be repeated")
	cmd.Flags().StringArrayVar(&f.hosts, "host", nil, "name by which the server may be called, besides loopback; may be repeated")
	cmd.Flags().Float64Var(&f.rate, "rate", 100, "requests a second for each client; negative for no limit")
	cmd.Flags().IntVar(&f.sessions, "max-sessions", 256, "sessions at once")
	cmd.Flags().IntVar(&f.connections, "max-connections", 1024, "connections at once; over it, a new one replaces one that waits for a request")
	cmd.Flags().BoolVar(&f.eval, "eval", false, "offer eval, a tool that runs the model's own code with the rules of --allow")
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil, "rule for --eval; may be repeated")
	cmd.Flags().StringArrayVar(&f.limits, "limit", nil, "limit of the code of --eval, such as maxToolCalls=100; may be repeated")
	cmd.Flags().StringArrayVar(&f.direct, "direct", nil, "host tool that clients may call themselves, such as mcp__github__get_issue; may be repeated")
	cmd.Flags().BoolVar(&f.ask, "ask", false, "ask the person behind a client for required inputs that a call lacks; many agents say that they can ask, and have nobody")
	cmd.Flags().StringVar(&f.workspaces, "session-workspaces", "", "`folder` in which each session gets an empty workspace of its own, removed when it ends")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 0, "shorten the time that tool files allow, such as 5s")
	cmd.Flags().BoolVar(&f.inProcess, "in-process", false, "run scripts inside this process, for scripts that you wrote")
	cmd.Flags().BoolVar(&f.asClient, "check", false, "list the tools as clients do, say what they refuse or cut, and end")
	cmd.Flags().StringVar(&f.client, "client", "", "with --check, the one `client` that counts, such as codex; default is all of them")
	_ = cmd.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(clients.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// maxResult is how much of a result's text a model gets, in bytes, unless the settings say
// otherwise: agents cut more than that, each at another size and place, and say less of it.
const maxResult = 10 << 10

// manyAnswers is the memory above which garbage is collected at once.
const manyAnswers = 384 << 20

// collectGarbage delays the collection, because many short runs make much garbage, but
// not when answers are large. The operator's variables win.
func collectGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(manyAnswers)
	}
}

// grace is how long runs may go on when the server is told to end. It ends within five
// seconds.
const grace = 3 * time.Second

func (f *serveFlags) run(ctx context.Context, e env) error {
	tokens, err := f.check()
	if err != nil {
		return err
	}
	if f.tools != "" {
		if _, err := os.Stat(f.tools); err != nil {
			return fmt.Errorf("--tools: %w", err)
		}
	}
	dir := f.toolsDir()
	f.serves = true
	traces := startTraces(ctx, e.stderr)
	defer traces.end() //nolint:contextcheck // the context has ended by then
	h, err := f.open(ctx, e, runtime.Observer{}, purpose{all: true, tells: true, runs: true, traces: traces})
	if err != nil {
		return err
	}
	defer h.close()
	defer traces.watch(h.runner)()
	dir = f.acceptable(h)
	level := slog.LevelInfo
	if f.http == "" {
		level = slog.LevelWarn // the client shows what is written here to a person
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: level}))
	at := canonical(dir.Path)
	others := &telling{folder: f.reached(h.settings, servedFolder()), dir: f.toolsDir(), always: append([]string{at}, f.madeOf...), log: log}
	others.tell(nil)
	defer others.stop()
	catalog, err := scripttools.Reload(ctx, h.runner, dir, nil)
	if err != nil {
		warnBroken(log, "some tool files cannot be offered", err)
	}
	others.tell(catalog)
	options := serve.Options{
		Runner: h.runner, Catalog: catalog, Version: version(), SpillDir: h.spill, Logger: log,
		Limits: runtime.Limits{Timeout: f.timeout}, Settings: f.operatorSettings(), Ask: f.ask,
		MaxResultBytes: cmp.Or(h.settings.ServeResultBytes, maxResult), Instructions: h.settings.ServeInstructions,
	}
	options.Direct = f.direct
	if f.eval {
		rules, err := parseRules(f.allow)
		if err != nil {
			return err
		}
		limits, err := parseLimits(f.limits)
		if err != nil {
			return err
		}
		options.Eval = &serve.Eval{Allow: rules, Limits: limits, Raise: f.raiseOfEval}
	}
	if f.workspaces != "" {
		if options.Workspace, err = f.sessionWorkspace(h); err != nil {
			return err
		}
	}
	server, err := serve.New(options)
	if err != nil {
		return err
	}
	if f.asClient {
		return f.checkAsClient(ctx, e, server)
	}

	watching, stop := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() {
		if h.spill != "" {
			sweepSpilled(watching, h.spill)
		}
	})
	watched.Go(func() {
		if _, err := os.Stat(dir.Path); err != nil {
			// A command that is running could make it, which nothing holds back.
			log.Info("there is no directory of tools; what comes into it is offered when the server is started again", "directory", dir.Path)
			return
		}
		load := func() {
			if now := canonical(dir.Path); now != at && isFolder(now) { // where nothing is protected
				log.Warn("the directory of tools is another folder than when the server began; its tools are offered when the server is started again", "was", at, "is", now)
				return
			}
			catalog = f.again(watching, h, dir, catalog, log, func(next *scripttools.Catalog) {
				others.tell(next)
				server.Update(next)
				log.Info("the catalog was loaded again", "tools", next.Len())
			})
		}
		calls := 0
		serve.Watch(watching, func() []string {
			if calls++; calls == 2 && (h.underway.doubted.Load() || !catalog.AsLoaded(dir, nil)) { // it is watched now; a file may have changed since the first load
				load()
			}
			return foldersOf(dir, catalog)
		}, load, func(err error) {
			log.Warn("the system does not report changes of files; they are checked every second", "error", err)
		})
	})
	defer func() {
		stop()
		watched.Wait()
	}()
	if f.http == "" {
		err = server.Stdio(ctx, e.stdin, e.rawOut)
		server.Close() // and its workspace
	} else {
		err = f.listen(ctx, e, h, server, tokens, log)
	}
	if err != nil && !errors.As(err, new(*net.OpError)) {
		fmt.Fprintf(e.stderr, "scriptrun: %s\n", told(err))
		return exit(exitFailed)
	}
	return err
}

// raiseOfEval names what raises a limit of the code of --eval, to a model, which cannot.
func (f *serveFlags) raiseOfEval(limit string) string {
	switch {
	case limit != "timeoutMs":
		return "the server's --limit " + limit
	case f.timeout > 0:
		return "the server's --timeout"
	}
	return "the server's limit"
}

// check refuses flags that contradict each other, and reads the tokens.
func (f *serveFlags) check() (tokens []string, err error) {
	if f.given("timeout") && f.timeout <= 0 {
		return nil, fmt.Errorf("--timeout is %v; it must be positive", f.timeout)
	}
	if f.client != "" {
		if !f.asClient {
			return nil, errors.New("--client is for --check")
		}
		if _, err := findClient(f.client); err != nil {
			return nil, err
		}
	}
	if len(f.allow) > 0 && !f.eval {
		return nil, errors.New("--allow is for --eval; a tool file has allowed_tools of its own")
	}
	if len(f.limits) > 0 && !f.eval {
		return nil, errors.New("--limit is for --eval; a tool file has limits of its own")
	}
	if f.sessions < 1 {
		return nil, fmt.Errorf("--max-sessions is %d; it must be positive", f.sessions)
	}
	if f.connections < 1 {
		return nil, fmt.Errorf("--max-connections is %d; it must be positive", f.connections)
	}
	if f.http == "" {
		for _, flag := range []string{"token-file", "origin", "host", "rate", "max-sessions", "max-connections"} {
			if f.given(flag) {
				return nil, fmt.Errorf("--%s is for --http", flag)
			}
		}
		return nil, nil
	}
	if f.tokenFile != "" {
		text, err := regular.Read(f.tokenFile, 192<<10)
		if err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		tokens = strings.Fields(string(text))
		if len(tokens) == 0 {
			return nil, fmt.Errorf("--token-file: %s holds no token", f.tokenFile)
		}
	}
	if token := os.Getenv("SCRIPTRUN_TOKEN"); token != "" {
		tokens = append(tokens, token)
	}
	for _, token := range tokens {
		if len(token) < 16 {
			return nil, errors.New("a token is shorter than 16 characters; make one with: openssl rand -hex 32")
		}
	}
	host, _, err := net.SplitHostPort(f.http)
	if err != nil {
		return nil, fmt.Errorf("--http: %w; expected an address such as 127.0.0.1:8080", err)
	}
	ip := net.ParseIP(host)
	if len(tokens) == 0 && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--http %s is beyond this machine: anybody there could run these tools; give --token-file or SCRIPTRUN_TOKEN, or listen on 127.0.0.1", f.http)
	}
	return tokens, nil
}

func (f *serveFlags) listen(ctx context.Context, e env, h *host, server *serve.Server, tokens []string, log *slog.Logger) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.http)
	if err != nil {
		return err
	}
	connections := serve.Connections{Most: f.connections}
	web := &http.Server{
		Handler: server.Handler(serve.HTTPOptions{
			Tokens: tokens, Origins: f.origins, Hosts: f.hosts, Rate: f.rate, MaxSessions: f.sessions,
		}),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	fmt.Fprintf(e.stderr, "listening on http://%s/mcp\n", listener.Addr())
	bound := connections.Bind(web, listener)
	served := make(chan error, 1)
	go func() { served <- web.Serve(bound) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("ending")
	ending, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	err = h.runner.Shutdown(ending) // runs may end by themselves; streams that only listen do not
	closed := make(chan struct{})
	go func() { // a session ends when its client has read its answers, or its connection ends
		defer close(closed)
		server.Close()
	}()
	drained, stopDraining := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stopDraining()
	_ = web.Shutdown(drained)
	_ = web.Close()
	<-closed
	if served := <-served; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}

// foldersOf are the folders that a catalog's files are in, and those where packages are looked for,
// which may be what a broken tool waits for.
func foldersOf(dir scripttools.Dir, catalog *scripttools.Catalog) []string {
	found := map[string]bool{filepath.Clean(dir.Path): true, filepath.Join(dir.Path, "node_modules"): true}
	for spec := range catalog.All() {
		for _, file := range spec.Files()[1:] { // those of the directory itself are in the first one
			found[filepath.Dir(filepath.FromSlash(file))] = true
		}
		found[filepath.Join(filepath.Dir(filepath.FromSlash(spec.Source)), "node_modules")] = true
	}
	return slices.Sorted(maps.Keys(found))
}
