package shell_test

import (
	"strings"
	"testing"
)

// TestTheFileOfAnErrorIsNamed: not the program that prints it, whose path comes first, and no advice opens
// a folder of programs, of the system, or above the workspace.
func TestTheFileOfAnErrorIsNamed(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	const above, say = "; TOP is too much to open: make a folder there for it, and allow that one with [sandbox] write", "printf '%s\\n' "
	tool, top := beside(t)
	command(t, tool.Dir, `echo "int main(void) { return 0; }" > a.c; python3 -c "import zipfile; zipfile.ZipFile('t.zip', 'w').write('f')"`)
	for _, c := range []struct{ line, want string }{
		{"gcc -o ../a a.c", "writing TOP/a" + above},
		{"gcc -o ../other/a a.c", `writing TOP/other/a; allow it with [sandbox] write = ["TOP/other"]`},
		{"/usr/bin/touch ../a", "writing TOP/a" + above},
		{"/bin/sh -c 'echo x > ../a'", "writing TOP/a" + above},
		{"/bin/bash -c 'echo x > ../a'", "writing TOP/a" + above},
		{"printf 'all:\n\techo x > ../a\n' > Makefile; make", "writing TOP/a" + above},
		{"printf '#!/bin/sh\necho x > ../a\n' > run.sh; chmod +x run.sh; ./run.sh", "writing TOP/a" + above},
		{"printf 'echo x > ../a\n' > run.sh; sh run.sh", "writing TOP/a" + above},
		{say + "'  = note: /usr/bin/ld: cannot open output file ../a: Read-only file system' >&2; exit 1", "writing TOP/a" + above},
		{say + "'/usr/bin/ld: final link failed: Read-only file system' >&2; exit 1", "writing /usr/bin/ld, which no setting should allow: commands could change what runs outside"},
		{say + "'/usr/bin/ld: a.o: Read-only file system' >&2; exit 1", ""},
		{say + "'/opt/tool/gen.sh: line 3: ../a: Read-only file system' >&2; exit 1", "writing TOP/a" + above},
		{say + "'../other/x.js: Read-only file system' >&2; exit 1", `write = ["TOP/other"]`},
		{"cp a.c /usr/local/bin/", "writing /usr/local/bin/a.c, which no setting should allow: commands could change what runs outside"},
		{`sqlite3 ../x.db "create table t(x)"`, "writing TOP/x.db" + above},
		{`sqlite3 x.db "create table t(x)"; sqlite3 /root/x.db "create table t(x)"`, "writing /root/x.db; /root is too much to open: make a folder there for it, and allow that one with [sandbox] write"},
		{`sqlite3 ../other/x.js "select 1 from t"`, `reading TOP/other/x.js, where each command has a folder of its own; allow it with [sandbox] read = ["TOP/other"]`},
		{`python3 -c 'import sqlite3; sqlite3.connect("../x.db").execute("create table t(x)")'`, "writing TOP/x.db" + above},
		{"unzip -q t.zip -d ../out", "writing TOP/out" + above},
		{"unzip -q t.zip -d out/deep/er", ""},
	} {
		result, _ := run(t, tool, c.line)
		said, want := strings.Join(result.Notes, "\n"), strings.ReplaceAll(c.want, "TOP", top)
		if !strings.HasSuffix(said, want) || (said == "") != (want == "") {
			t.Errorf("%s: %q, expected %q\n%s", c.line, said, want, result.Output)
		}
	}
}
