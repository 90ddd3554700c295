// Package wire is what crosses the wall between a host and a realm: frames of
// bytes, never values.
//
// A [Frame] is a kind, a small JSON object about it (the head) and a JSON text
// that passes through unread (the body). On a stream a frame is
//
//	kind (1 byte) · head length (4, big endian) · body length (4) · head · body
//
// [Reader] refuses a frame that claims more than its caps before it allocates
// anything for it, and both sides refuse JSON that is nested deeper than
// [MaxDepth] before they parse it.
//
//	frame      from   head            body
//	start      host   [Start]         inputs
//	result     host   [Result]        the result object; empty for a refusal
//	stop       host   {}              –
//	call       realm  [Call]          arguments, at most [MaxArguments]
//	operate    realm  [Operate]       arguments, likewise
//	log        realm  [Log]           –
//	progress   realm  [Progress]      –
//	return     realm  [Return]        the value
//	throw      realm  [Throw]         –
//	check      host   [Check]         –
//	checked    realm  [Checked]       –
//	hello      realm  [Hello]         –
//
// A realm answers a start with any number of calls, logs and progress frames
// and then exactly one return or throw. A check is answered by one checked, and
// there is no realm meanwhile.
//
// The one trap: the caps protect whoever reads. A writer that is trusted to
// stay below them is checked all the same, as the other side is not trusted.
package wire
