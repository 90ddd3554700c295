package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/scripttools"
)

// maxTypeCheck is how long tsc may take.
const maxTypeCheck = 2 * time.Minute

// tscOptions have tsc check JavaScript as a realm runs it. What is not annotated can be anything.
var tscOptions = []string{
	"--noEmit", "--pretty", "false", "--allowJs", "--checkJs", "--strict", "false", "--skipLibCheck",
	"--target", "esnext", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "esnext,dom",
}

// typeErrors are what tsc finds in the scripts of tools.
func typeErrors(ctx context.Context, tools []checkedTool) (found []finding) {
	var files []string
	for _, tool := range tools {
		path := filepath.FromSlash(tool.source)
		if slices.Contains(files, path) {
			continue
		}
		files = append(files, path)
		types := filepath.Join(filepath.Dir(path), scripttools.TypingsName)
		if _, err := os.Stat(types); err != nil && tool.source == tool.Path && !slices.ContainsFunc(found, func(f finding) bool { return f.File == filepath.ToSlash(types) }) {
			found = append(found, noted("warning", filepath.ToSlash(types), "the types are not there; scriptrun types writes them"))
		}
	}
	if len(files) == 0 {
		return found
	}
	tsc, err := exec.LookPath("tsc")
	if err != nil {
		return append(found, noted("error", "", "--types needs tsc, which is not installed: npm install -g typescript"))
	}
	ctx, stop := context.WithTimeout(ctx, maxTypeCheck)
	defer stop()
	empty, err := os.MkdirTemp("", "scriptrun-types-") // so that no other package's types are taken
	if err != nil {
		return append(found, noted("error", "", err.Error()))
	}
	defer func() { _ = os.RemoveAll(empty) }()
	for i, file := range files { // a name that begins with - or @ is no option, and no file of options
		if !filepath.IsAbs(file) {
			files[i] = "." + string(filepath.Separator) + file
		}
	}
	args := slices.Concat(tscOptions, []string{"--typeRoots", empty}, files)
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, tsc, args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	err = cmd.Run()
	errs := readTypeErrors(out.String())
	var failed *exec.ExitError
	if err != nil && len(errs) == 0 {
		why := err.Error()
		if errors.As(err, &failed) {
			why = clip.Head(strings.TrimSpace(out.String()), 1000)
		}
		return append(found, noted("error", "", fmt.Sprintf("tsc failed: %s", why)))
	}
	return append(found, errs...)
}

var typeError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+)\((\d+),(\d+)\): error (TS\d+): (.*)$`) })

// readTypeErrors reads what tsc writes: a line for each error, and lines that begin with spaces,
// which go on with it.
func readTypeErrors(text string) (found []finding) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if m := typeError().FindStringSubmatch(line); m != nil {
			row, _ := strconv.Atoi(m[2])
			col, _ := strconv.Atoi(m[3])
			found = append(found, finding{Severity: "error", File: filepath.ToSlash(m[1]), Line: row, Column: col, Message: m[4] + ": " + m[5]})
		} else if strings.HasPrefix(line, " ") && len(found) > 0 {
			found[len(found)-1].Message += "\n" + line
		}
	}
	for i, f := range found {
		found[i].text = fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, told(errors.New(f.Message)))
	}
	return found
}
