package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// onCores is the argument with which this program measures a workload, alone in
// its process, on as many cores as the next argument says.
const (
	onCores  = "on-cores"
	oneCore  = "one"
	allCores = "all"
)

// throughputOn is throughput in a process of its own, on one core or all.
func (in *installed) throughputOn(ctx context.Context, cores, name string) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self, onCores, cores)
	cmd.Stdin, cmd.Stderr = bytes.NewReader([]byte(name)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	var each time.Duration
	return each, json.Unmarshal(out, &each)
}

func measureOn(cores string) error {
	var name bytes.Buffer
	if _, err := name.ReadFrom(os.Stdin); err != nil {
		return err
	}
	w, err := workloadOf(name.String())
	if err != nil {
		return err
	}
	if cores == oneCore {
		if err := bind(); err != nil {
			return err
		}
	}
	each, err := throughput(context.Background(), w)
	if err != nil {
		return err
	}
	_, err = fmt.Println(int64(each))
	return err
}

// bind keeps this process, and all that it starts, on the first core.
func bind() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	var set unix.CPUSet
	set.Set(0)
	for _, thread := range threads { // those that come later inherit it
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(id, &set); err != nil {
			return err
		}
	}
	return nil
}
