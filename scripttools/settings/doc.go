// Package settings reads the settings of an operator and of a project: what
// commands may reach, which hosts scripts may ask, the MCP servers, the calls that
// are denied or need a yes, how long a run may take, and the audit log.
//
// There are up to two files. The operator's file counts in full. A project's
// scriptrun.toml comes with a clone or a download: keys that narrow take effect,
// and keys that widen wait until somebody trusts these bytes at this place.
// [Load] reads both, reports mistakes with their places, and returns the settings
// in force, from which an embedder makes the tools.
package settings
