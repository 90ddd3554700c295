package programs

import "strings"

// files are programs that change files. Who writes rm * means it: their
// operands are covered. Not what sends them elsewhere than the rule says.
func files() []program {
	return []program{
		{names: "cp gcp", says: "files and folders, options that copy more or less of them", grammar: grammar{
			covered: "-a -R -r -p -d -f -i -n -u -v -x -l -s -L -P -H -T --archive --recursive --force --interactive --no-clobber --update? --verbose --preserve? --no-dereference --dereference --link --symbolic-link --no-target-directory --one-file-system --reflink? --sparse=",
			refused: []refusal{{"-t= --target-directory=", "sends the files elsewhere"}, {"-b --backup? -S= --suffix= --parents --remove-destination", "writes under other names"}}, operands: inside}},
		{names: "mv gmv", says: "files and folders, -f, -i, -n, -u, -v", grammar: grammar{
			covered: "-f -i -n -u -v -T --force --interactive --no-clobber --update? --verbose --no-target-directory", refused: []refusal{{"-t= --target-directory=", "sends the files elsewhere"},
				{"-b --backup? -S= --suffix= --exchange", "writes under other names"}}, operands: inside}},
		{names: "ln gln", says: "files and folders, -s, -f, -n, -r, -v", grammar: grammar{
			covered: "-s -f -i -n -r -v -T -L -P --symbolic --force --no-dereference --relative --verbose --no-target-directory", refused: []refusal{{"-t= --target-directory=", "makes the links elsewhere"},
				{"-b --backup? -S= --suffix=", "writes under other names"}}, operands: inside}},
		{names: "rm grm", says: "files and folders, -r, -f, -i, -v, -d", grammar: grammar{
			covered: "-f -i -I -r -R -v -d --force --recursive --verbose --dir --one-file-system", refused: []refusal{{"--no-preserve-root", "removes everything"}}, operands: inside}},
		{names: "install ginstall", says: "files and folders, -d, -m, -D, -v", grammar: grammar{
			covered: "-d -D -v -c -C -p -m= --directory --verbose --compare --mode= --preserve-timestamps", refused: []refusal{{"-s --strip --strip-program=", "runs a program"},
				{"-t= --target-directory=", "sends the files elsewhere"}, {"-b --backup? -S= --suffix=", "writes under other names"}, {"-o= --owner= -g= --group=", "changes owners"}}, operands: inside}},
		{names: "mkdir rmdir touch chmod chown chgrp truncate unlink mkfifo", says: "files and folders, -p, -R, -v, -f and others that choose", grammar: grammar{
			covered: "-p -v -R -f -c -a -m -h -s= --parents --verbose --recursive --changes --quiet --silent --no-create --size= --ignore-fail-on-non-empty", refused: []refusal{{"--reference= -r= -t= --no-preserve-root", "reads another file, or changes everything"}}, operands: inside}},
		{names: "tee", says: "files, -a", grammar: grammar{covered: "-a --append -i --ignore-interrupts -p", operands: inside}},
		{names: "dd", says: "if=, bs=, count= and others, not of=", grammar: grammar{operands: func(l *line) {
			for _, at := range l.operands {
				switch name, _, _ := strings.Cut(l.words[at], "="); name {
				case "if", "bs", "ibs", "cbs", "count", "skip", "status", "iflag":
				default:
					l.guard(at, "dd "+name+"= writes a file")
				}
			}
		}}},
		{names: "shred wipe mkfs mount umount losetup fdisk parted", says: "nothing: they destroy", grammar: grammar{operands: everything("it destroys files or changes the system")}},
	}
}
