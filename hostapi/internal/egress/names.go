package egress

import (
	"net"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
	"golang.org/x/net/dns/dnsmessage"
)

// A program that knows no proxy begins with a question about a name. Nobody is told an
// address, since nothing is to be reached that way; who asked for what is kept, for
// whoever reads why a command failed.

// mostQuestion is the size of a question that is read; others are none.
const mostQuestion = 1500

// Lookup is a name that somebody inside asked the address of, without the proxy.
type Lookup struct {
	Name string
	// Listed is set where the list has the name, at whatever port: through the proxy alone
	// it is reached.
	Listed bool
	// Alone is set where nobody else was inside. Otherwise another may have asked.
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
			_, _ = asked.WriteTo(answer, from) // nobody may be there to read it
		}
	}
}

// answerName is that there is no such name; nil for what is no question.
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

// looked notes a name for everybody inside: a question does not say whose it is. A name
// without a dot is this machine's, or nobody's.
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
