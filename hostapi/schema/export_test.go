package schema

import "encoding/json"

// ApplyDefaults is the first half of [Schema.Complete].
func (s *Schema) ApplyDefaults(raw json.RawMessage) (json.RawMessage, error) {
	if s == nil {
		return raw, nil
	}
	value, err := decode(raw)
	if err != nil {
		return nil, err
	}
	filled, _, err := s.fill(raw, value)
	return filled, err
}

// NamesOlder reports whether a schema names a draft older than the latest, whose
// metaschema must be there.
func NamesOlder(raw string) (bool, error) {
	root, err := decode(json.RawMessage(raw))
	if err != nil {
		return false, err
	}
	return checkSource(root, len(raw))
}
