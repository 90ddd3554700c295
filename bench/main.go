// Command bench measures scriptrun beside its peers, in one run on one
// machine, and writes docs/benchmarks.md. It is a module of its own, so that
// the peers are no dependencies of the product.
//
//	go -C bench run .
//
// It needs node and npm for those peers that are programs of Node.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/scriptrun/scriptrun/runtime"
)

func main() {
	runtime.WorkerMain()
	if len(os.Args) > 1 {
		part := map[string]func() error{ // this program is some of its own peers
			onCores:  func() error { return measureOn(os.Args[len(os.Args)-1]) },
			goServer: func() error { return serveGo(context.Background()) },
		}[os.Args[1]]
		if part != nil {
			if err := part(); err != nil {
				log.Fatal(err)
			}
			return
		}
	}
	out := flag.String("o", "../docs/benchmarks.md", "`file` to write")
	rounds := flag.Int("rounds", 20, "how often each peer has its turn")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *rounds); err != nil {
		stop()
		log.Fatal(err)
	}
}

// run measures everything and writes the page.
func run(ctx context.Context, out string, rounds int) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	peers, err := install(ctx, dir)
	if err != nil {
		return err
	}
	page := &page{peers: peers}
	for _, section := range []func(context.Context, *installed, int) (table, error){warm, call, cold, cores, stdio, first, web} {
		t, err := section(ctx, peers, rounds)
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, t.title)
		page.tables = append(page.tables, t)
	}
	return os.WriteFile(filepath.Clean(out), page.text(ctx), 0o644)
}
