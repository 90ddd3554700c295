package serve

import (
	"encoding/json"
	"slices"
)

// versions are the protocol versions whose sessions begin with initialize.
var versions = []string{"2024-11-05", lastWithBatches, "2025-06-18", lastWithSessions}

// lastWithSessions is the last version with sessions. A client that offers an unknown
// version is answered with it.
const lastWithSessions = "2025-11-25"

// agreed replaces an unknown version in the parameters of initialize. The library would
// answer with a known one and then go by the unknown one.
func agreed(params json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	var offered string
	if json.Unmarshal(params, &all) != nil || all == nil || json.Unmarshal(all["protocolVersion"], &offered) != nil || slices.Contains(versions, offered) {
		return params
	}
	all["protocolVersion"] = json.RawMessage(`"` + lastWithSessions + `"`)
	changed, err := json.Marshal(all)
	if err != nil {
		return params
	}
	return changed
}

// agreedIn applies agreed to a message that is an initialize.
func agreedIn(body []byte) []byte {
	m, refused := readMessage(body)
	if refused != nil || m.method != methodInitialize {
		return body
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return body
	}
	all["params"] = agreed(m.params)
	changed, err := json.Marshal(all)
	if err != nil {
		return body
	}
	return changed
}
