package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
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
				return describeHostTool(e.stdout, tool)
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
			describe(e.stdout, spec.Describe(), policy)
			return nil
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

func describe(w io.Writer, d scripttools.Description, policy []string) {
	fmt.Fprintf(w, "%s\n\n%s\n\n", plain.Line(d.Name), set(d.Description))
	fmt.Fprintf(w, "file:     %s\n", plain.Line(d.Path))
	if d.Source != "" {
		fmt.Fprintf(w, "script:   %s\n", plain.Line(d.Source))
	}
	fmt.Fprintf(w, "sha256:   %s\n", d.SHA256)
	fmt.Fprintf(w, "may call: %s\n", plain.Line(d.Reach()))
	for _, line := range policy {
		fmt.Fprintf(w, "policy:   %s\n", plain.Line(line))
	}
	fmt.Fprintf(w, "limits:   %v, %d calls, %d bytes of a result, %d of output, %d MiB of memory\n",
		time.Duration(d.Limits.TimeoutMS)*time.Millisecond, d.Limits.MaxToolCalls, d.Limits.MaxResultBytes, d.Limits.MaxOutputBytes, d.Limits.MaxMemoryBytes>>20)
	fmt.Fprintf(w, "\ninput_schema: %s\n", indented(d.InputSchema))
	if d.OutputSchema != nil {
		fmt.Fprintf(w, "output_schema: %s\n", indented(d.OutputSchema))
	}
}

func indented(raw json.RawMessage) string { return plain.Text(string(plain.JSON(raw))) }
