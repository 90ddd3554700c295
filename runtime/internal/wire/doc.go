// Package wire is the protocol between a host and a realm: frames of bytes, never values.
//
// A [Frame] has a kind, a small JSON object (the head) and a JSON text that this package
// does not parse (the body). On a stream a frame is
//
//	kind (1 byte) · head length (4, big endian) · body length (4) · head · body
//
// [Reader] refuses a frame that exceeds its caps before it allocates memory for it, and both
// sides refuse JSON that is nested deeper than [MaxDepth] before they parse it.
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
//	need       realm  [Need]          –
//	given      host   [Given]         –
//	hello      realm  [Hello]         –
//
// A realm answers a start with any number of calls, operations, logs and progress frames and
// then exactly one return or throw. One checked answers a check; there is no realm meanwhile.
// Before that, a given answers each need.
//
// The caps protect the reader, which does not trust the writer. Writers check them too.
package wire
