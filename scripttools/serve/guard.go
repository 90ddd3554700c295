package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// smallBody is the largest body that is read before there is a place for it: it may be
// the answer that others wait for.
const smallBody = 64 << 10

// guard handles requests before the library does. It refuses messages that the library
// would change, bounds the requests of a session that are under way, and ends the runs
// of clients that are gone.
func (s *Server) guard(o HTTPOptions, replays *replays, next http.Handler) http.Handler {
	all := newBodies(o.MaxTotalBodyBytes, o.MaxBodyBytes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			s.post(o, all, replays, next, w, r)
			return
		}
		hurry(w, r, o.BodyTimeout)
		switch id := r.Header.Get(sessionHeader); {
		case r.Method == http.MethodDelete && id != "":
			s.endSession(id, userOf(auth.TokenInfoFromContext(r.Context())))
		case r.Method == http.MethodGet && id != "" && r.Header.Get("Last-Event-Id") != "":
			key, of := s.callers.use(r)
			defer s.callers.drop(key)
			ctx, stop := context.WithCancel(r.Context())
			defer stop()
			r = r.WithContext(ctx)
			cut := cutter(w)
			done, ok := s.callers.listen(ctx, of, key, who(r), func() {
				stop()
				cut()
			})
			if !ok {
				w.Header().Set("Retry-After", "1")
				http.Error(w, "too many streams are resumed at once; read one to its end first", http.StatusServiceUnavailable)
				return
			}
			defer done()
		}
		next.ServeHTTP(w, r)
	})
}

// post serves the messages of a body. Requests wait for a place first.
func (s *Server) post(o HTTPOptions, all *bodies, replays *replays, next http.Handler, w http.ResponseWriter, r *http.Request) {
	key, of := s.callers.use(r)
	var held int64
	var stream streamOf
	r = r.WithContext(context.WithValue(r.Context(), streamNameKey{}, &stream))
	release := func() {
		all.of(r).leave(who(r), held)
		replays.end(stream.name)
	}
	done := func() {
		release()
		s.callers.drop(key)
	}
	defer func() { done() }()
	size := int(min(r.ContentLength, o.MaxBodyBytes))
	if r.ContentLength < 0 { // unknown
		size = int(o.MaxBodyBytes)
	}
	placed := size > smallBody
	if placed && !s.await(w, r, of, size) {
		return
	}
	requests, batch, held, ok := s.read(o, all, w, r)
	if ok && requests > 0 && !placed {
		placed = s.await(w, r, of, size)
		ok = placed
	}
	if placed {
		name, lost := r.Header.Get(requestHeader), false
		request := s.callers.begin(name, &posted{release: release, batch: batch, requests: requests, size: size, from: who(r), cutWrite: cutter(w), taking: takingOf(w)})
		stream.post = request
		done = func() { s.callers.over(name, key, of, size, request, lost) }
		defer func() { lost = requests > 0 && r.Context().Err() != nil }()
	}
	if ok {
		next.ServeHTTP(w, r)
	}
}

// await waits for a place and reports whether it got one; a crowded session is told to
// come back.
func (s *Server) await(w http.ResponseWriter, r *http.Request, of *caller, size int) bool {
	err := s.callers.await(r.Context(), of, who(r), r.Header.Get(sessionHeader) != "", size)
	if errors.Is(err, errCrowded) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusTooManyRequests)
	}
	return err == nil
}

// read reads a body and puts it back. The caller gives held back. requests counts the
// requests in the body, and batch is true for a list. Bodies that the library would
// change, or refuse without their ids, are answered here.
func (s *Server) read(o HTTPOptions, all *bodies, w http.ResponseWriter, r *http.Request) (requests int, batch bool, held int64, ok bool) {
	hurry(w, r, o.BodyTimeout)
	body, held, err := all.of(r).read(r, o.MaxBodyBytes)
	if err != nil {
		w.Header().Set("Connection", "close") // otherwise the answer would wait for the rest of the body
	}
	switch {
	case errors.Is(err, errManyBodies):
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case errors.As(err, new(*http.MaxBytesError)):
		http.Error(w, fmt.Sprintf("a body has at most %d bytes", o.MaxBodyBytes), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, "the body could not be read", http.StatusBadRequest)
	}
	if err != nil {
		return 0, false, held, false
	}
	if r.Header.Get(sessionHeader) == "" && len(body) <= smallBody {
		body = agreedIn(bytes.TrimSpace(body))
		r.ContentLength = int64(len(body))
	}
	r.Body = &handedOver{body}
	requests, refused := check(bytes.TrimSpace(body), s.version(r))
	if refused != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(refused.line())
		return 0, false, held, false
	}
	return requests, bytes.HasPrefix(bytes.TrimSpace(body), []byte{'['}), held, true
}

// version is the protocol version of a request.
func (s *Server) version(r *http.Request) string {
	if version := r.Header.Get(versionHeader); version != "" {
		return version
	}
	for session := range s.mcp.Sessions() {
		if id := session.ID(); id != "" && id == r.Header.Get(sessionHeader) && session.InitializeParams() != nil {
			return session.InitializeParams().ProtocolVersion
		}
	}
	return lastWithBatches // the protocol's default
}

// check refuses messages that would not reach their tools as they were sent.
func check(body []byte, version string) (requests int, refused *refusal) {
	list := []json.RawMessage{body}
	switch {
	case len(body) == 0:
		return 0, nil // the library refuses it
	case body[0] == '[':
		if reason := invalid(body); reason != "" {
			return 0, &refusal{nil, jsonrpc.CodeParseError, reason}
		}
		var reason string
		list, reason = elements(body, maxUnanswered)
		if reason := batchRefused(len(list), reason, version); reason != "" {
			return 0, &refusal{nil, jsonrpc.CodeInvalidRequest, reason}
		}
	}
	for _, raw := range list {
		m, refused := readMessage(raw)
		if refused != nil {
			return 0, refused
		}
		if m.method == methodInitialize && body[0] == '[' {
			return 0, &refusal{m.id, jsonrpc.CodeInvalidRequest, "initialize comes by itself, not in a batch"}
		}
		if m.id == nil {
			continue
		}
		if _, exact := libraryID(m.id); !exact {
			return 0, &refusal{m.id, jsonrpc.CodeInvalidRequest, "over HTTP an id is an integer of at most 53 bits, or a string without half surrogate pairs"}
		}
		if !m.reply {
			requests++
		}
	}
	return requests, nil
}
