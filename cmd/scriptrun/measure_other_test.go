//go:build !linux

package main

const measuring = "measure-memory"

func measure() {}
