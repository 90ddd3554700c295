package mcptools

import (
	"fmt"
	"net/url"
	"strings"
)

// origin is the part of an address that anybody may see: keys stand in names,
// paths and queries alike.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "its address"
	}
	return u.Scheme + "://" + u.Host
}

// private is an error without the server's address in it, but for its origin.
func (s Server) private(err error) error {
	if s.URL == "" || err == nil {
		return err
	}
	forms := []string{s.URL}
	if u, parsed := url.Parse(s.URL); parsed == nil {
		forms = append(forms, u.String(), u.Redacted(), u.RequestURI())
	}
	text := err.Error()
	for _, form := range forms {
		if len(form) > 1 {
			text = strings.ReplaceAll(text, form, origin(s.URL))
			text = strings.ReplaceAll(text, strings.Trim(fmt.Sprintf("%q", form), `"`), origin(s.URL))
		}
	}
	return &reworded{text: text, err: err}
}
