// Package programs knows what the arguments of a command make a program do. Its
// table lists programs that run other programs, write files, or load code or
// configuration because an argument says so.
//
// A rule such as bash(git log *) promises its author that * covers what git
// log reads with, and not --output. So a wildcard covers only what the table
// lists. An option is listed by its whole name: neither an abbreviation, nor
// an option of a newer version, nor one that somebody forgot is covered. All
// of them may still be spelled out in the rule, word by word.
//
// A word that begins with a dash must be a listed option wherever it stands, even
// as the value of another option or after --. So if the table is wrong about which
// options take a value, a wildcard covers too little, never too much.
//
// [Guard] judges a command; [ReadGit] does so for callers that only let git read.
// The arguments of programs that the table does not list are not judged; [Table]
// lists the programs.
package programs
