package main

import (
	"net/url"
	"strings"
)

// The parts of SARIF 2.1.0 that editors and code scanners read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
)

// sarifRules are the kinds of findings.
var sarifRules = []sarifRule{
	{"tool-file", sarifText{"A tool file does not load"}},
	{"doubtful", sarifText{"A tool file does what is most likely a mistake"}},
	{"remark", sarifText{"Something that whoever reads a tool file should know"}},
}

// sarif is what check found, in SARIF.
func (c checked) sarif() sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "scriptrun", Version: version(), Rules: sarifRules}
	for _, f := range c.Findings {
		result := sarifResult{Rule: "remark", Level: f.Severity, Message: sarifText{f.Message}}
		switch f.Severity {
		case "error":
			result.Rule = "tool-file"
		case "warning":
			result.Rule = "doubtful"
		}
		if f.Hint != "" {
			result.Message.Text += "\n" + f.Hint
		}
		if f.File != "" {
			var at sarifLocation
			at.Physical.Artifact.URI = uriOf(f.File)
			if f.Line > 0 {
				at.Physical.Region = &sarifRegion{Line: f.Line, Column: f.Column}
			}
			result.Locations = append(result.Locations, at)
		}
		run.Results = append(run.Results, result)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// uriOf is a path as a reference: relative ones stay so.
func uriOf(path string) string {
	path = strings.TrimPrefix(path, "./")
	u := url.URL{Path: path}
	if strings.HasPrefix(path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}
