package programs

import "strings"

// builds are programs that build and test. A wildcard covers the choice among what
// the project's own files make them do.
func builds() []program {
	return []program{
		{names: "make gmake bmake", says: "targets, -j, -k, -s, -n, -B; not variables", grammar: grammar{
			covered: "-j? -k -s -n -B -i -w -l? -O? -q -t -r -R --jobs? --keep-going --silent --quiet --dry-run --just-print --always-make --no-print-directory --print-directory --output-sync? --question",
			refused: []refusal{{"-f= --file= --makefile= -I= --include-dir= -E= --eval=", "takes rules from elsewhere"}, {"-C= --directory=", "works in another folder"},
				{"-e --environment-overrides -o= --old-file= -W= --what-if= --new-file= --assume-old= --assume-new=", "changes what the rules do"}}, operands: noVariables}},
		{names: "ninja gradle gradlew ant rake scons", says: "targets; no options, no variables", grammar: grammar{operands: plainTargets}},
		{names: "just task bazel buck2 mvn mvnw", says: "nothing: an operand can name another folder, or a plugin to fetch", grammar: grammar{operands: everything("it runs what a folder or another repository says")}},
		{names: "cmake meson configure autoreconf", says: "nothing: they run what a folder or an option names", grammar: grammar{operands: everything("it runs what a folder or an option names")}},

		{names: "npm pnpm", says: "test, run and the names of scripts, once the command is spelled out; list, outdated", rest: "installs or runs what its arguments name", grammar: grammar{
			covered: "-s --silent --json",
			refused: []refusal{{"-C= --prefix= --dir= --cwd=", "works in another folder"}, {"--script-shell= --node-options= --shell-emulator --registry= --userconfig= --globalconfig=", "changes what runs"}}},
			commands: []command{
				{names: "test t", spelled: true, grammar: grammar{covered: npmCovered}},
				{names: "run run-script", spelled: true, grammar: grammar{covered: npmCovered}},
				{names: "list ls ll outdated explain why", grammar: grammar{covered: npmCovered + "-a --all --depth= --long --prod --dev --parseable"}},
			}},
		{names: "yarn npx pnpx bun bunx uvx pipx uv poetry pdm hatch tox nox bundle composer", says: "nothing: they install and run what is named", grammar: grammar{operands: everything("it installs or runs what it is given")}},
		{names: "pip", says: "list, show, freeze, check", rest: "installs what its arguments name, and runs its code", commands: []command{
			{names: "list freeze check show", grammar: grammar{covered: "-v --verbose -q --quiet --files --user --format= --not-required --local -l --exclude= --disable-pip-version-check",
				refused: []refusal{{"--python= --cache-dir= --log= --path= -r= --requirement= --index-url= -i= --extra-index-url= -f= --find-links= --proxy= --trusted-host= --cert= --client-cert= --config-settings= --outdated -o --uptodate -u --pre --no-index", "runs, reads or writes something else, or asks a server"}}}},
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
		{names: "docker podman nerdctl", says: "ps, images, version, info, logs, inspect, top", rest: "runs or changes containers", grammar: grammar{
			refused: []refusal{{"-H= --host= --config= -c= --context= --connection= --identity= --tls --tlsverify --tlscacert= --tlscert= --tlskey= --url= -a= --address= -r --remote", "talks to another machine"}}},
			commands: []command{
				{names: "ps images", grammar: grammar{covered: "-a --all -q --quiet --no-trunc --format=", values: noFile}},
				{names: "logs", grammar: grammar{covered: "-n= --tail= --since= --until= -t --timestamps"}},
				{names: "inspect", grammar: grammar{covered: "-s --size --format=", values: noFile}},
				{names: "version info top"},
			}},
		{names: "kubectl oc helm k9s kubectx kubens", says: "get, describe, logs, top and version of kubectl, with names and options that format, of the cluster that is configured", rest: "changes a cluster, or runs programs", grammar: grammar{refused: kubectlRefused()},
			commands: []command{
				{names: "get describe", grammar: grammar{covered: "-A --all-namespaces -n= --namespace= -l= --selector= -o= --output= --show-labels --no-headers -w --watch", refused: kubectlRefused(), values: noFile, operands: plainTargets}},
				{names: "logs", grammar: grammar{covered: "-n= --namespace= --tail= --since= --timestamps", refused: kubectlRefused(), operands: plainTargets}},
				{names: "top", grammar: grammar{covered: "-A -n= --namespace=", refused: kubectlRefused(), operands: plainTargets}},
				{names: "version", grammar: grammar{refused: kubectlRefused()}},
			}},
	}
}

// noFile refuses output formats that are read from a file.
func noFile(option, value string) string {
	if (option == "-o" || option == "--output" || option == "--format") && strings.Contains(value, "file") {
		return "the format is read from a file"
	}
	return ""
}

func kubectlRefused() []refusal {
	return []refusal{
		{"-s= --server= --kubeconfig= --context= --cluster= --user= --token= --username= --password= --as= --as-group= --as-uid= --tls-server-name= --insecure-skip-tls-verify? --certificate-authority= --client-certificate= --client-key=", "asks another server, or as somebody else"},
		{"-f= --filename= -k= --kustomize= -R --recursive --raw= --template= --cache-dir= --profile= --profile-output=", "reads or writes a file, or an address"},
	}
}

// plainTargets guards operands that are more than a name: variables, addresses, and
// paths outside the folder.
func plainTargets(l *line) {
	noVariables(l)
	for _, at := range l.operands {
		if w := l.words[at]; !Within(w) || strings.Contains(w, "://") {
			l.guard(at, w+" is elsewhere")
		}
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
