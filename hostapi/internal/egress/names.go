package egress

import (
	"net"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
	"golang.org/x/net/dns/dnsmessage"
)

// A program that does not use the proxy begins with a DNS question. No question gets an
// address, since nothing can be reached that way; the names are kept to explain why a
// command failed.

// mostQuestion is the largest question that is read.
const mostQuestion = 1500

// Lookup is a name that was looked up without the proxy.
type Lookup struct {
	Name string
	// Listed is set if the list has the name, at any port: it can be reached through the
	// proxy only.
	Listed bool
	// Alone is set if there was one pass only. Otherwise another command may have asked.
	Alone bool
}

// answerNames answers questions until the socket is closed.
func (p *Proxy) answerNames(asked net.PacketConn) {
	buffer := make([]byte, mostQuestion)
	for {
		n, from, err := asked.ReadFrom(buffer)
		if err != nil {
			return
		}
		if answer := p.answerName(buffer[:n]); answer != nil {
			_, _ = asked.WriteTo(answer, from) // the other end may be gone
		}
	}
}

// answerName answers that there is no such name; nil if text is not a question.
func (p *Proxy) answerName(text []byte) []byte {
	var parser dnsmessage.Parser
	header, err := parser.Start(text)
	if err != nil || header.Response {
		return nil
	}
	question, err := parser.Question()
	if err != nil {
		return nil
	}
	if question.Type == dnsmessage.TypeA || question.Type == dnsmessage.TypeAAAA {
		p.looked(strings.ToLower(strings.TrimSuffix(question.Name.String(), ".")))
	}
	answer := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: header.ID, Response: true, OpCode: header.OpCode, Authoritative: true,
			RecursionDesired: header.RecursionDesired, RecursionAvailable: true, RCode: dnsmessage.RCodeNameError,
		},
		Questions: []dnsmessage.Question{question},
	}
	packed, err := answer.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// looked records a name for every pass: a question does not say whose it is. Names
// without a dot are local, and left out.
func (p *Proxy) looked(name string) {
	clean, err := dialguard.HostName(name)
	if err != nil || !strings.Contains(clean, ".") || strings.HasSuffix(clean, ".localhost") || strings.HasSuffix(clean, ".local") {
		return
	}
	listed := p.list.has(clean)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pass := range p.passes {
		pass.look(Lookup{Name: clean, Listed: listed, Alone: len(p.passes) == 1})
	}
}

func (p *Pass) look(l Lookup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := func(other Lookup) bool { return other.Name == l.Name }
	if len(p.looked) < mostRefused && !slices.ContainsFunc(p.looked, same) {
		p.looked = append(p.looked, l)
	}
}
