package programs

import "strings"

// archives are programs that pack and unpack.
func archives() []program {
	return []program{
		{names: "tar gtar bsdtar", says: "-t, the archive and the members to list; with -x or -c in the rule, -f and members", grammar: tar},
		{names: "zip", says: "options that compress; files, not the archive", grammar: grammar{
			covered: "-9 -r -q -v -j -y -X -x= -i= --recurse-paths --quiet --exclude= --include=", refused: []refusal{{"-T --test -TT= --unzip-command=", "runs a program"},
				{"-m --move -d --delete -O= --output-file= -b= --temp-path= -lf= --logfile-path= -@", "writes or removes other files"}}, operands: firstOperand("is the archive, which is written")}},
		{names: "unzip", says: "-l, -t, -v, -p, -Z, and archives with one of them", grammar: grammar{
			covered: "-l -t -v -p -Z -q -qq -1 -2", refused: []refusal{{"-d=", "writes elsewhere"}, {"-o -n -j -f -u -x= -:", "unpacks"}}, operands: func(l *line) {
				if !l.has("-l", "-t", "-v", "-p", "-Z") {
					allOperands("is unpacked, which writes files")(l)
				}
			}}},
		{names: "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd compress uncompress", says: "-c, -d, -k, -l, -t, levels; files, which they replace", grammar: grammar{
			covered:  "-9 -c -d -k -l -t -v -q -n --stdout --to-stdout --decompress --uncompress --keep --list --test --verbose --quiet --fast --best",
			refused:  []refusal{{"-r --recursive -f --force -S= --suffix= -o= --output-dir-flat= --files? --files0? -D=", "writes elsewhere, or reads a file of names"}},
			operands: inside}},
		{names: "zcat bzcat xzcat zstdcat", says: "files", grammar: grammar{covered: "-f -q -v"}},
		{names: "lz4 unlz4 lz4c lz4cat 7z 7za 7zr 7zz rar unrar cpio pax ar ranlib jar", says: "nothing: they write files or run programs", grammar: grammar{operands: everything("it writes files where the archive says, or runs programs")}},
	}
}

var tar = grammar{
	covered: "-t --list -v --verbose -z -j -J -a --gzip --gunzip --ungzip --bzip2 --xz --zstd --lz4 --auto-compress -f= --file= --exclude= --strip-components= --wildcards --no-wildcards --anchored --no-anchored " +
		"-O --to-stdout -k --keep-old-files --skip-old-files --numeric-owner --full-time --utc -R --block-number -w --no-recursion --ignore-case --no-same-owner --no-same-permissions -m --touch --occurrence? --show-transformed-names",
	refused: []refusal{
		{"-x --extract --get", "writes files"},
		{"-c --create -r --append -u --update -A --catenate --concatenate --delete", "writes an archive"},
		{"-I= --use-compress-program= --to-command= --checkpoint-action= --checkpoint? -F= --info-script= --new-volume-script= --rsh-command= --rmt-command=", "runs a program"},
		{"-T= --files-from= -X= --exclude-from=", "reads names, and options, from a file"},
		{"-C= --directory= --one-top-level? --transform= --xform= -P --absolute-names --keep-directory-symlink", "sends files elsewhere"},
		{"--remove-files -U --unlink-first --recursive-unlink --overwrite --overwrite-dir", "removes files"},
		{"-g= --listed-incremental= -G --incremental --index-file= --volno-file= -M --multi-volume -L= --tape-length= -p --preserve-permissions --same-permissions --same-owner -s --xattrs --selinux --acls", "writes further files, or keeps modes and owners"},
	},
	values: func(option, value string) string {
		if (option == "-f" || option == "--file") && strings.Contains(value, ":") {
			return "an archive with a colon is on another machine, and rsh is run to get it"
		}
		return ""
	},
	operands: func(l *line) {
		if len(l.words) > 1 && !strings.HasPrefix(l.words[1], "-") { // tar xzf a.tgz
			everything("the options of tar are without a dash; write them with one")(l)
			return
		}
		if l.has("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate", "--delete") {
			for _, o := range l.options {
				if o.name == "-f" || o.name == "--file" {
					l.guard(o.at, "tar "+o.name+" names the archive, which is written")
				}
			}
		}
	},
}
