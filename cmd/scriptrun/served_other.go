//go:build !unix

package main

import "time"

// Without a sandbox, commands are kept from nothing.

func servedFolder() string { return "" }

func sayServed(string, []string) (name string, end func(), err error) { return "", func() {}, nil }

func servedElsewhere(string) []string { return nil }

type saying struct {
	paths []string
	since time.Time
}

func toldElsewhere(string, string) []saying { return nil }

func changedSince(string, time.Time) bool { return false }
