package programs

import "strings"

// builds are programs that build and test. What a project's own files make
// them do is the project's; a wildcard covers what chooses among it.
func builds() []program {
	return []program{
		{names: "make gmake bmake", says: "targets, -j, -k, -s, -n, -B; not variables", grammar: grammar{
			covered: "-j? -k -s -n -B -i -w -l? -O? -q -t -r -R --jobs? --keep-going --silent --quiet --dry-run --just-print --always-make --no-print-directory --print-directory --output-sync? --question",
			refused: []refusal{{"-f= --file= --makefile= -I= --include-dir= -E= --eval=", "takes rules from elsewhere"}, {"-C= --directory=", "works in another folder"},
				{"-e --environment-overrides -o= --old-file= -W= --what-if= --new-file= --assume-old= --assume-new=", "changes what the rules do"}}, operands: noVariables}},
		{names: "ninja just task mvn mvnw gradle gradlew ant rake scons bazel buck2", says: "targets; no options, no variables", grammar: grammar{operands: noVariables}},
		{names: "cmake meson configure autoreconf", says: "nothing: they run what a folder or an option names", grammar: grammar{operands: everything("it runs what a folder or an option names")}},

		{names: "npm pnpm yarn", says: "test, run and the names of scripts, once the command is spelled out; list, view, outdated", rest: "installs or runs what its arguments name", grammar: grammar{
			covered: "-s --silent --json",
			refused: []refusal{{"-C= --prefix= --dir= --cwd=", "works in another folder"}, {"--script-shell= --node-options= --shell-emulator --registry= --userconfig= --globalconfig=", "changes what runs"}}},
			commands: []command{
				{names: "test t", spelled: true, grammar: grammar{covered: npmCovered}},
				{names: "run run-script", spelled: true, grammar: grammar{covered: npmCovered}},
				{names: "list ls ll outdated explain why view info show", grammar: grammar{covered: npmCovered + "-a --all --depth= --long --prod --dev --parseable"}},
			}},
		{names: "npx pnpx bun bunx uvx pipx uv poetry pdm hatch tox nox bundle composer", says: "nothing: they install and run what is named", grammar: grammar{operands: everything("it installs or runs what it is given")}},
		{names: "pip", says: "list, show, freeze, check", rest: "installs what its arguments name, and runs its code", commands: []command{
			{names: "list freeze check show", grammar: grammar{covered: "-v --verbose -q --quiet -f --files --outdated -o --user --format= --not-required --local -l --exclude= --disable-pip-version-check",
				refused: []refusal{{"--python= --cache-dir= --log= --path= -r= --requirement= --index-url= -i= --extra-index-url= --find-links=", "runs, reads or writes something else"}}}},
		}},
		{names: "go", says: "test, vet, list, doc, version, env and packages, with options that choose and format; packages of build and generate, and arguments of run, once the command is spelled out", rest: "writes files or runs programs", grammar: grammar{
			style: single, refused: []refusal{{"-C=", "works in another folder"}}},
			commands: []command{
				{names: "test", grammar: grammar{style: single, refused: goRefused(), covered: goCovered + " -run= -skip= -bench= -benchtime= -benchmem -count= -short -timeout= -failfast -parallel= -cpu= -cover -covermode= -coverpkg= -json -list= -shuffle= -fullpath"}},
				{names: "vet", grammar: grammar{style: single, refused: goRefused(), covered: goCovered + " -json -c= -assign -atomic -bools -copylocks -printf -shadow -structtag -unreachable -unusedresult"}},
				{names: "list", grammar: grammar{style: single, refused: goRefused(), covered: goCovered + " -f= -json? -m -u -deps -test -e -find -versions -retracted -compiled"}},
				{names: "doc", grammar: grammar{style: single, covered: "-all -c -cmd -short -src -u", refused: []refusal{{"-http -C=", "starts a server, or works elsewhere"}}}},
				{names: "version", grammar: grammar{style: single, covered: "-m -v"}},
				{names: "env", grammar: grammar{style: single, covered: "-json -changed", refused: []refusal{{"-w -u", "writes go's configuration"}}}},
				{names: "build generate", spelled: true, grammar: grammar{style: single, refused: goRefused(), covered: goCovered}},
				{names: "run", spelled: true, grammar: grammar{style: single, refused: goRefused(), covered: goCovered, stops: true, operands: firstOperand("is the code that is run")}},
			}},
		{names: "cargo", says: "check, test, build, clippy, tree, metadata and targets, with options that choose and format", rest: "installs, publishes or runs what its arguments name", grammar: grammar{
			covered: "-v --verbose -q --quiet --offline --locked --frozen --color= -V --version", refused: cargoRefused()},
			commands: []command{{names: "check c test t build b bench clippy tree metadata doc", grammar: grammar{
				covered: "-v --verbose -q --quiet --offline --locked --frozen --color= --release -r --lib --bins --bin= --examples --example= --tests --test= --benches --bench= --all-targets -p= --package= --workspace --all --exclude= " +
					"--features= -F= --all-features --no-default-features --no-run --no-fail-fast -j= --jobs= --keep-going --message-format= --doc --no-deps --depth= -e= --edges= -i= --invert= --prefix= --format-version= --profile=",
				refused: cargoRefused()}},
				{names: "run r", spelled: true, grammar: grammar{covered: "-v --verbose -q --quiet --offline --locked --frozen --color= --release -r --bin= --example= -p= --package= --features= -F=", refused: cargoRefused()}}}},
		{names: "docker podman nerdctl kubectl", says: "ps, images, version, info, logs, inspect, top, get, describe", rest: "runs or changes containers", grammar: grammar{
			refused: []refusal{{"-H= --host= --config= -c= --context= --tlscacert= --tlscert= --tlskey= --url= --kubeconfig= --server= -s=", "talks to another machine"}}},
			commands: []command{{names: "ps images version info logs inspect top get describe", grammar: grammar{
				covered: "-a --all -q --quiet --no-trunc -n= --tail= --since= --until= -t --timestamps -f= --format= -s --size --namespace= -o= --output= -w",
				values: func(option, value string) string {
					if (option == "-o" || option == "--output") && strings.Contains(value, "file") {
						return "the format is read from a file"
					}
					return ""
				}}}}},
	}
}

const npmCovered = "-s --silent --json --if-present -w= --workspace= --workspaces -ws "

const goCovered = "-v -x -n -a -race -msan -asan -tags= -trimpath -p= -buildvcs= -work"

func goRefused() []refusal {
	return []refusal{
		{"-exec= -toolexec= -vettool=", "runs a program"},
		{"-o= -outputdir= -coverprofile= -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -trace= -artifacts -c -test.testlogfile=", "writes a file"},
		{"-mod= -overlay= -modfile= -modcacherw -pkgdir= -C= -workfile=", "takes code from elsewhere"},
		{"-ldflags= -gcflags= -asmflags= -gccgoflags= -compiler= -installsuffix= -buildmode= -linkshared", "goes to compilers and linkers, which run programs"},
		{"-fuzz= -fuzztime= -args", "goes on to the test, or writes what it finds"},
		{"-fix -diff -i", "changes files"},
	}
}

func cargoRefused() []refusal {
	return []refusal{
		{"--config= -Z= -C=", "sets configuration, which can run anything"},
		{"--manifest-path= --target-dir= --artifact-dir= --lockfile-path= --out-dir=", "builds something else, or elsewhere"},
		{"--fix --allow-dirty --allow-staged --allow-no-vcs", "changes files"},
		{"--target= --timings? --open", "loads a description of a target, or opens a browser"},
	}
}

// noVariables guards assignments among the operands, which recipes run.
func noVariables(l *line) {
	for _, at := range l.operands {
		if strings.ContainsAny(l.words[at], "=") || strings.HasPrefix(l.words[at], "+") || strings.HasPrefix(l.words[at], "@") {
			l.guard(at, l.words[at]+" sets something that recipes run")
		}
	}
}
