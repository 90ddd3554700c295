package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// interrupted runs a program until a file appears, then interrupts it as
// Ctrl-C does, again for each further file of the list, and waits for its end.
func interrupted(dir, signs string, argv []string, getenv func(string) string) (map[string]string, error) {
	path, err := lookIn(getenv("PATH"), argv[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, argv[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + getenv("PATH"), "HOME=" + getenv("HOME")}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	giveUp := time.After(30 * time.Second)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for _, sign := range strings.Split(signs, ",") {
		for {
			if _, err := os.Stat(filepath.Join(dir, sign)); err == nil {
				break
			}
			select {
			case <-look.C:
			case <-giveUp:
				return nil, errors.Join(fmt.Errorf("%s did not appear; stderr: %s", sign, &errOut), cmd.Process.Kill(), cmd.Wait())
			}
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return nil, err
		}
	}
	_ = cmd.Wait() // the exit code tells
	return map[string]string{"code": fmt.Sprint(cmd.ProcessState.ExitCode()), "out": out.String(), "err": errOut.String()}, nil
}

func lookIn(path, name string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		file := dir + string(os.PathSeparator) + name
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s is not in %s", name, path)
}
