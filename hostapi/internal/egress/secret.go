package egress

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
)

// Everybody inside reaches every address of the proxy. What tells whose a request
// is are 128 random bits that only the owner of the pass is told: programs take them
// from the address of the proxy, and send them as HTTP's Basic credentials.

// user is the name that goes with each secret: some programs send no credentials
// of which one half is empty. Those that have a variable of their own for a proxy send
// another one, which says who they are: it only serves to give advice.
const user = "scriptrun"

// users are the presets that a name stands for.
var users = map[string]string{user: "", "npm": "npm", "pip": "pip", "cargo": "cargo"}

// secret is what a request of a pass has to bear.
type secret [16]byte

func newSecret() (s secret) {
	_, _ = rand.Read(s[:]) // it never fails
	return s
}

// text is the secret as it is in the address of the proxy.
func (s secret) text() string { return hex.EncodeToString(s[:]) }

// borneBy reports whether a request has it, and nothing else, as its credentials, and
// the preset of the program that sent it, as far as it says.
func (s secret) borneBy(r *http.Request) (preset string, _ bool) {
	fields := r.Header.Values("Proxy-Authorization")
	if len(fields) != 1 {
		return "", false
	}
	have := http.Request{Header: http.Header{"Authorization": fields}}
	name, password, ok := have.BasicAuth()
	preset, known := users[name]
	return preset, ok && known && subtle.ConstantTimeCompare([]byte(password), []byte(s.text())) == 1
}

// stranger answers a request without the secret of the pass, and ends its
// connection. Some programs ask once without credentials to learn how they are wanted.
func (p *Proxy) stranger(w http.ResponseWriter) {
	p.strangers.Add(1)
	w.Header().Set("Proxy-Authenticate", `Basic realm="scriptrun"`)
	w.Header().Set("Connection", "close")
	http.Error(w, "the proxy wants the credentials that are in HTTP_PROXY of this command", http.StatusProxyAuthRequired)
}

// Strangers is how many requests came without the secret of the pass at whose
// address they were made. They are in no [Account]; whose they were is not known.
func (p *Proxy) Strangers() int64 { return p.strangers.Load() }
