package scripttools

import (
	"encoding/json"
	"slices"
	"strings"
)

// schemaBounds is what a schema says of a value beside its type.
type schemaBounds struct {
	Minimum   json.RawMessage `json:"minimum"`
	Maximum   json.RawMessage `json:"maximum"`
	Above     json.RawMessage `json:"exclusiveMinimum"`
	Below     json.RawMessage `json:"exclusiveMaximum"`
	Multiple  json.RawMessage `json:"multipleOf"`
	MinLength json.RawMessage `json:"minLength"`
	MaxLength json.RawMessage `json:"maxLength"`
	MinItems  json.RawMessage `json:"minItems"`
	MaxItems  json.RawMessage `json:"maxItems"`
	Pattern   json.RawMessage `json:"pattern"`
	Format    json.RawMessage `json:"format"`
}

// add adds what another schema says of the same value. What b says itself stays.
func (b *schemaBounds) add(other schemaBounds) {
	for _, part := range []struct{ to, from *json.RawMessage }{
		{&b.Minimum, &other.Minimum}, {&b.Maximum, &other.Maximum}, {&b.Above, &other.Above}, {&b.Below, &other.Below},
		{&b.Multiple, &other.Multiple}, {&b.MinLength, &other.MinLength}, {&b.MaxLength, &other.MaxLength},
		{&b.MinItems, &other.MinItems}, {&b.MaxItems, &other.MaxItems}, {&b.Pattern, &other.Pattern}, {&b.Format, &other.Format},
	} {
		if len(*part.to) == 0 {
			*part.to = *part.from
		}
	}
}

// longestBound is how long a number or a pattern of a schema may be to stand in a line of help.
const longestBound = 60

// words say what holds of a value, a phrase each.
func (b schemaBounds) words() (phrases []string) {
	phrases = slices.Concat(
		span(b.Minimum, b.Maximum, "", ""),
		phrase("more than ", b.Above, ""), phrase("less than ", b.Below, ""), phrase("a multiple of ", b.Multiple, ""),
		span(b.MinLength, b.MaxLength, " character", " characters"),
		span(b.MinItems, b.MaxItems, " entry", " entries"))
	for _, named := range []struct {
		word  string
		value json.RawMessage
	}{{"pattern ", b.Pattern}, {"format ", b.Format}} {
		var text string
		if json.Unmarshal(named.value, &text) == nil && !strings.ContainsAny(text, "\r\n") {
			phrases = append(phrases, phrase(named.word, json.RawMessage(text), "")...)
		}
	}
	return phrases
}

// span says from where to where a number goes, in a unit.
func span(low, high json.RawMessage, one, several string) []string {
	unit := func(n json.RawMessage) string {
		if string(n) == "1" {
			return one
		}
		return several
	}
	switch {
	case len(low) > 0 && string(low) == string(high):
		return phrase("", low, unit(low))
	case len(low) > 0 && len(high) > 0 && len(low)+len(high) <= longestBound:
		return phrase("", low, " to "+string(high)+several)
	case len(high) == 0 && one != "" && string(low) == "1":
		return []string{"not empty"}
	}
	return append(phrase("at least ", low, unit(low)), phrase("at most ", high, unit(high))...)
}

// phrase is one around a value; none without a value, or with a long one.
func phrase(before string, value json.RawMessage, after string) []string {
	if len(value) == 0 || len(value) > longestBound {
		return nil
	}
	return []string{before + string(value) + after}
}
