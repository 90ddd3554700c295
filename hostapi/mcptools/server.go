package mcptools

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"sync"
	"time"
)

// Server says which program to start, or which URL to ask. Name and one of Command
// and URL must be set.
type Server struct {
	// Name is part of the tools' names: [a-zA-Z0-9_-]{1,32}, without "__".
	Name string
	// Command is a program and its arguments, spoken to over its stdin and
	// stdout.
	Command []string
	// Path is the PATH to find Command on, if it is a name without a path; empty means
	// this process's own.
	Path string
	// Avoid are places on Path whose programs are not used. It may be nil.
	Avoid Places
	// Dir is where the program is started; empty means the current directory.
	Dir string
	// Env are all of the program's variables; it gets none of the host's.
	Env map[string]string
	// URL is the endpoint of a server over streamable HTTP.
	URL string
	// Headers go with each request, such as Authorization.
	Headers map[string]string
	// Tools are the tools to use, by the server's names; empty means all.
	Tools []string
	// Timeout bounds each call; 0 means one minute.
	Timeout time.Duration
	// StartTimeout bounds the start and the first list of tools; 0 means 30
	// seconds.
	StartTimeout time.Duration
	// Stderr gets what the program writes to stderr; nil drops it.
	Stderr io.Writer
	// Noted is told what the program does wrong without failing, such as lines on its
	// stdout that are not messages: a few sentences for each start, with control
	// characters escaped. It is called on several goroutines; nil drops them.
	Noted func(sentence string)
}

// note tells Noted of something that the server does wrong.
func (s Server) note(what string) {
	if s.Noted != nil {
		s.Noted(fmt.Sprintf("MCP server %q: %s", s.Name, what))
	}
}

// serverName is what may stand between the underscores of a tool's name.
var serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9-]([a-zA-Z0-9-]|_[a-zA-Z0-9-]){0,31}$`) })

// Check refuses a server that nobody could reach. The error is one sentence.
func (s Server) Check() error {
	if wrong := s.wrong(); wrong != "" {
		return fmt.Errorf("MCP server %q: %s", s.Name, wrong)
	}
	return nil
}

// wrong is what is wrong with the settings, if anything.
func (s Server) wrong() string {
	switch {
	case !serverName().MatchString(s.Name) || len(s.Name) > 32:
		return "a name matches [a-zA-Z0-9_-]{1,32}, without __ and without _ at either end"
	case len(s.Command) > 0 && s.URL != "":
		return "command and url are both there; give one"
	case len(s.Command) == 0 && s.URL == "":
		return "it needs either a command or a url"
	case len(s.Command) > 0 && s.Command[0] == "":
		return "the command is empty"
	case len(s.Command) > 0 && len(s.Headers) > 0:
		return "headers are for a url"
	case s.URL != "" && (len(s.Env) > 0 || s.Dir != ""):
		return "variables and folders are for a command"
	case len(s.Command) > 0 && s.Avoid != nil && s.Path == "":
		return "places to avoid are for a path on which its command is sought; give that too"
	case s.Timeout < 0 || s.StartTimeout < 0:
		return "times are not negative"
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return "its url is not an http or https address without credentials in it; send them as headers"
		}
	}
	return ""
}

func (s Server) withDefaults() Server {
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	if s.StartTimeout == 0 {
		s.StartTimeout = 30 * time.Second
	}
	return s
}

// Error is a server that could not be started, reached or asked.
type Error struct {
	Server string
	// RetryIn is when it is tried again; 0 means with the next call.
	RetryIn time.Duration

	over bool // there is no connection to try again with
	err  error
}

// Error names the server, what happened, and when it is tried again, if it is.
func (e *Error) Error() string {
	if e.over {
		return fmt.Sprintf("MCP server %q: %v", e.Server, e.err)
	}
	again := "the next call starts it again"
	if e.RetryIn > 0 {
		again = fmt.Sprintf("it is tried again in %v", e.RetryIn.Round(time.Second))
	}
	return fmt.Sprintf("MCP server %q: %v; %s", e.Server, e.err, again)
}

// Unwrap gives what happened.
func (e *Error) Unwrap() error { return e.err }

var errClosed = errors.New("it was closed")
