// Package lower turns TypeScript, and syntax that the engine does not read, into what it does
// read.
//
// [Source] does it for one text, with esbuild. It reads no file and runs no code of the text.
// It takes any time and memory that the text makes it take, and the worst texts end the process
// by the depth of its stack: it belongs where a process can be killed.
//
// What comes out is another program, and a [Map] from its places to the author's. Nothing here
// knows what a tool or an entry is.
package lower
