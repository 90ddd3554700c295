// Package programs knows what the words of a command line make a program do:
// one table for those that run other programs, write files, or load code or
// configuration because an argument says so.
//
// A rule such as bash(git log *) promises its author that * covers what git
// log reads with, and not --output. So a wildcard covers only what the table
// lists. An option is listed by its whole name: neither an abbreviation, nor
// an option of a newer version, nor one that somebody forgot is covered. All
// of them may still be spelled out in the rule, word by word.
//
// A word that begins with a dash has to be a listed option wherever it
// stands: as the value of another option, and after --. So a mistake of the
// table about which options take a value covers too little, never too much.
//
// [Guard] is the whole of it; [ReadGit] is the same for those who let git read
// and nothing else. Programs that are not in the table are not looked into:
// [Table] says which are.
package programs
