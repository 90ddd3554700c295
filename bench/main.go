// Command bench measures scriptrun beside its peers, in one run on one
// machine, and writes docs/benchmarks.md. It is a module of its own, so that
// the peers are no dependencies of the product.
//
//	go -C bench run .
//
// It needs node and npm for those peers that are programs of Node; -only tree,
// named and line do not, and say in a row what is not there.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

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
	only := flag.String("only", "", "one `section`, warm, call, cold, named, line, cores, stdio, first, web or tree; it is printed, and the page stays as it is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *rounds, *only); err != nil {
		stop()
		log.Fatal(err)
	}
}

// section measures one thing.
type section struct {
	name    string
	measure func(context.Context, *installed, int) (table, error)
	npm     bool // it measures what comes from npm
}

var sections = []section{
	{"warm", warm, true}, {"call", call, false}, {"cold", cold, false}, {"named", named, false}, {"line", line, false},
	{"cores", cores, false}, {"stdio", stdio, true}, {"first", first, true}, {"web", web, true}, {"tree", tree, false},
}

// run measures everything and writes the page, or one section and prints it.
func run(ctx context.Context, out string, rounds int, only string) error {
	measured := slices.DeleteFunc(slices.Clone(sections), func(s section) bool { return only != "" && s.name != only })
	if len(measured) == 0 {
		return fmt.Errorf("there is no section %q", only)
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	peers, err := install(ctx, dir, slices.ContainsFunc(measured, func(s section) bool { return s.npm }))
	if err != nil {
		return err
	}
	page := &page{peers: peers}
	for _, s := range measured {
		t, err := s.measure(ctx, peers, rounds)
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, t.title)
		page.tables = append(page.tables, t)
	}
	if only != "" {
		_, err := os.Stdout.Write(page.text(ctx))
		return err
	}
	return os.WriteFile(filepath.Clean(out), page.text(ctx), 0o644)
}
