//go:build !unix

package main

// Without a sandbox, commands are kept from nothing.

func servedFolder() string { return "" }

func sayServed(string, []string) (end func(), err error) { return func() {}, nil }

func servedElsewhere(string) []string { return nil }
