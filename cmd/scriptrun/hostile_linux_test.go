package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// strict holds every hostile script to its time, in every place.
var strict = flag.Bool("hostile.strict", false, "run every hostile script, and fail where one takes longer than its deadline and half a second")

// TestHostileScriptsByCommand: the built binary outlives every tool file, and prints its
// receipt. By default only a few are tried.
func TestHostileScriptsByCommand(t *testing.T) {
	t.Parallel()
	binary, dir := buildCommand(t), t.TempDir()
	text, err := os.ReadFile("../../runtime/testdata/hostile.json")
	if err != nil {
		t.Fatal(err)
	}
	var scripts []struct{ Name, JS string }
	if err := json.Unmarshal(text, &scripts); err != nil {
		t.Fatal(err)
	}
	slots := make(chan struct{}, 2)
	var attacking sync.WaitGroup
	for i, script := range scripts {
		for j, place := range hostilePlaces {
			if !*strict && i%21 != 7*j {
				continue
			}
			slots <- struct{}{}
			attacking.Go(func() {
				defer func() { <-slots }()
				attackByCommand(t, binary, filepath.Join(dir, fmt.Sprintf("hostile-%d-%d.js", i, j)), script.Name, fmt.Sprintf(place, script.JS))
			})
		}
	}
	attacking.Wait()
	if left := running(t, binary); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

const hostileHeader = `/*---
kind: script
description: It is out to harm its host.
limits:
  timeoutMs: 500
  maxMemoryBytes: 134217728
---*/
`

// hostilePlaces are the places where a hostile script may stand.
var hostilePlaces = []string{
	"export default async function run(ctx, inputs) {\n%s\n}\n",
	"%s\nexport default async function run(ctx, inputs) { return 1 }\n",
	"export default async function run(ctx, inputs) { await null; return Promise.resolve().then(function () {\n%s\n}) }\n",
}

func attackByCommand(t *testing.T, binary, path, name, js string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(hostileHeader+js), 0o600); err != nil {
		t.Error(err)
		return
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary, "run", "--json", path)
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 { // not killed; the receipt says the rest
		err = nil
	}
	var receipt struct {
		Run, Outcome string
		Isolation    struct {
			Cell      string
			Abandoned bool
		}
	}
	if err := errors.Join(err, json.Unmarshal(out.Bytes(), &receipt)); err != nil || receipt.Outcome == "" || receipt.Isolation.Abandoned ||
		receipt.Isolation.Cell != "worker" && receipt.Outcome != "script_error" && receipt.Outcome != "invalid_input" && receipt.Outcome != "limit" && receipt.Outcome != "timeout" { // refused before it ran, or no worker came in time
		t.Errorf("%s: %v\n%s\n%s", name, err, out.Bytes(), errs.Bytes())
	}
	if *strict && took > time.Second {
		t.Errorf("%s: %s after %v", name, receipt.Outcome, took)
	}
}

// running are the processes of a program.
func running(t *testing.T, binary string) (found []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.TrimSuffix(target, " (deleted)") == binary {
			found = append(found, link)
		}
	}
	return found
}
