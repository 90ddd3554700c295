package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/spf13/cobra"
)

func newExplain(e env) *cobra.Command {
	var allow []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain LINE",
		Short: "Say what a shell line would run, and which rule grants it",
		Long: `Show how rules with patterns read a shell line, without running it: its commands
with their words and redirections, the line as it would run, the parts that no
pattern can cover and why, and for each command the rule that grants it.
The exit code is 0 if the rules grant the line, 4 if they do not.`,
		Example: "  scriptrun explain 'git log -1 | head' --allow 'bash(git log *)' --allow 'bash(head *)'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("explain takes one line; put it in quotes: scriptrun explain %s", quoted(strings.Join(args, " ")))
			}
			if len(args) != 1 || strings.TrimSpace(args[0]) == "" {
				return errors.New("explain needs one shell line, such as 'git log -1 | head'")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := parseRules(allow)
			if err != nil {
				return err
			}
			for _, rule := range rules {
				if err := checkLineRule(rule); err != nil {
					return fmt.Errorf("--allow %s: %w", rule, err)
				}
			}
			x := shell.Explain(args[0], rules)
			if asJSON {
				err = printJSON(e.stdout, x)
			} else {
				printExplanation(e.page(), x)
			}
			if err == nil && !x.Granted {
				err = exit(exitDenied)
			}
			return err
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); len(words) > 0 { // the words before the flag
			if i := slices.Index(e.args, words[0]); i >= 0 {
				return fmt.Errorf("%w; put the line in quotes: scriptrun explain %s", err, quoted(strings.Join(e.args[i:], " ")))
			}
		}
		return cmd.Root().FlagErrorFunc()(cmd, err)
	})
	cmd.Flags().StringArrayVar(&allow, "allow", nil, "rule to try the line against, such as 'bash(git log *)'; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the explanation as JSON")
	return cmd
}

// checkLineRule refuses rules that do not apply to shell lines.
func checkLineRule(rule hostapi.Rule) error {
	tool := &shell.Tool{}
	switch {
	case rule.Tool != tool.Name():
		return fmt.Errorf("it does not apply to shell lines; expected bash, or bash(…)")
	case rule.Pattern == "":
		return nil
	}
	return tool.CheckPattern(rule.Pattern)
}

func printExplanation(p *page, x shell.Explanation) {
	switch {
	case x.Bare != "":
		p.say("granted by %s: the line goes to the shell as it stands", x.Bare)
	case x.Granted:
		p.say("granted: each command by the rule below it")
	case len(x.Opaque) > 0:
		p.say("not granted: no pattern covers some parts of it; bash without a pattern would grant it")
	default:
		p.say("not granted: no rule covers each of its commands")
	}
	if len(x.Commands) > 0 {
		p.say("")
		p.heading("commands:")
	}
	for _, c := range x.Commands {
		printCommand(p, c, x.Granted)
	}
	if len(x.Opaque) > 0 {
		p.say("")
		p.heading("parts that no pattern covers:")
	}
	lines := strings.Split(x.Line, "\n")
	for _, o := range x.Opaque {
		if o.Line < 1 || o.Line > len(lines) {
			p.say("  %s", plain.Line(o.Reason))
			continue
		}
		p.say("  %d:%d: %s\n%s", o.Line, o.Column, plain.Line(o.Reason), plain.Excerpt(lines[o.Line-1], o.Line, o.Column))
	}
	if x.Written != "" {
		p.say("")
		p.heading("as it runs if patterns grant it:")
		for line := range strings.SplitSeq(x.Written, "\n") {
			fmt.Fprintln(p.to, "  "+plain.Line(line)) // as it is, to be copied
		}
	}
}

func printCommand(p *page, c shell.CommandExplanation, granted bool) {
	words := make([]string, len(c.Words))
	for i, word := range c.Words {
		words[i] = "[" + plain.Line(word) + "]"
	}
	p.say("  %d:%d: %s", c.Line, c.Column, strings.Join(words, " "))
	if len(c.Redirections) > 0 {
		p.say("       with %s", plain.Line(strings.Join(c.Redirections, " ")))
	}
	if c.Note != "" {
		p.say("       %s", c.Note)
	}
	for _, g := range c.Guarded {
		p.say("       no * covers %s: %s", plain.Line(g.Word), plain.Line(g.Reason))
	}
	switch {
	case c.Rule != "" && !granted:
		p.say("       would be granted by %s, if all of the line were", plain.Line(c.Rule))
	case c.Rule != "":
		p.say("       granted by %s", plain.Line(c.Rule))
	case c.Suggested != "" && c.Words[0] == "cd":
		p.say("       no rule covers it; leave it out, and give the directory as the call's cwd")
	case c.Suggested != "":
		p.say("       no rule covers it; %s would", plain.Line(c.Suggested))
	}
}
