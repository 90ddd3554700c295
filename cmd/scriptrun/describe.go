package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
	"github.com/spf13/cobra"
)

func newDescribe(e env) *cobra.Command {
	var f hostFlags
	var asJSON bool
	apis := map[string]*bool{}
	cmd := &cobra.Command{
		Use:               "describe FILE|NAME|HOSTTOOL",
		Short:             "Show what a tool takes, gives, may reach and may use",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: f.completeNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := f.open(cmd.Context(), e, runtime.Observer{}, purpose{look: f.pathsOf(args[0])})
			if err != nil {
				return err
			}
			defer h.close()
			if _, ok := h.runner.Registry().Lookup(args[0]); ok && !isFile(args[0]) {
				tool := hostToolOf(h.runner.Registry(), args[0])
				for api, wanted := range apis {
					if *wanted {
						return fmt.Errorf("%s is a host tool, which is not offered as a tool of %s; serve --direct=%s offers it over MCP", tool.Name, apiNames[api], tool.Name)
					}
				}
				if asJSON {
					return printJSON(e.stdout, tool)
				}
				return describeHostTool(e.page(), tool)
			}
			spec, err := f.spec(cmd.Context(), h, args[0])
			var unknown *scripttools.UnknownToolError
			if errors.As(err, &unknown) {
				if nearest := spelling.Nearest(args[0], h.runner.Registry().Names()); nearest != "" {
					err = fmt.Errorf("%w; did you mean the host tool %q?", err, nearest)
				}
			}
			if err != nil {
				return refusal(e, asJSON, err)
			}
			for _, note := range h.notes(spec) {
				fmt.Fprintln(e.stderr, note.text)
			}
			for api, wanted := range apis {
				if *wanted {
					return printJSON(e.stdout, definition(api, spec, h.runner.Registry()))
				}
			}
			if asJSON {
				return printJSON(e.stdout, spec.Describe())
			}
			policy, err := decided(h.settings, h.runner.Registry(), spec.AllowedTools)
			if err != nil {
				return err
			}
			return describe(e.page(), spec.Describe(), policy)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the description as JSON")
	for _, api := range []string{"anthropic", "openai", "mcp"} {
		apis[api] = cmd.Flags().Bool(api, false, "print the tool as "+apiNames[api]+" takes it")
	}
	cmd.MarkFlagsMutuallyExclusive("json", "anthropic", "openai", "mcp")
	return cmd
}

// apiNames are whose definitions of tools can be printed.
var apiNames = map[string]string{
	"anthropic": "Anthropic's Messages API",
	"openai":    "OpenAI's Responses API",
	"mcp":       "a list of the Model Context Protocol",
}

// definition is a tool as an API takes it.
func definition(api string, spec *scripttools.ScriptToolSpec, registry *hostapi.Registry) any {
	tool := serve.Tool(spec, registry)
	switch api {
	case "anthropic":
		return map[string]any{"name": tool.Name, "description": tool.Description, "input_schema": tool.InputSchema}
	case "openai":
		// Not strict: that mode takes a part of JSON Schema only.
		return map[string]any{"type": "function", "name": tool.Name, "description": tool.Description, "parameters": tool.InputSchema, "strict": false}
	}
	return tool
}

func describe(p *page, d scripttools.Description, policy []string) error {
	p.heading(d.Name)
	p.prose("\n" + set(d.Description) + "\n")
	rows := [][]string{{"file:", d.Path}}
	if d.Source != "" {
		rows = append(rows, []string{"script:", d.Source})
	}
	rows = append(rows, []string{"sha256:", d.SHA256})
	if imported := d.ImportedFiles(); imported != "" {
		rows = append(rows, []string{"imports:", imported})
	}
	rows = append(rows, []string{"may call:", d.Reach()})
	for _, line := range policy {
		rows = append(rows, []string{"policy:", line})
	}
	rows = append(rows, []string{"limits:", fmt.Sprintf("%v, %s, %s of a result, %s of output, %s of memory",
		time.Duration(d.Limits.TimeoutMS)*time.Millisecond, counted(d.Limits.MaxToolCalls, "call"), bytesOf(d.Limits.MaxResultBytes), bytesOf(d.Limits.MaxOutputBytes), bytesOf(d.Limits.MaxMemoryBytes))})
	if err := p.facts(rows); err != nil {
		return err
	}
	p.say("")
	if err := p.schema("arguments:", d.InputSchema); err != nil {
		return err
	}
	if d.OutputSchema != nil {
		p.say("")
		if err := p.schema("value:", d.OutputSchema); err != nil {
			return err
		}
	}
	p.prose(fmt.Sprintf("\nscriptrun describe %s --json has the schemas.", d.Name))
	return nil
}

// schema writes what a schema takes: its properties, or all of it if it has none.
func (p *page) schema(heading string, schema json.RawMessage) error {
	if rows := argumentsOf(schema); len(rows) > 0 {
		return p.arguments(heading, rows)
	}
	p.heading(heading)
	p.prose("  " + brief(string(schema), maxArguments))
	return nil
}

// bytesOf is a number of bytes in the largest unit that leaves it whole.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
