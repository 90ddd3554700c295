package mcptools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reworded says in other words what its cause says: more plainly, or without secrets.
type reworded struct {
	text string
	err  error
}

// Error implements error.
func (e *reworded) Error() string { return e.text }

// Unwrap gives the cause.
func (e *reworded) Unwrap() error { return e.err }

// notStarted is why a program could not be started.
func (s Server) notStarted(err error) error {
	program := s.Command[0]
	var text string
	var path *fs.PathError
	switch _, absent := os.Stat(s.Dir); {
	case s.Dir != "" && absent != nil:
		text = fmt.Sprintf("its directory %q is not there", s.Dir)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		text = fmt.Sprintf("there is no program %q", program)
		if first, rest, ok := strings.Cut(program, " "); ok {
			text += fmt.Sprintf("; arguments go into args: command = %q, args = [%s]", first, quotedList(strings.Fields(rest)))
		}
	case errors.Is(err, fs.ErrPermission):
		text = fmt.Sprintf("%q may not be executed", program)
	case errors.As(err, &path):
		text = fmt.Sprintf("%q could not be started: %v", program, path.Err)
	default:
		return err
	}
	return &reworded{text: text, err: err}
}

// notThere is why a server that was started or reached did not answer.
func (s Server) notThere(ctx context.Context, err error) error {
	what := origin(s.URL)
	if s.URL == "" {
		what = s.Command[0]
		if len(s.Command) > 1 {
			what += " …" // arguments can be keys
		}
		what = strconv.Quote(what)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &reworded{text: fmt.Sprintf("%s did not answer within %v", what, s.StartTimeout), err: err}
	case errors.Is(err, mcp.ErrConnectionClosed):
		return &reworded{text: what + " ended before it answered", err: err}
	}
	return fmt.Errorf("%s: %w", what, err)
}

func quotedList(words []string) string {
	for i, word := range words {
		words[i] = fmt.Sprintf("%q", word)
	}
	return strings.Join(words, ", ")
}
