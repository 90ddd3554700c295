package main

import "os"

// keys reads single keys of a terminal, for who asks a person.
type keys struct{ in *os.File }
