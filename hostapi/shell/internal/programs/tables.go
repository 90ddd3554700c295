package programs

import "sync"

// tables are made at the first use.
var tables = sync.OnceValue(func() [][]program {
	return [][]program{{git()}, texts(), files(), archives(), networks(), builds(), interpreters(), wholes()}
})

// wholes are programs that no wildcard covers any word of: their arguments, or the
// input that these name, are commands.
func wholes() []program {
	return []program{
		{names: "ed ex red vi vim nvim view vimdiff emacs emacsclient nano pico joe micro helix hx", says: "nothing: an editor runs commands",
			grammar: grammar{operands: everything("an editor runs the commands that it is given")}},
		{names: "gdb lldb valgrind perf rr bpftrace dtrace expect dc m4 gnuplot", says: "nothing: they run commands",
			grammar: grammar{operands: everything("it runs the commands that it is given")}},
		{names: "sqlite3 sqlite duckdb psql pg_dump mysql mariadb mongosh redis-cli clickhouse", says: "nothing: their languages have commands that run programs or write files (.shell, \\!)",
			grammar: grammar{operands: everything("its language can run programs and write files")}},
		{names: "xdg-open open start sensible-browser gio kde-open wslview", says: "nothing: a program of the desktop is started",
			grammar: grammar{operands: everything("it starts a program of the desktop")}},
		{names: "tmux screen dtach mosh sshpass autossh torify proxychains proot gosu su-exec tini dumb-init chronic hyperfine caffeinate watchexec nodemon direnv mise asdf conda nix nix-shell guix",
			says: "nothing: they run other commands", grammar: grammar{operands: everything("it runs another command")}},
		{names: "gcc g++ cc c++ clang clang++ cpp ld as rustc javac tsc swiftc ghc ocaml nasm", says: "nothing: they write files, and load plugins",
			grammar: grammar{operands: everything("a compiler writes files, and loads plugins that an option names")}},
		{names: "gpg gpg2 ssh-keygen ssh-add keytool", says: "nothing: they work with keys", grammar: grammar{operands: everything("it works with keys")}},
	}
}
