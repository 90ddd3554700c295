package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestDocsReference: what pages say of commands, outcomes, codes, limits, keys and helpers is
// written from the code.
func TestDocsReference(t *testing.T) {
	t.Parallel()
	part(t, "command-line.md", "commands", commandLine())
	var rows []string
	for _, o := range constants(t, "runtime/outcome.go", "Outcome") {
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %d |", o[0], o[1], exitCode(runtime.Outcome(o[0]))))
	}
	pages(t, func(name, text string) {
		if filepath.Base(name) != "outcomes.md" && strings.Contains(text, "| 124 |") {
			t.Errorf("%s has exit codes in a table: outcomes.md has them; refer to it", name)
		}
	})
	part(t, "outcomes.md", "outcomes", table("| outcome | when | exit code |", rows))
	part(t, "outcomes.md", "notes", table("| code | what |", meanings(constants(t, "runtime/note.go", "Note"))))
	structs := map[string]*ast.StructType{}
	for _, path := range []string{"runtime/reportjson.go", "runtime/imported.go", "runtime/note.go", "hostapi/*.go", "hostapi/schema/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, path))
		if err != nil || len(files) == 0 {
			t.Fatal(path, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			ast.Inspect(parsed(t, strings.TrimPrefix(filepath.ToSlash(file), root+"/")), func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					structs[spec.Name.Name], _ = spec.Type.(*ast.StructType)
				}
				return true
			})
		}
	}
	part(t, "outcomes.md", "receipt", table("| of | keys |", keysOf(structs, "reportJSON", "the receipt")))
	part(t, "ctx.md", "codes", table("| code | why |", meanings(constants(t, "hostapi/errors.go", "Code"))))
	part(t, "ctx.md", "helpers", table("| helper | calls | options | gives |", helpers(t)))
	part(t, "limits.md", "limits", table("| limit | default | range | when it is passed |", limitRows(t)))
	rows = nil
	for _, key := range stringList(t, "scripttools/fields.go", "headerKeys") {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |", key, kept(t, "tool-file.md", key, 1)))
	}
	files, overHTTP, switches := agentTables()
	part(t, "../examples/agents/README.md", "files", files)
	part(t, "../examples/agents/README.md", "HTTP forms", overHTTP)
	part(t, "../examples/agents/README.md", "switches", switches)
	part(t, "agents.md", "versions", agentVersions())
	part(t, "agents.md", "names", agentNames())
	part(t, "tool-file.md", "keys", table("| key | default | rule |", rows))
}

// part compares what stands on a page between two marks, or writes it.
func part(t *testing.T, page, name, want string) {
	t.Helper()
	path := filepath.Join(root, "docs", page)
	begin := "<!-- " + name + ": go test ./cmd/scriptrun -run TestDocsReference -update-docs -->\n"
	end := "<!-- end of " + name + " -->\n"
	before, rest, begins := strings.Cut(read(t, path), begin)
	got, after, ends := strings.Cut(rest, end)
	switch {
	case !begins || !ends:
		t.Errorf("docs/%s has no place for its %s: %s%s", page, name, begin, end)
	case got == want:
	case *updateDocs:
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
	default:
		t.Errorf("the %s of docs/%s are not those of the code; run go test ./cmd/scriptrun -run TestDocsReference -update-docs", name, page)
	}
}

func table(head string, rows []string) string {
	return head + "\n" + strings.Repeat("|---", strings.Count(head, "|")-1) + "|\n" + strings.Join(rows, "\n") + "\n"
}

// kept is the end of a row that people wrote: all but its first cells.
func kept(t *testing.T, page, key string, cells int) string {
	t.Helper()
	row := regexp.MustCompile("(?m)^\\| `" + key + "` (?:\\|[^|]*){" + strconv.Itoa(cells-1) + "}\\| (.*) \\|$").FindStringSubmatch(read(t, filepath.Join(root, "docs", page)))
	if row == nil {
		t.Errorf("docs/%s does not say what %s means; add a row of it to the table", page, key)
		return ""
	}
	return row[1]
}

// constants are the constants of a type, or whose names begin so, with the comments behind them.
func constants(t *testing.T, path, kind string) (all [][2]string) {
	t.Helper()
	ast.Inspect(parsed(t, path), func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		typ, _ := spec.Type.(*ast.Ident)
		literal, _ := spec.Values[0].(*ast.BasicLit)
		if literal == nil || literal.Kind != token.STRING || !(typ != nil && typ.Name == kind || typ == nil && strings.HasPrefix(spec.Names[0].Name, kind)) {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if why := strings.TrimSpace(spec.Comment.Text()); err == nil && why != "" {
			all = append(all, [2]string{value, strings.ReplaceAll(why, "|", "\\|")})
		} else {
			t.Errorf("%s: %s has no comment behind it", path, spec.Names[0].Name)
		}
		return true
	})
	return all
}

// keysOf are the keys of a JSON document, and of what is in it, a row each; those that can be missing end in ?.
func keysOf(structs map[string]*ast.StructType, name, place string) (rows []string) {
	var keys, below []string
	for _, field := range structs[name].Fields.List {
		if field.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json")
		key, options, _ := strings.Cut(tag, ",")
		if key == "" || key == "-" {
			continue
		}
		at, inner := key, ""
		ast.Inspect(field.Type, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ArrayType:
				at += "[]"
			case *ast.MapType:
				at += ".*"
			case *ast.Ident:
				inner = n.Name // the last one: of hostapi.Measure the second
			}
			return true
		})
		if structs[inner] != nil {
			below = append(below, keysOf(structs, inner, strings.TrimPrefix(place+"."+at, "the receipt."))...)
		}
		if strings.Contains(options, "omitempty") {
			key += "?"
		}
		keys = append(keys, "`"+key+"`")
	}
	if place != "the receipt" {
		place = "`" + place + "`"
	}
	return append([]string{fmt.Sprintf("| %s | %s |", place, strings.Join(keys, ", "))}, below...)
}

func meanings(constants [][2]string) (rows []string) {
	for _, c := range constants {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |", c[0], c[1]))
	}
	return rows
}

// stringList is the list that a variable holds.
func stringList(t *testing.T, path, name string) (list []string) {
	t.Helper()
	ast.Inspect(parsed(t, path), func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && spec.Names[0].Name == name && len(spec.Values) == 1 {
			for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
				if row, ok := element.(*ast.CompositeLit); ok { // a table: its first column
					element = row.Elts[0]
				}
				text, _ := strconv.Unquote(element.(*ast.BasicLit).Value)
				list = append(list, text)
			}
		}
		return true
	})
	return list
}

func parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// limitRows has the numbers of the limits; what happens then is said by people.
func limitRows(t *testing.T) (rows []string) {
	d, lo, hi := runtime.DefaultLimits(), runtime.MinLimits(), runtime.MaxLimits()
	for _, key := range stringList(t, "scripttools/fields.go", "limitKeys") {
		of := func(l runtime.Limits) string {
			switch key {
			case "timeoutMs":
				return number(l.Timeout.Milliseconds())
			case hostapi.LimitToolCalls:
				return number(int64(l.MaxToolCalls))
			case runtime.LimitOutputBytes:
				return number(l.MaxOutputBytes)
			case hostapi.LimitResultBytes:
				return number(l.MaxResultBytes)
			case runtime.LimitMemory:
				return number(l.MaxMemoryBytes)
			}
			t.Errorf("%s is no limit that is known here", key)
			return ""
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s … %s | %s |", key, of(d), of(lo), of(hi), kept(t, "limits.md", key, 3)))
	}
	return rows
}

// TestExitCodesAreToldOnce: the help tells those that outcomes have, and no others.
func TestExitCodesAreToldOnce(t *testing.T) {
	t.Parallel()
	told := map[int]bool{}
	for _, row := range exitCodes {
		if told[row.code] || row.means == "" {
			t.Errorf("%d is there twice, or means nothing", row.code)
		}
		told[row.code] = true
		if !strings.Contains(newRoot(env{}).Long, fmt.Sprintf("%5d  %s\n", row.code, row.means)) {
			t.Errorf("the help does not say what %d means", row.code)
		}
	}
	had := map[int]bool{}
	for _, o := range constants(t, "runtime/outcome.go", "Outcome") {
		had[exitCode(runtime.Outcome(o[0]))] = true
	}
	if !maps.Equal(told, had) {
		t.Errorf("told are %v, and outcomes have %v", told, had)
	}
}

// commandLine is every command with its flags.
func commandLine() string {
	root := newRoot(env{})
	root.InitDefaultCompletionCmd()
	var b strings.Builder
	b.WriteString("\n## `scriptrun`\n\nEvery command takes these, and `--help`:\n\n" + flagTable(root.PersistentFlags()))
	for _, c := range root.Commands() {
		writeCommand(&b, c)
		for i, sub := range c.Commands() {
			switch {
			case c.Name() != "completion":
				writeCommand(&b, sub)
			case i == 0: // the library's own, which all take one option
				b.WriteByte('\n')
				fallthrough
			default:
				fmt.Fprintf(&b, "- `%s`: %s\n", sub.CommandPath(), sub.Short)
			}
		}
	}
	return b.String()
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## `%s`\n\n%s\n", strings.TrimSuffix(c.UseLine(), " [flags]"), strings.TrimSpace(cmp.Or(c.Long, c.Short+".")))
	if c.Example != "" {
		b.WriteString("\n```console\n")
		for example := range strings.SplitSeq(c.Example, "\n") {
			fmt.Fprintf(b, "$ %s\n…\n", strings.TrimSpace(example)) // TestDocsSnippets runs it, whatever it prints
		}
		b.WriteString("```\n")
	}
	if flags := flagTable(c.LocalNonPersistentFlags()); flags != "" {
		b.WriteString("\n" + flags)
	}
}

// flagTable is a row for each flag; empty for none.
func flagTable(flags *pflag.FlagSet) string {
	var rows []string
	flags.VisitAll(func(f *pflag.Flag) {
		takes, usage := pflag.UnquoteUsage(f)
		if !slices.Contains([]string{"", "false", "[]", "0s", "0"}, f.DefValue) {
			usage += "; default " + f.DefValue
		}
		rows = append(rows, fmt.Sprintf("| `--%s` | %s | %s |", f.Name, strings.ReplaceAll(takes, "|", "\\|"), strings.ReplaceAll(usage, "|", "\\|")))
	})
	if len(rows) == 0 {
		return ""
	}
	return table("| flag | takes | |", rows)
}

// helpers are the parts of ctx that call one host tool, read from where they are made.
func helpers(t *testing.T) (rows []string) {
	gives := map[string]string{}
	for _, line := range strings.Split(read(t, root+"/runtime/internal/realm/ctx.go"), "\n") {
		if m := regexp.MustCompile(`^\tshape(\w+) .*// (.*)$|^\tshape(\w+) *// (.*)$`).FindStringSubmatch(line); m != nil {
			gives[strings.ToUpper(m[1]+m[3])] = m[2] + m[4]
		}
	}
	registry := newTestRunner(t).Registry()
	page := read(t, root+"/docs/ctx.md")
	made := regexp.MustCompile(`(?s)^return \(([^()]*)\) =>\s*call\("(\w+)", (.*), ([A-Z]+)\);`)
	source := strings.Split(read(t, root+"/runtime/internal/realm/ctx.js"), `case "`)
	for _, name := range stringList(t, "runtime/internal/realm/parts.go", "parts") {
		at := slices.IndexFunc(source, func(s string) bool { return strings.HasPrefix(s, name+`": `) })
		if at < 0 {
			t.Errorf("ctx.js does not make %s", name)
			continue
		}
		m := made.FindStringSubmatch(strings.TrimPrefix(source[at], name+`": `))
		if m == nil || m[4] == "DATA" || !strings.HasSuffix(m[3], "}") { // it does more than call a tool, or gives it what it is given
			if !strings.Contains(page, "`ctx."+name) {
				t.Errorf("docs/ctx.md says nothing of ctx.%s", name)
			}
			continue
		}
		about := registry.Describe(m[2])
		var options []string
		for _, p := range scripttools.Properties(about.Input) {
			if !slices.Contains(given(m[3], about.Aliases), p.Name) {
				options = append(options, "`"+p.Name+"`")
			}
		}
		rows = append(rows, fmt.Sprintf("| `ctx.%s(%s)` | `%s` | %s | %s |", name, strings.TrimSuffix(m[1], ", ...rest"), m[2], strings.Join(options, ", "), gives[m[4]]))
	}
	return rows
}

// given are the arguments that a helper gives by itself, by the names that the tool has for them.
func given(object string, aliases map[string]string) (names []string) {
	for _, item := range strings.Split(strings.Trim(object[strings.LastIndex(object, "{"):], "{} "), ",") {
		key, _, _ := strings.Cut(strings.TrimSpace(item), ":")
		names = append(names, cmp.Or(aliases[key], key))
	}
	return names
}
