package web

import (
	"net/http"
	"strings"
	"testing"
)

// TestSpellingsOfPrivateHostsAreRefused: none of them reaches a server that
// listens on loopback.
func TestSpellingsOfPrivateHostsAreRefused(t *testing.T) {
	t.Parallel()
	_, port := site(t, func(http.ResponseWriter, *http.Request) { t.Error("it was reached") })
	f := &Fetch{resolver: answers(t, map[string]string{"siit.example.": "::ffff:0:7f00:1", "nat64.example.": "64:ff9b::7f00:1", "mapped.example.": "::ffff:7f00:1"})}
	for _, host := range []string{
		"127.0.0.1.", "127.0.0.1..", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "１２７.0.0.1", "①②⑦.0.0.1", "loc%61lhost", "%6cocalhost", "127.0.0.%31", "LOCALHOST.", "localhost..",
		"ｌｏｃａｌｈｏｓｔ", "ſocalhost", "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]", "[::FFFF:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::1%25lo]", "[::1%lo]", "[fe80::1%25eth0]", "[127.0.0.1]",
		"0x7F000001", "0X7f.1", "0177.1", "00000177.0.0.1", "127.0.0.0x1", "2130706433.", "127.1.", "4294967295", "1", "a.1", "a.0x1", "127.0.0.1\x00.example.com", "127.0.0.1%00", "127.0.0.1%23", "localhost%2e",
		"siit.example", "nat64.example", "mapped.example", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::1]", "[::5efe:7f00:1]",
	} {
		result, err := ask(t, f, map[string]any{"url": "http://" + host + ":" + port + "/", "timeoutMs": 5000}, "fetch")
		if err != nil || result.ExitCode == 0 || strings.Contains(result.Output, "whole within") {
			t.Errorf("%q: %+v, %v", host, result, err)
		}
	}
}

// TestAddressesMeanOneThing: other spellings of one address are one address,
// and what servers might read as another is refused.
func TestAddressesMeanOneThing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"HTTP://EXAMPLE.com:80": "http://example.com/", "https://example.com.:0443/a?b#c": "https://example.com/a?b", "http://[0:0::1]:8080/": "http://[::1]:8080/",
		"http://example.com:/": "http://example.com/", "http://[::FFFF:1.2.3.4]/": "http://[::ffff:1.2.3.4]/", "https://h/a;b/c": "https://h/a;b/c", "https://h/100%25": "https://h/100%25",
		"https://h/a..b/...": "https://h/a..b/...",
	} {
		if u, err := parse(text); err != nil || u.String() != want {
			t.Errorf("%s is %v, %v", text, u, err)
		}
	}
	for _, text := range []string{
		"http://h/a/..;/b", "http://h/a/..;x=y/b", "http://h/a/..\\b", "http://h/%252e%252e/b", "http://h/%25252e./b", "http://h/a%5c..%5cb", "http://h/.", "http://h/..",
		"http://h:0/", "http://h:65536/", "http://h:-1/", "http://h_/..", "http://-.-..x/", "http://" + strings.Repeat("a", 64) + "/", "http://" + strings.Repeat("a.", 127) + "a/", "http://a..b/", "http://.a/",
		"http:h/x", "http:/h", "http:///x", "https:\\\\h\\x", "http://a b/", "http://a\tb/", "http://a\n/", "javascript://h/%0a",
	} {
		if u, err := parse(text); err == nil {
			t.Errorf("%q is taken for %s", text, u)
		}
	}
}
