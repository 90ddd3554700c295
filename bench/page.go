package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"time"
)

// table is a section of the page. Its first row is ours; the others are
// compared with it.
type table struct {
	title, about string
	rows         []row
	notes        []string
	noRatios     bool // the rows are not to be compared with the first
}

type page struct {
	peers  *installed
	tables []table
}

// text is the page.
func (p *page) text(ctx context.Context) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Benchmarks\n\nWritten by `go -C bench run .`, which measures all of it in one run, in turns.\nRead the ratios: times are of one machine. The ratio is the first row's median to the row's own.\nA program that a machine lacks has a row that says so. Sections that say when they were measured were written by `-only`.\n\n")
	fmt.Fprintf(&b, "%s, %d cores, %s, %s/%s.\n", cpu(), goruntime.NumCPU(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
	fmt.Fprintf(&b, "Peers: node %s; %s.\n", output(ctx, "node", "--version"), strings.Join(versions(), "; "))
	for _, t := range p.tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| | median | p99 | samples | ratio |\n|---|--:|--:|--:|--:|\n", t.title, t.about)
		for i, r := range t.rows {
			ratio := ""
			if r.samples == 0 {
				fmt.Fprintf(&b, "| %s | | | | |\n", r.name)
				continue
			}
			if i > 0 && !t.noRatios {
				ratio = fmt.Sprintf("%.3g", float64(t.rows[0].p50)/float64(r.p50))
			}
			p99 := ""
			if r.p99 > 0 {
				p99 = figure(r.p99)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %d | %s |\n", r.name, figure(r.p50), p99, r.samples, ratio)
		}
		for _, note := range t.notes {
			fmt.Fprintf(&b, "\n%s\n", note)
		}
	}
	return b.Bytes()
}

// figure has three digits.
func figure(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

func cpu() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown processor"
}

func output(ctx context.Context, args ...string) string {
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}

// versions are those of the peers in Go, and of the one package from npm.
func versions() (found []string) {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		switch m.Path {
		case "github.com/dop251/goja", "modernc.org/quickjs", "github.com/modelcontextprotocol/go-sdk":
			found = append(found, m.Path+" "+m.Version)
		}
	}
	return append(found, "@modelcontextprotocol/sdk 1.32.2")
}
