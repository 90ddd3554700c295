package programs

import "strings"

// files are programs that change files. A rule such as rm * covers their operands,
// but no option that sends files elsewhere than the rule says.
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
		{names: "mkdir rmdir", says: "folders, -p, -v", grammar: grammar{covered: "-p -v --parents --verbose --ignore-fail-on-non-empty", refused: []refusal{{"-m= --mode= -Z --context?", "sets modes"}}, operands: inside}},
		{names: "touch", says: "files, -a, -c, -m", grammar: grammar{covered: "-a -c -m --no-create", refused: []refusal{{"--reference= -r= -t= -d= --date=", "reads another file, or sets a time"}}, operands: inside}},
		{names: "chmod chown chgrp", says: "modes or owners, files and folders, -R, -v, -f, -c", grammar: grammar{
			covered: "-v -R -f -c --verbose --recursive --changes --quiet --silent", refused: []refusal{{"--reference= --no-preserve-root -H -L -P -h --dereference --no-dereference --from=", "reads another file, or follows links"}}, operands: inside}},
		{names: "truncate", says: "files, -s, -c", grammar: grammar{covered: "-c -s= --no-create --size=", refused: []refusal{{"-r= --reference=", "reads another file"}}, operands: inside}},
		{names: "unlink mkfifo", says: "files", grammar: grammar{operands: inside}},
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
