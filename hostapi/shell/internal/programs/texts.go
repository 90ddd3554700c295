package programs

import "strings"

// texts are programs that read text.
func texts() []program {
	return []program{
		{names: "sed gsed", says: "scripts of p, d, q, =, n, s/…/…/ with the flags g, i, p and numbers, y and others that neither write nor run; files", grammar: grammar{
			covered: "-n --quiet --silent -E -r --regexp-extended -z --null-data -u --unbuffered -s --separate --posix --debug -b --binary --sandbox -e= --expression= -l= --line-length=",
			refused: []refusal{{"-i? --in-place?", "writes the files"}, {"-f= --file=", "reads a script from a file"}},
			values: func(option, value string) string {
				switch option {
				case "-e", "--expression":
					return sedScript(value)
				case "-l", "--line-length":
					if !isNumber(value) {
						return "a length is a number; where -l takes none, what follows is the script"
					}
				}
				return ""
			},
			operands: func(l *line) {
				if len(l.operands) == 0 {
					return
				}
				at := l.operands[0]
				given := false // before it, or some versions take it for the script
				for _, o := range l.options {
					given = given || o.at < at && (o.name == "-e" || o.name == "--expression" || o.name == "-f" || o.name == "--file")
				}
				if !given {
					if why := sedScript(l.words[at]); why != "" {
						l.guard(at, why)
					}
				}
			},
		}},
		{names: "awk gawk mawk nawk original-awk goawk", says: "programs without |, <, >, @, system and getline; files", grammar: grammar{
			covered: "-F= -v= --field-separator= --assign=", stops: true,
			refused: []refusal{{"-f= --file= -e= --source= -i= --include= -l= --load= -E= --exec=", "reads or loads code"},
				{"-o? --pretty-print? -d? --dump-variables? -p? --profile? -D? --debug?", "writes a file, or opens the debugger"}},
			operands: func(l *line) {
				if !l.has("-f", "--file", "-e", "--source", "-E", "--exec") && len(l.operands) > 0 {
					at := l.operands[0]
					if why := awkProgram(l.words[at]); why != "" {
						l.guard(at, why)
					}
				}
				for _, at := range l.operands {
					if strings.HasPrefix(l.words[at], "-") { // busybox takes options after it
						l.guard(at, "the operand "+l.words[at]+" looks like an option")
					}
				}
			},
		}},
		{names: "sort gsort", says: "options that choose how to sort; files", grammar: grammar{
			covered: "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort " +
				"--human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check? --merge --stable --unique --zero-terminated --key= --field-separator= --parallel= --debug",
			refused: []refusal{{"-o= --output=", "writes a file"}, {"--compress-program=", "runs a program"}, {"-T= --temporary-directory= -S= --buffer-size=", "chooses where it writes"},
				{"--files0-from= --random-source= --batch-size=", "reads a file of names"}},
		}},
		{names: "uniq", says: "options; one file to read", grammar: grammar{
			covered:  "-9 -c -d -D -u -i -z -f= -s= -w= --count --repeated --all-repeated? --unique --ignore-case --group? --zero-terminated --skip-fields= --skip-chars= --check-chars=",
			operands: secondOperand("is written"),
		}},
		{names: "grep egrep fgrep zgrep ggrep", says: "options that choose and format; files", grammar: grammar{
			covered: "-9 -E -F -G -P -e= -i -y -v -w -x -c -l -L -m= -o -q -s -b -H -h -n -T -Z -A= -B= -C= -a -I -r -R -z -U --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --ignore-case " +
				"--no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-with-matches --files-without-match --max-count= --only-matching --quiet --silent --no-messages " +
				"--byte-offset --with-filename --no-filename --line-number --initial-tab --null --label= --after-context= --before-context= --context= --text --binary-files= --exclude= --exclude-dir= --include= " +
				"--recursive --dereference-recursive --line-buffered --null-data --binary",
			refused: []refusal{{"-f= --file= --exclude-from=", "reads a file of patterns"}, {"-d= --directories= -D= --devices=", "reads devices"}},
		}},
		{names: "rg", says: "options that choose and format; paths", grammar: grammar{
			covered: "-9 -e= -i -S -s -v -w -x -c -l -o -n -N -H -I -A= -B= -C= -m= -g= -t= -T= -F -P -U -u -a -0 -q -j= -r= -M= -d= --regexp= --ignore-case --smart-case --case-sensitive --invert-match --word-regexp " +
				"--line-regexp --count --count-matches --files-with-matches --files-without-match --only-matching --line-number --no-line-number --with-filename --no-filename --after-context= --before-context= " +
				"--context= --max-count= --glob= --iglob= --type= --type-not= --fixed-strings --pcre2 --multiline --hidden --no-ignore --files --json --stats --color= --heading --no-heading --vimgrep --sort= --sortr= " +
				"--max-depth= --trim --null --quiet --text --threads= --replace= --no-config --max-columns= --type-list",
			refused: []refusal{{"--pre= --pre-glob= --hostname-bin= -z --search-zip", "runs a program"}, {"-f= --file= --ignore-file=", "reads a file of patterns"}, {"-L --follow", "follows links"}},
		}},
		{names: "ag ack", says: "paths and patterns", grammar: grammar{refused: []refusal{{"--pager? --ackrc= --filter", "runs a program"}}}},
		{names: "jq gojq jaq", says: "a filter and files; a filter can read the environment, and neither write nor run", grammar: grammar{
			covered: "-c -r -j -a -s -n -e -S -C -M -R --compact-output --raw-output --join-output --ascii-output --slurp --null-input --exit-status --sort-keys --color-output --monochrome-output --raw-input --tab --indent= --stream --seq --arg= --argjson= --args --jsonargs --slurpfile= --rawfile=",
			refused: []refusal{{"-f --from-file -L= --library-path= --run-tests?", "reads code"}},
		}},
		{names: "yq", says: "options that format; no expression, since it can read files and the environment", grammar: grammar{
			covered: "-r -o= -p= -P -C -M -N -e -n --output-format= --input-format= --prettyPrint --colors --no-colors --unwrapScalar --no-doc --exit-status --null-input",
			refused: []refusal{{"-i --inplace -s= --split-exp= -I=", "writes files"}, {"-f= --from-file= --split-exp-file=", "reads code"}}, operands: firstOperand("can load files and name programs"),
		}},
		{names: "diff colordiff cmp comm", says: "options that choose and format; files and folders", grammar: grammar{
			covered: "-9 -u -U= -c -C= -q -s -y -W= -p -F= -t -T -i -E -Z -b -w -B -I= -a -r -N -x= -d -e -n -1 -2 -3 -z --unified? --context? --brief --report-identical-files --side-by-side --width= --left-column --suppress-common-lines " +
				"--show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize= --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space " +
				"--ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --recursive --no-dereference --new-file --exclude= --minimal --speed-large-files --color? --total --check-order --nocheck-order",
			refused: []refusal{{"-l --paginate", "runs a program"}, {"-X= --exclude-from= -S= --starting-file= --from-file= --to-file=", "reads a file besides those that are compared"}},
		}},
		{names: "sdiff diff3 patch", says: "nothing: they run programs or write files", grammar: grammar{operands: everything("it runs diff programs or writes files")}},
		{names: "cat head tail tac wc nl cut tr od hexdump fold fmt expand unexpand rev paste join column ls stat du df pwd basename dirname realpath readlink echo true false seq sha256sum sha1sum md5sum cksum strings",
			says: "everything: they read, and write to their output alone", free: true},
		{names: "split csplit shuf xxd iconv", says: "nothing: they write files or run programs", grammar: grammar{operands: everything("it can write a file or run a program")}},
		{names: "tree", says: "options that choose and format; folders", grammar: grammar{
			covered: "-a -d -f -i -s -h -p -u -g -D -F -C -n -t -r -v -L= -P= -I= --noreport --dirsfirst --prune --gitignore -J -X", refused: []refusal{{"-o= --fromfile --fromtabfile --gitfile= --infofile=", "writes or reads a file"}}}},
		{names: "date", says: "formats and -u, -R, -I, -d", grammar: grammar{
			covered: "-u --utc --universal -R --rfc-email -I? --iso-8601? --rfc-3339= -d= --date=", refused: []refusal{{"-s= --set=", "sets the clock"}, {"-f= --file=", "reads a file"}},
			operands: func(l *line) {
				for _, at := range l.operands {
					if !strings.HasPrefix(l.words[at], "+") {
						l.guard(at, "date "+l.words[at]+" sets the clock")
					}
				}
			}}},
		{names: "file", says: "options that format; files", grammar: grammar{covered: "-b -i -L -h -N -k -r -s -z -0 -p -E --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --print0",
			refused: []refusal{{"-m= --magic-file= -f= --files-from=", "reads a file of rules or names"}, {"-C --compile -Z -S", "writes a file, or leaves its own sandbox"}}}},
		{names: "bc", says: "files", grammar: grammar{covered: "-l -q -s -w --mathlib --quiet --standard --warn"}},
		{names: "less more most pg", says: "-R, -S, -N and others that format; files", grammar: grammar{
			covered:  "-R -S -N -F -X -r -n -i -I -M -m -s -e -E",
			refused:  []refusal{{"-o= -O= --log-file= --LOG-FILE=", "writes a file"}, {"-k= --lesskey-file= --lesskey-src= -t= --tag= -T= -p= --pattern=", "reads commands"}},
			operands: noPlus,
		}},
		{names: "man apropos whatis info", says: "names of pages", grammar: grammar{operands: func(l *line) {
			for _, at := range l.operands {
				if strings.ContainsAny(l.words[at], "/+=") {
					l.guard(at, "man "+l.words[at]+" reads a file, which can hold commands")
				}
			}
		}}},
		{names: "find gfind", says: "tests and -print, -ls, -prune; folders", grammar: grammar{
			style: single,
			covered: "-H -L -P -name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -regextype= -lname= -ilname= -type= -xtype= -size= -empty -mtime= -mmin= -atime= -amin= -ctime= -cmin= " +
				"-newer= -anewer= -cnewer= -newermt= -perm= -user= -group= -uid= -gid= -nouser -nogroup -links= -inum= -samefile= -readable -writable -executable -maxdepth= -mindepth= -depth -d -xdev -mount " +
				"-daystart -follow -noleaf -true -false -print -print0 -printf= -ls -prune -quit -o -or -a -and -not -fstype=",
			refused: []refusal{{"-exec= -execdir= -ok= -okdir=", "runs a program"}, {"-delete", "removes files"}, {"-fprint= -fprint0= -fprintf= -fls=", "writes a file"}, {"-files0-from=", "reads a file of names"}},
			operands: func(l *line) {
				for _, o := range l.options {
					switch o.name {
					case "-exec", "-execdir", "-ok", "-okdir", "-fprintf":
						for at := o.at + 1; at < len(l.words); at++ {
							l.guard(at, "it follows find "+o.name)
						}
					}
				}
			},
		}},
		{names: "fd fdfind", says: "options that choose and format; patterns and folders", grammar: grammar{
			covered: "-H -I -u -s -i -g -F -a -L -p -0 -d= -E= -t= -e= -S= -c= -j= -1 -q --hidden --no-ignore --glob --fixed-strings --absolute-path --follow --full-path --max-depth= --min-depth= --exclude= --type= --extension= --size= --color= " +
				"--changed-within= --changed-before= --max-results=",
			refused: []refusal{{"-x= --exec= -X= --exec-batch= --base-directory= --search-path= -C= --ignore-file=", "runs a program, or looks elsewhere"}, {"-l --list-details", "runs ls"}}}},
	}
}

// secondOperand guards all but the first.
func secondOperand(why string) func(*line) {
	return func(l *line) {
		for i, at := range l.operands {
			if i > 0 {
				l.guard(at, "the operand "+l.words[at]+" "+why)
			}
		}
	}
}

// noPlus guards what begins with a plus, which is a command.
func noPlus(l *line) {
	for _, at := range l.operands {
		if strings.HasPrefix(l.words[at], "+") {
			l.guard(at, l.words[at]+" is a command for it")
		}
	}
}
