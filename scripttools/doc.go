// Package scripttools turns tool files into tools: it reads headers, checks
// them, compiles the scripts, and runs what was loaded by name.
//
// A tool file is JavaScript with a header in a comment, which comes first:
//
//	/*---
//	kind: script
//	name: todo-report
//	description: Count TODO comments by file.
//	allowed_tools: [grep, "read(src/**)", "bash(git blame *)"]
//	input_schema:
//	  type: object
//	  properties:
//	    path: {type: string, default: "."}
//	limits: {timeoutMs: 10000, maxToolCalls: 50}
//	---*/
//	export default async function run(ctx, inputs) { … }
//
// or Markdown that names its script, relative to the workspace, and whose body
// is the description when the header has none:
//
//	---
//	kind: script
//	path: scripts/todo.js
//	---
//	Count TODO comments by file.
//
// A header is YAML (---), TOML (+++) or JSON (;;;), with the same keys; in
// JavaScript the fences are /*--- and ---*/ and so on. A fence stands alone on
// its line and begins in column 1. Before the header there may be a byte order
// mark, a #! line and blank lines, nothing else.
//
// [LoadDir] loads a directory, [LoadFile] one file. Both are strict: an unknown
// key, a duplicate key, a tool that the host does not offer, a limit out of
// range, a schema that is none, a script that does not parse are all errors,
// all told at once in a [LoadError], each at its place and with the line under
// a caret. Nothing is loaded then.
//
//	catalog, err := scripttools.LoadDir(ctx, runner, "tools")
//	if err != nil {
//		return err
//	}
//	report := catalog.Run(ctx, "todo-report", scripttools.Inputs{"path": "src"})
//
// In a directory, JavaScript without a header is a module, not a tool.
// Anything that looks like a header and is not at the top is an error, as the
// tool would be missing without a word; so is Markdown without a header,
// except for a README.md. Symbolic links may lead to other files of the same
// directory only, and the directory itself must lie in its workspace.
//
// The one trap: what runs is what was loaded. A [Catalog] does not see that a
// file has changed since; load again and use the new catalog.
package scripttools
