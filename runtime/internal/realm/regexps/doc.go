// Package regexps gives a realm the regular expressions of the standard: RegExp, the methods of
// its prototype, and match, matchAll and search of strings, over runtime/internal/regex.
//
//	program ─▶ Rewrite ─▶ engine's RegExp objects, with a key instead of a pattern
//	new RegExp, "…".match(…) ─▶ the same objects ─▶ World ─▶ regex.Program ─▶ regex.Matcher
//
// A regular expression is an object of the engine, so that it is one for every part of the
// engine that asks. But its pattern is a key, which has what the script wrote and its flags,
// and which matches nothing of interest; see [encode]. Every method that could use the
// engine's pattern is replaced. Nothing is kept for an object: a script that makes millions of
// them does not fill tables.
//
// The trap: a realm whose programs were rewritten needs [World.Install] before they run.
package regexps
