package clients

// ServerName is what clients call the server, unless somebody gives it another name.
const ServerName = "scriptrun"

// TokenVariable is the environment variable from which clients take the token of a server
// that is reached over HTTP. scriptrun serve reads the same one.
const TokenVariable = "SCRIPTRUN_TOKEN"

// Server is how a client reaches one server: by a command, or at a URL.
type Server struct {
	// Name is what the client calls the server; letters, digits, - and _.
	Name string
	// Command and Args start the server, which speaks on stdin and stdout.
	Command string
	Args    []string
	// URL is where the server is, over streamable HTTP; if it is set, Command and Args
	// are not used.
	URL string
}

// stdio is the form of most clients for a command.
func (s Server) stdio() object {
	return object{{"command", s.Command}, {"args", s.Args}}
}

// bearer is the header with the token, in a client's words for the value of a variable.
func bearer(variable string) object {
	return object{{"Authorization", "Bearer " + variable}}
}
