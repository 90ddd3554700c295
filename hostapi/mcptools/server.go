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

// Server says what to start, or where to ask. Name and one of Command and URL
// must be set.
type Server struct {
	// Name stands in the names of the tools: [a-zA-Z0-9_-]{1,32}, without "__".
	Name string
	// Command is a program and its arguments, spoken to over its stdin and
	// stdout.
	Command []string
	// Path is the PATH on which Command is sought where it is a name without a path;
	// empty means this process's own.
	Path string
	// Avoid are places whose programs are not taken, of those on Path. Nil is none.
	Avoid Places
	// Dir is where the program is started; empty means the current directory.
	Dir string
	// Env are all of its variables; it gets none of the host's.
	Env map[string]string
	// URL is the endpoint of a server over streamable HTTP.
	URL string
	// Headers go with each request, such as Authorization.
	Headers map[string]string
	// Tools are the server's names of those that are wanted; empty means all.
	Tools []string
	// Timeout bounds each call; 0 means one minute.
	Timeout time.Duration
	// StartTimeout bounds the start and the first list of tools; 0 means 30
	// seconds.
	StartTimeout time.Duration
	// Stderr is given what the program writes there; nil drops it.
	Stderr io.Writer
	// Noted is told, a sentence each, what the program does wrong that ends
	// nothing, such as lines on its stdout that are no messages: a few for each
	// start, control characters escaped. It is called on goroutines of the
	// connection's; nil drops it.
	Noted func(sentence string)
}

// serverName is what may stand between the underscores.
var serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9-]([a-zA-Z0-9-]|_[a-zA-Z0-9-]){0,31}$`) })

// Check refuses a server that nobody could reach. The error is one sentence.
func (s Server) Check() error {
	switch {
	case !serverName().MatchString(s.Name) || len(s.Name) > 32:
		return fmt.Errorf("MCP server %q: a name matches [a-zA-Z0-9_-]{1,32}, without __ and without _ at either end", s.Name)
	case len(s.Command) > 0 && s.URL != "":
		return fmt.Errorf("MCP server %q: command and url are both there; give one", s.Name)
	case len(s.Command) == 0 && s.URL == "":
		return fmt.Errorf("MCP server %q: it needs either a command or a url", s.Name)
	case len(s.Command) > 0 && s.Command[0] == "":
		return fmt.Errorf("MCP server %q: the command is empty", s.Name)
	case len(s.Command) > 0 && len(s.Headers) > 0:
		return fmt.Errorf("MCP server %q: headers are for a url", s.Name)
	case s.URL != "" && (len(s.Env) > 0 || s.Dir != ""):
		return fmt.Errorf("MCP server %q: variables and folders are for a command", s.Name)
	case len(s.Command) > 0 && s.Avoid != nil && s.Path == "":
		return fmt.Errorf("MCP server %q: places to avoid are for a path on which its command is sought; give that too", s.Name)
	case s.Timeout < 0 || s.StartTimeout < 0:
		return fmt.Errorf("MCP server %q: times are not negative", s.Name)
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return fmt.Errorf("MCP server %q: its url is not an http or https address without credentials in it; send them as headers", s.Name)
		}
	}
	return nil
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
	// RetryIn is when it will be tried again; 0 means with the next call.
	RetryIn time.Duration

	over bool // nobody has a connection that could try again
	err  error
}

// Error names the server, what happened, and what the next call does, if there
// can be one.
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
