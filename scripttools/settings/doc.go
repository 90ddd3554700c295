// Package settings reads what an operator and a project say about tools: what
// commands may reach, which hosts are asked, which MCP servers there are, what
// is denied or needs a yes, how long a run may take, and what is recorded.
//
// There are up to two files. The operator's counts as it stands. A project's
// scriptrun.toml comes with a clone or a download: what narrows takes effect,
// and what widens waits until somebody trusts these bytes at this place.
// [Load] reads both, refuses mistakes with their places, and returns what is in
// force, from which an embedder makes the tools.
package settings
