package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools/clients"
	"github.com/scriptrun/scriptrun/scripttools/serve"
	"github.com/spf13/cobra"
)

// connectFlags are those of connect.
type connectFlags struct {
	hostFlags
	write, force bool
	name, url    string
}

func newConnect(e env) *cobra.Command {
	var f connectFlags
	cmd := &cobra.Command{
		Use:   "connect [CLIENT]",
		Short: "Print or write the configuration with which an agent starts scriptrun serve",
		Long: `Print what an agent's configuration needs to start scriptrun serve, or with --url to reach one
over HTTP, and the switches that let tools run without a question. Without CLIENT, list the
clients and where each keeps its configuration.

--write puts it into the client's file in the workspace. What is there stays as it is; a file that
cannot be added to without losing something is left alone, and so is a server of the same name
that differs. No token is written: clients take it from the variable ` + clients.TokenVariable + `.`,
		Example:           "  scriptrun connect\n  scriptrun connect codex\n  scriptrun connect claude --write",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(clients.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if f.write {
					return fmt.Errorf("--write needs a client: %s", strings.Join(clients.Names(), ", "))
				}
				return listClients(e)
			}
			client, err := findClient(args[0])
			if err != nil {
				return err
			}
			server, err := f.server(client)
			if err != nil {
				return err
			}
			if !f.write {
				printConfig(e, client, server)
			} else if err := f.writeTo(e, client, server); err != nil {
				return err
			}
			tellSwitches(e, client, server, f.reading(cmd, e))
			return nil
		},
	}
	cmd.Flags().BoolVar(&f.write, "write", false, "write it into the client's file in the workspace")
	cmd.Flags().BoolVar(&f.force, "force", false, "with --write, replace a server of the same name that differs")
	cmd.Flags().StringVar(&f.tools, "tools", "", "tools directory (default \"tools\")")
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "what host tools see, and the project of the client (default: the current directory)")
	cmd.Flags().StringVar(&f.name, "name", clients.ServerName, "what the client calls the server")
	cmd.Flags().StringVar(&f.url, "url", "", "`address` of a server that runs already, such as http://127.0.0.1:8080/mcp")
	return cmd
}

func findClient(name string) (clients.Client, error) {
	client, ok := clients.Find(name)
	if ok {
		return client, nil
	}
	if near := spelling.Nearest(name, clients.Names()); near != "" {
		return client, fmt.Errorf("unknown client %q; did you mean %s?", name, near)
	}
	return client, fmt.Errorf("unknown client %q; the clients are %s", name, strings.Join(clients.Names(), ", "))
}

func listClients(e env) error {
	rows := [][]string{}
	for _, client := range clients.All() {
		rows = append(rows, []string{client.Name, client.Title, client.Project, client.User})
	}
	return e.page().table(rows, strong, "", "")
}

// server is what the client is to connect to.
func (f *connectFlags) server(client clients.Client) (s clients.Server, err error) {
	if !hostapi.ValidName(f.name) {
		return s, fmt.Errorf("--name %q: a name holds letters, digits, _ and - only, 1 to 64 of them", f.name)
	}
	if f.force && !f.write {
		return s, errors.New("--force is for --write")
	}
	s.Name = f.name
	if f.url != "" {
		if f.tools != "" {
			return s, errors.New("--tools is for a server that the client starts; the one at --url has its own")
		}
		s.URL, err = checkURL(f.url)
		return s, err
	}
	tools, err := filepath.Abs(f.toolsDir().Path)
	if err != nil {
		return s, err
	}
	workspace, err := filepath.Abs(f.workspaceDir())
	if err != nil {
		return s, err
	}
	for _, path := range []string{tools, workspace} {
		if !utf8.ValidString(path) {
			return s, fmt.Errorf("the path %q is not UTF-8, and a configuration file of %s is", path, client.Title)
		}
		if client.Expands(path) {
			return s, fmt.Errorf("%s would take a part of the path %q for a variable", client.Title, path)
		}
	}
	s.Command, err = thisCommand()
	s.Args = []string{"serve", "--tools", tools, "--workspace", workspace}
	return s, err
}

// checkURL refuses what is no address of a server, and addresses with a secret in them.
func checkURL(text string) (string, error) {
	at, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("--url is no address; expected an address such as http://127.0.0.1:8080/mcp")
	case at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return "", fmt.Errorf("--url %s: expected an address such as http://127.0.0.1:8080/mcp", at.Redacted())
	case at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return "", fmt.Errorf("--url has more than an address; a token comes from the variable %s, never from a file", clients.TokenVariable)
	}
	return text, nil
}

// thisCommand is how this program is started: by its name where that finds it, by its path
// otherwise.
func thisCommand() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	if found, err := exec.LookPath("scriptrun"); err == nil {
		one, errOne := os.Stat(found)
		other, errOther := os.Stat(path)
		if errOne == nil && errOther == nil && os.SameFile(one, other) {
			return "scriptrun", nil
		}
	}
	return path, nil
}

// printConfig writes the configuration to stdout, and where it goes to stderr.
func printConfig(e env, client clients.Client, server clients.Server) {
	fmt.Fprint(e.stdout, client.Config(server))
	fmt.Fprintf(e.stderr, "this goes into %s of the project, or for all projects into %s; scriptrun connect %s --write adds it to the first\n", client.Project, client.User, client.Name)
}

// reading names the tools that only read; none if they cannot be loaded, or a client does not
// start them.
func (f *connectFlags) reading(cmd *cobra.Command, e env) (names []string) {
	if f.url != "" {
		return nil
	}
	if !isFolder(f.toolsDir().Path) {
		fmt.Fprintf(e.stderr, "there is no directory %s yet, without which the server does not start; scriptrun new NAME makes it\n", plain.Line(f.toolsDir().Path))
		return nil
	}
	h, err := f.open(cmd.Context(), e, runtime.Observer{}, purpose{look: []string{f.toolsDir().Path}, tells: true})
	if err != nil {
		return nil
	}
	defer h.close()
	catalog, err := f.catalog(cmd.Context(), h)
	if err != nil {
		return nil // scriptrun check says why
	}
	for spec := range catalog.All() {
		if serve.Tool(spec, h.runner.Registry()).Annotations.ReadOnlyHint {
			names = append(names, spec.Name)
		}
	}
	return names
}

// tellSwitches says on stderr what else a person has to know or to set.
func tellSwitches(e env, client clients.Client, server clients.Server, reads []string) {
	if server.URL != "" {
		if client.NoToken != "" {
			fmt.Fprintln(e.stderr, client.NoToken)
		} else {
			fmt.Fprintf(e.stderr, "the token comes from the variable %s, which must be set where %s starts\n", clients.TokenVariable, client.Title)
		}
	}
	if client.Trusts != "" {
		fmt.Fprintln(e.stderr, client.Trusts)
	}
	for _, s := range client.Switches(server.Name, reads) {
		if s.Text == "" {
			fmt.Fprintf(e.stderr, "permission: %s\n", s.Says)
			continue
		}
		fmt.Fprintf(e.stderr, "permission: %s; in %s:\n    %s\n", s.Says, s.File, strings.ReplaceAll(strings.TrimSuffix(s.Text, "\n"), "\n", "\n    "))
	}
}
