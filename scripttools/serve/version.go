package serve

import (
	"encoding/json"
	"slices"
)

// versions are those of the protocol that a session is begun with.
var versions = []string{"2024-11-05", lastWithBatches, "2025-06-18", lastWithSessions}

// lastWithSessions is the last version of the protocol that has them, and what a client
// is answered that offers one which is not known.
const lastWithSessions = "2025-11-25"

// agreed are the parameters of an initialize with the version that it is answered with.
// The library answers with one version and then goes by the one that was offered.
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

// agreedIn is a message, changed if it is an initialize that needs it.
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
