package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime"
)

// warm is a run of a tool that has run before, in a fresh realm.
func warm(ctx context.Context, in *installed, rounds int) (t table, err error) {
	t = table{title: "A warm run, without calls", about: "One tool adds two numbers. Each run has a fresh realm; those of scriptrun check every frame and leave a receipt."}
	workers, err := bare(false)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, workers.Close()) }()
	inside, err := bare(true)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, inside.Close()) }()
	worker, err := running(ctx, "scriptrun, in a worker", workers, "noop", tool, answer, 200)
	if err != nil {
		return t, err
	}
	process, err := running(ctx, "scriptrun, in process", inside, "noop", tool, answer, 200)
	if err != nil {
		return t, err
	}
	goja, err := rawGoja()
	if err != nil {
		return t, err
	}
	server, err := in.server(ctx)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	t.rows, err = turns(ctx, rounds, worker, process, goja, rawQuickJS(),
		command("`node -e 0`, a process per run", 1, "node", "-e", "0"),
		subject{name: "an MCP server on Node (official TypeScript SDK), one call over stdio, the same tool in its own realm", batch: 50, do: server.call})
	return t, err
}

// call is what one call of a host tool adds to a run.
func call(ctx context.Context, _ *installed, rounds int) (t table, err error) {
	t = table{title: "A call of a host tool", about: "A run with a hundred calls of a tool that does nothing, divided by a hundred, beside a command that does nothing."}
	workers, err := bare(false)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, workers.Close()) }()
	calls, err := running(ctx, "scriptrun, one call from a worker", workers, "noop", hundred, "1", 5)
	if err != nil {
		return t, err
	}
	if t.rows, err = turns(ctx, rounds, calls, command("`sh -c true`", 5, "sh", "-c", "true")); err != nil {
		return t, err
	}
	t.rows[0].p50 /= 100
	t.rows[0].p99 /= 100
	return t, nil
}

// cold is a process from its start to its end.
func cold(ctx context.Context, in *installed, rounds int) (t table, err error) {
	t = table{title: "A cold run", about: "A process from its start to its end."}
	file := filepath.Join(in.dir, "trivial.js")
	if err := os.WriteFile(file, []byte("/*---\nkind: script\ndescription: It answers.\n---*/\nexport default function run() { return 1 }\n"), 0o600); err != nil {
		return t, err
	}
	t.rows, err = turns(ctx, rounds,
		command("`scriptrun run trivial.js`", 2, in.scriptrun, "run", file),
		command("`scriptrun run --in-process trivial.js`", 2, in.scriptrun, "run", "--in-process", file),
		command("`node -e 0`", 2, "node", "-e", "0"))
	return t, err
}

func command(name string, batch int, args ...string) subject {
	return subject{name: name, batch: batch, needs: args[0], do: func(ctx context.Context) error {
		return exec.CommandContext(ctx, args[0], args[1:]...).Run()
	}}
}

// The workloads of cores.
const computing = "function run() { let n = 0; for (let i = 0; i < 30000; i++) n += i % 7; return n }\n"

const coreTurns = 7

// cores is what a second processor is good for.
func cores(ctx context.Context, in *installed, _ int) (t table, err error) {
	t = table{title: "One core and all", about: fmt.Sprintf("Many runs at once, as time for each, %d times in turns. One core means that the host and its workers are bound to it.", coreTurns)}
	took := map[[2]string][]time.Duration{} // by workload and cores
	for range coreTurns {                   // each time in a process of its own
		for _, w := range workloads {
			for _, cores := range []string{oneCore, allCores} {
				each, err := in.throughputOn(ctx, cores, w.name)
				if err != nil {
					return t, err
				}
				of := [2]string{w.name, cores}
				took[of] = append(took[of], each)
			}
		}
	}
	for _, w := range workloads {
		all, one := rowOf("all cores, "+w.name, took[[2]string{w.name, allCores}]), rowOf("one core, "+w.name, took[[2]string{w.name, oneCore}])
		all.p99, one.p99 = 0, 0 // of so few there is none
		t.rows = append(t.rows, all, one)
		t.notes = append(t.notes, fmt.Sprintf("%s: all cores do %.2f times the work of one.", w.name, float64(one.p50)/float64(all.p50)))
	}
	t.noRatios = true
	return t, nil
}

type workload struct {
	name, source, want string
	runs               int
}

var workloads = []workload{
	{"trivial", tool, answer, 15000},
	{"2 ms of computing", computing, "89995", 600},
	{"the same computing by goja alone, which is what the machine gives", "", "", 600},
}

func workloadOf(name string) (workload, error) {
	for _, w := range workloads {
		if w.name == name {
			return w, nil
		}
	}
	return workload{}, fmt.Errorf("there is no workload %q", name)
}

// gojaAlone computes without scriptrun: machines that others use as well have
// less than their cores at times.
func gojaAlone(context.Context) error {
	value, err := goja.New().RunString(computing + "run()")
	if err == nil && value.String() != "89995" {
		err = fmt.Errorf("goja computed %s", value)
	}
	return err
}

// throughput is how long each of many runs takes, eight at once.
func throughput(ctx context.Context, w workload) (each time.Duration, err error) {
	s := subject{name: w.name, do: gojaAlone}
	if w.source != "" {
		var runner *runtime.Runner
		if runner, err = bare(false); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, runner.Close()) }()
		if s, err = running(ctx, w.name, runner, "noop", w.source, w.want, 1); err != nil {
			return 0, err
		}
	}
	half := func(n int) error {
		left := make(chan struct{}, n)
		for range n {
			left <- struct{}{}
		}
		close(left)
		failed := make(chan error, 8)
		for range 8 {
			go func() {
				for range left {
					if err := s.do(ctx); err != nil {
						failed <- err
						return
					}
				}
				failed <- nil
			}()
		}
		var errs []error
		for range 8 {
			errs = append(errs, <-failed)
		}
		return errors.Join(errs...)
	}
	if err := half(w.runs / 5); err != nil { // warm up
		return 0, err
	}
	began := time.Now()
	err = half(w.runs)
	return time.Since(began) / time.Duration(w.runs), err
}
