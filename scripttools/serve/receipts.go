package serve

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/runtime"
)

const (
	scheme     = "scriptrun"
	runsPrefix = scheme + "://runs/"
)

func reportURI(run string) string { return runsPrefix + run }

func outputURI(run, name string) string { return runsPrefix + run + "/" + url.PathEscape(name) }

// receipts keeps the latest reports.
type receipts struct {
	mu    sync.Mutex
	kept  map[string]receipt
	order []string // oldest first
	bytes int
}

// receipt is a report and its owner.
type receipt struct {
	*runtime.Report
	owner owner
}

const (
	maxReceipts     = 1000
	maxReceiptBytes = 64 << 20
	// maxPiece limits how much of an output is read at once.
	maxPiece = 1 << 20
)

func (r *receipts) keep(report *runtime.Report, whose owner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string]receipt{}
	}
	r.kept[report.Run] = receipt{report, whose}
	r.order = append(r.order, report.Run)
	r.bytes += weight(report)
	for len(r.order) > 1 && (len(r.order) > maxReceipts || r.bytes > maxReceiptBytes) {
		r.bytes -= weight(r.kept[r.order[0]].Report)
		delete(r.kept, r.order[0])
		r.order = r.order[1:]
	}
}

// weight estimates the bytes of a report.
func weight(report *runtime.Report) int {
	n := 2000 + len(report.Value) + len(report.Text) + len(report.Tool) + len(report.Path)
	if f := report.Failure; f != nil {
		n += len(f.Name) + len(f.Message) + len(f.Frame) + len(f.Pos.File) + len(f.Data)
		for _, frame := range f.Stack {
			n += 100 + len(frame.Func) + len(frame.Pos.File)
		}
		for _, violation := range f.Violations {
			n += 50 + len(violation.Path) + len(violation.Message)
		}
	}
	for _, call := range report.Calls {
		n += 500 + len(call.Tool) + len(call.Args) + len(call.Site) + len(call.Rule) + len(call.Signal) + len(call.Err)
		for _, op := range call.Operations {
			n += 200 + len(op.Name) + len(op.Args) + len(op.Err)
		}
	}
	for _, note := range report.Notes {
		n += 100 + len(note.Text) + len(note.File)
	}
	for _, entry := range report.Logs {
		n += 50 + len(entry.Text)
	}
	for tool, measures := range report.Isolation.Measures {
		n += 100 + len(tool)
		for _, m := range measures {
			n += 100 + len(m.Name) + len(m.By) + len(m.Gap) + len(m.Fix)
		}
	}
	for _, left := range report.Isolation.UnsettledTools {
		n += 50 + len(left.Tool)
	}
	for _, gaveUp := range report.Isolation.Confinement {
		n += 20 + len(gaveUp)
	}
	return n
}

// get finds the receipt of a run for its owner; nobody else finds it.
func (r *receipts) get(run string, whose owner) (*runtime.Report, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.kept[run]
	if !ok || found.owner != whose {
		return nil, false
	}
	return found.Report, true
}

// reader is the owner that reads a resource.
func (s *Server) reader(request *mcp.ReadResourceRequest) owner {
	of := s.known(request.Session)
	if of == nil {
		of = &session{} // it has run nothing
	}
	return ownerOf(of, request.Extra)
}

// offerReceipts registers the templates of receipts and outputs.
func (s *Server) offerReceipts() {
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "receipt", URITemplate: runsPrefix + "{run}", MIMEType: "application/json",
		Description: "The receipt of a run: how it ended, each call with its arguments and verdict, its logs, usage and isolation. At most the latest thousand are kept.",
	}, s.readReceipt)
	for _, template := range []string{"{run}/{file}", "{run}/{file}?offset={offset}"} {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
			Name: "output", URITemplate: runsPrefix + template, MIMEType: "text/plain",
			Description: "The whole of an output that was cut, in 1 MiB pieces from a byte offset.",
		}, s.readOutput)
	}
}

func (s *Server) readReceipt(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := request.Params.URI
	report, ok := s.receipts.get(strings.TrimPrefix(uri, runsPrefix), s.reader(request))
	if !ok {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err := s.mayWrite(ctx, s.known(request.Session), request.Extra, 2*int64(weight(report))); err != nil {
		return nil, err
	}
	text, err := json.Marshal(report)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(text)}}}, nil
}

// outputName matches a file of a run's outputs, with an offset.
var outputName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Z0-9]+)/([\w.-]+)(?:\?offset=(\d{1,18}))?$`)
})

func (s *Server) readOutput(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := request.Params.URI
	parts := outputName().FindStringSubmatch(strings.TrimPrefix(uri, runsPrefix))
	if parts == nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	report, known := s.receipts.get(parts[1], s.reader(request))
	if !known {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	offset, _ := strconv.ParseInt("0"+parts[3], 10, 64) // at most 18 digits
	if err := s.mayWrite(ctx, s.known(request.Session), request.Extra, 6*maxPiece); err != nil {
		return nil, err
	}
	text, _, ok := s.piece(report, parts[2], offset, maxPiece)
	if !ok {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: strings.ToValidUTF8(text, "\ufffd")}}}, nil
}

// readPiece reads a piece of a regular file in dir, and of nothing outside it. It returns
// the size of the file too.
func readPiece(dir, name string, offset, limit int64) (piece []byte, size int64, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, os.ErrNotExist
	}
	piece, err = io.ReadAll(io.NewSectionReader(f, offset, limit))
	return piece, info.Size(), err
}

// spilled lists the files that keep the whole of a run's outputs, and of its value, that were cut.
func spilled(dir string, report *runtime.Report) (names []string) {
	if dir == "" || len(report.Calls) == 0 && len(report.Notes) == 0 {
		return nil
	}
	run := report.Run
	entries, err := os.ReadDir(filepath.Join(dir, run))
	if err != nil {
		return nil // nothing was cut
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() && outputName().MatchString(run+"/"+entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}
