package egress

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
)

// Every command reaches every address of the proxy. A request belongs to a pass if it
// has the pass's secret: 128 random bits in the proxy's address that only this command
// is told, and that programs send as HTTP's Basic credentials.

// user is the user name that goes with a secret: some programs send no credentials
// without one. Programs with a proxy variable of their own send another name, which
// tells who they are, for advice only.
const user = "scriptrun"

// users are the presets that user names stand for.
var users = map[string]string{user: "", "npm": "npm", "pip": "pip", "cargo": "cargo"}

// secret is what a request of a pass must carry.
type secret [16]byte

func newSecret() (s secret) {
	_, _ = rand.Read(s[:]) // it never fails
	return s
}

// text is the secret as it is in the address of the proxy.
func (s secret) text() string { return hex.EncodeToString(s[:]) }

// borneBy reports whether the secret is the request's only credentials, and the preset of
// the program that sent it, if it says which it is.
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

// stranger answers a request without the secret, and ends its connection. Some programs
// ask once without credentials, to learn which kind is needed.
func (p *Proxy) stranger(w http.ResponseWriter) {
	p.strangers.Add(1)
	w.Header().Set("Proxy-Authenticate", `Basic realm="scriptrun"`)
	w.Header().Set("Connection", "close")
	http.Error(w, "the proxy needs the credentials in this command's HTTP_PROXY", http.StatusProxyAuthRequired)
}

// Strangers is how many requests came without the secret. They are in no [Account], as
// nobody knows which command sent them.
func (p *Proxy) Strangers() int64 { return p.strangers.Load() }
