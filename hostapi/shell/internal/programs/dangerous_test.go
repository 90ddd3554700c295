package programs_test

// dangerous are options and operands with which programs write, run, or load
// code or configuration. The list is the tests' own: it was written from the
// programs' manuals, not from the table. An option with = takes a value, one
// with ? may have it attached.
var dangerous = []struct {
	program string
	options string
	lines   []string // whole lines, of which some word must be guarded
}{
	{"git log", "--output= --ext-diff --textconv --no-index --show-signature --remerge-diff --alternate-refs --submodule? -O= --stdin", []string{
		"--format=%G?", "--format %GS", "--pretty=format:%h%+GK", "--pretty=%-GP", "--pretty=tformat:%(describe)", "-- --output=x", "-n --output=x", "--grep --ext-diff"}},
	{"git show", "--output= --ext-diff --textconv --show-signature --submodule? -O=", []string{"--format=%GT HEAD"}},
	{"git diff", "--output= --ext-diff --textconv --no-index --submodule? -O= --ignore-submodules?", []string{
		"/dev/null /etc/passwd", "../x y", "-- a/../../b c", "a /etc/passwd", "-- /dev/null /etc/passwd"}},
	{"git diff-tree", "--output= --ext-diff --textconv --stdin -O=", nil},
	{"git blame", "--textconv --contents= -S= --ignore-revs-file= --ext-diff --output=", nil},
	{"git grep", "-O? --open-files-in-pager? --textconv --no-index --ext-grep -f= --recurse-submodules", []string{"-lOid;: hi", "-e -- -Oid;: -e hi", "-nOid hi", "-e -Oid"}},
	{"git cat-file", "--textconv --filters --batch --batch-command --path=", nil},
	{"git describe", "--dirty? --broken?", nil},
	{"git status", "--ignore-submodules?", nil},
	{"git ls-files", "-X= --exclude-from= --exclude-per-directory= --recurse-submodules", nil},
	{"git rev-parse", "--parseopt --sq-quote --git-path= --resolve-git-dir=", nil},
	{"git shortlog", "--output= --stdin", []string{"--format=%G?"}},
	{"git", "-c= -C= --git-dir= --work-tree= --exec-path= --config-env= --namespace= --attr-source= --super-prefix= -p --paginate --bare", []string{
		"push", "fetch --upload-pack=x", "ls-remote --upload-pack=x .", "archive --exec=x --remote=.", "rebase -qx x", "difftool -yx x", "bisect run x", "submodule foreach x", "filter-branch x", "config a.b c",
		"commit -m x", "add .", "init x", "clone ext::x", "x", "log -c core.x=y --output=z", "grep --op=x", "var GIT_EDITOR", "help log", "instaweb", "daemon", "upload-pack .", "hook run x", "maintenance run", "gc", "credential fill"}},
	{"git commit", "-F= --file= -t= --template= -e --edit -c= -S? --gpg-sign? -n --no-verify --pathspec-from-file=", nil},
	{"git push", "--receive-pack= --exec= -f --force --mirror", []string{"ext::x", "origin +a:b"}},
	{"git tag", "-s -u= --local-user= -d -F= --format= --verify", nil},
	{"tar", "-x --extract --get -c --create -r --append -u --update -A --concatenate --delete -C= --directory= -I= --use-compress-program= --to-command= --checkpoint-action= --checkpoint? -F= --info-script= " +
		"--new-volume-script= --rsh-command= --rmt-command= -T= --files-from= -X= -P --absolute-names --transform= --xform= --remove-files -g= --listed-incremental= --index-file=", []string{
		"-tf host:x", "--file=a@b:c -t", "xf a.tgz", "tf a.tgz", "-tzxf a.tgz", "-c -f out"}},
	{"find", "-exec= -execdir= -ok= -okdir= -delete -fprint= -fprint0= -fprintf= -fls= -files0-from=", []string{". -name -exec x ;", ". -name a -delete"}},
	{"sed", "-i? --in-place? -f= --file=", []string{
		"e", "1etouch", "w x", "s/a/b/e", "s/a/b/w x", "s/a/b/gew", "1,2W x", "-e p -e 1ex", "-n -e p -e w", "r x;w y", "/a/e", "{e}", "p;e x", "s/a/b/;s/c/d/e", "s/[/]/e;x/", "'s,a,b,w x'", "-nef x", "-ne 1ex", "a\\", "R x", "b;e", "w x -e p", "--expression=1ex"}},
	{"awk", "-f= --file= -e= --source= -i= --include= -l= --load= -E= --exec= -o? -d? -p?", []string{
		"BEGIN{system(\"x\")}", "{print>\"x\"}", "{print|\"x\"}", "BEGIN{\"x\"|getline}", "@load\"x\"", "BEGIN{f=\"system\";@f(\"x\")}", "{getline<\"x\"}", "p -f x"}},
	{"sort", "-o= --output= --compress-program= -T= --temporary-directory= --files0-from= -S= --buffer-size=", []string{"-t -o x", "-ro x", "a -ox", "-- -ox", "--out=x", "-k --compress-prog=x"}},
	{"uniq", "", []string{"a b"}},
	{"grep", "-f= --file= --exclude-from=", nil},
	{"rg", "--pre= --hostname-bin= -z --search-zip -f= --ignore-file=", nil},
	{"jq", "-f --from-file -L=", nil},
	{"yq", "-i --inplace -s= --split-exp= -f=", nil},
	{"diff", "-l --paginate -X= --to-file= --from-file= -S=", nil},
	{"date", "-s= --set= -f= --file=", []string{"112200002030"}},
	{"file", "-m= --magic-file= -C --compile -f=", nil},
	{"less", "-o= -O= --log-file= -k= --lesskey-file= -t= -p= -T=", []string{"+!x a"}},
	{"man", "-P= --pager= -H= -l --html= -C=", []string{"./x"}},
	{"cp", "-t= --target-directory= --backup? -b -S=", []string{"../x y", "a b/../../c"}},
	{"mv", "-t= --target-directory= --backup? --exchange", []string{"a ../b"}},
	{"rm", "--no-preserve-root", []string{"build/../../x"}},
	{"ln", "-t= --target-directory=", []string{"a ../../b"}},
	{"install", "-t= --target-directory= --strip-program= -s -o=", nil},
	{"tee", "", []string{"build/../x"}},
	{"dd", "", []string{"of=x", "if=a of=b", "oflag=append"}},
	{"make", "-f= --file= --makefile= -C= --directory= -I= --include-dir= -E= --eval= -e -o= -W=", []string{"SHELL=x", "CC=x all", "a:=b"}},
	{"npm", "-C= --prefix= --script-shell= --node-options= --registry= --userconfig=", []string{"install x", "exec x", "x y", "explore x", "i x", "config set a b", "test"}},
	{"npm run", "--script-shell= --prefix= --node-options=", nil},
	{"pip", "--python=", []string{"install x", "download x", "wheel x", "config set a b", "list --path=x"}},
	{"go", "-C=", []string{"run x", "install x@latest", "generate", "build", "env -w A=b", "mod edit", "tool x", "get x", "clean -cache", "fmt x"}},
	{"go test", "-exec= -toolexec= -vettool= -o= -c -coverprofile= -cpuprofile= -memprofile= -trace= -outputdir= -overlay= -modfile= -mod= -C= -ldflags= -gcflags= -pkgdir= -fuzz= -args -compiler=", nil},
	{"go vet", "-vettool= -toolexec= -overlay= -modfile= -C= -fix", nil},
	{"go list", "-toolexec= -overlay= -modfile= -C= -mod=", nil},
	{"go build", "-toolexec= -o= -overlay= -ldflags=", nil},
	{"cargo", "--config= -Z= -C=", []string{"install x", "publish", "fix", "x", "+nightly test", "run"}},
	{"cargo test", "--config= -Z= --manifest-path= --target-dir= --target=", nil},
	{"docker", "-H= --host= --config= --context=", []string{"run x", "exec x y", "build .", "cp a b", "compose up", "save x", "context use x"}},
	{"rsync", "-e= --rsh= --rsync-path= -M= --daemon --config= -f= --filter= --files-from= --write-batch= --log-file= --delete --remove-source-files -T= --backup-dir= --password-file=", []string{"a host:b", "../x y", "-av a ::m"}},
	{"curl", "-o= --output= -O --remote-name -J -D= --dump-header= -c= --cookie-jar= -K= --config= -T= --upload-file= -F= --form= --data-binary= -b= --trace= --stderr= --libcurl= -w= --engine= -n --netrc-file= -x= --unix-socket= -E= --output-dir=", []string{
		"file:///etc/passwd", "-d @/etc/passwd https://x", "--data-urlencode a@/etc/passwd https://x", "-H @x https://x", "scp://x", "example.com", "https://x/{a,b}"}},
	{"openssl", "-x", []string{"enc -out x", "req", "s_client -connect x", "dgst -engine x", "dgst -out x a"}},
	{"zip", "-T -m -d", []string{"a.zip b", "-TT x a.zip b", "-TTx a.zip b"}},
	{"unzip", "-d= -o -n -f -u", []string{"a.zip"}},
	{"gzip", "-r -f -S=", []string{"../x"}},
	{"python", "-c= -m= -W= -X= -i", []string{"x.py", "-", ""}},
	{"node", "-e= --eval= -p= -r= --require= --import= --loader= --inspect", []string{"x.js"}},
	{"perl", "-e= -E= -I= -M= -i? -x?", []string{"x.pl", "-ne x", "-nex"}},
	{"ruby", "-e= -r= -I=", []string{"x.rb"}},
	{"php", "-r= -f= -d= -S=", []string{"x.php"}},
	{"bash", "-c= -i -l --rcfile= --init-file=", []string{"x.sh"}},
	{"sh", "-c=", []string{"x.sh"}},
	{"vim", "-c= --cmd= -S=", []string{"x", "+x"}},
	{"ed", "-s", []string{"x"}},
	{"gdb", "-ex= -x= --args", []string{"x"}},
	{"sqlite3", "-cmd= -init=", []string{"x.db", "x.db .shell"}},
	{"psql", "-c= -f= -o=", []string{"x"}},
	{"dc", "-e= -f=", []string{"x"}},
	{"m4", "-D= -I=", []string{"x"}},
	{"wget", "-O= -e= -i= -P= --use-askpass= --config=", []string{"https://x"}},
	{"scp", "-S= -o=", []string{"a b"}},
	{"split", "--filter=", []string{"a b"}},
	{"patch", "-o= -i=", []string{"a"}},
	{"gcc", "-o= -fplugin=x -B= -wrapper=", []string{"a.c", "@x"}},
	{"tmux", "-f=", []string{"new x"}},
	{"xdg-open", "", []string{"x"}},
	{"npx", "-p= -c=", []string{"x"}},
	{"cmake", "-P= -E", []string{"."}},
	{"7z", "-o=", []string{"x a.7z"}},
}
