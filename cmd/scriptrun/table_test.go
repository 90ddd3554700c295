package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestArgumentsAreToldWithinBounds: however many there are and however long what is said of them,
// a page of them has an end, and says what it leaves out.
func TestArgumentsAreToldWithinBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("m", 90_000)
	many := [][3]string{{strings.Repeat("n", 90_000), "text", ""}}
	for i := range 5000 {
		many = append(many, [3]string{fmt.Sprintf("x%d", i), "anything", long})
	}
	for columns, args := range map[int][][3]string{0: many, 80: many, 40: many[:1]} {
		var out bytes.Buffer
		p := &page{to: &out}
		if columns > 0 {
			p.width = func() int { return columns }
		}
		if err := p.arguments("arguments:", args); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		lines := strings.Split(strings.TrimSpace(text), "\n")
		told := strings.Count(text, " anything: ")
		if len(text) > 3*maxArguments || !strings.Contains(strings.Join(strings.Fields(text), ""), "nn…(90000bytes)") {
			t.Errorf("%d columns: %d bytes: %.100s", columns, len(text), text)
		}
		if last := strings.TrimSpace(lines[len(lines)-1]); len(args) > 1 && (told < 20 || last != fmt.Sprintf("and %d more", 5000-told)) {
			t.Errorf("%d columns: %d are told, %q", columns, told, last)
		}
	}
}

// TestCompletionsHaveAnEnd, and whoever asked for them is told.
func TestCompletionsHaveAnEnd(t *testing.T) {
	t.Parallel()
	var c completions
	long := strings.Repeat("m", 90_000)
	c.add("plain=", "")
	for i := range 5000 {
		c.add(fmt.Sprintf("x%d=", i), long)
	}
	all := c.all()
	text := strings.Join(all, "\n")
	if len(text) > 2*maxOffered || all[0] != "plain=" || !strings.HasPrefix(all[1], "x0=\tm") || !strings.Contains(all[len(all)-1], "are not offered") {
		t.Errorf("%d bytes: %.300s … %s", len(text), text, all[len(all)-1])
	}
}
