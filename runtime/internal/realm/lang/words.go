package lang

import "strings"

// words are the names that need a family, wherever they are in a source.
var words = map[string]Parts{
	"asyncIterator": symbols, "dispose": symbols, "asyncDispose": symbols,
	"Iterator": iterators | newIterators | symbols, "toArray": iterators,
	"zipKeyed": iterators | newIterators, "chunks": iterators | newIterators, "windows": iterators | newIterators,
	"groupBy": collections, "getOrInsert": collections, "getOrInsertComputed": collections,
	"withResolvers": promises,
	"fromAsync":     arrays | symbols,
	"Proxy":         proxied, "species": proxied,
	"isWellFormed": texts, "toWellFormed": texts, "fontcolor": texts, "fontsize": texts,
	"WeakRef": weak, "FinalizationRegistry": weak,
	"__defineGetter__": legacy, "__defineSetter__": legacy, "__lookupGetter__": legacy, "__lookupSetter__": legacy,
	"getYear": legacy, "setYear": legacy, "toGMTString": legacy, "unscopables": legacy,
	"sumPrecise": numbers, "f16round": numbers, "getFloat16": numbers, "setFloat16": numbers,
	"captureStackTrace": failures, "stackTraceLimit": failures, "SuppressedError": disposal | symbols,
	"transferToFixedLength": buffers, "detached": buffers,
	"DisposableStack": disposal | symbols, "AsyncDisposableStack": disposal | symbols,
	"Intl": locale, "toLocaleString": locale, "toLocaleDateString": locale, "toLocaleTimeString": locale,
	"localeCompare": locale, "toLocaleUpperCase": locale, "toLocaleLowerCase": locale,
	"getOwnPropertyNames": everything, "getOwnPropertyDescriptors": everything, "ownKeys": everything,
}

// members need a family where they are the name of a property: most are common words.
var members = map[string]Parts{
	"try":    promises,
	"escape": texts, "anchor": texts, "big": texts, "blink": texts, "bold": texts, "fixed": texts, "italics": texts,
	"link": texts, "small": texts, "strike": texts, "sub": texts, "sup": texts,
	"transfer": buffers,
}

// Names of methods of iterators, and those that tell that a source may have an iterator at
// hand: what returns one, but for Object.keys and the like, which return arrays.
var (
	helpers = set("map", "filter", "take", "drop", "flatMap", "reduce", "forEach", "some", "every", "find", "includes")
	givers  = set("iterator", "matchAll", "yield", "values", "keys", "entries")
)

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// In finds the families whose names a source has. It reads the text and no syntax: a name in
// a comment counts.
func In(source string) (parts Parts) {
	var helps, gives bool
	var newer Parts // if it has iterators
	last := ""      // word
	for at := 0; at < len(source); {
		if !letter(source[at]) {
			at++
			continue
		}
		start := at
		for at < len(source) && (letter(source[at]) || '0' <= source[at] && source[at] <= '9') {
			at++
		}
		word := source[start:at]
		parts |= words[word]
		if part := members[word]; part&^parts != 0 && isMember(source, start, at) {
			parts |= part
		}
		if word == "from" && last != "Array" && strings.HasSuffix(last, "Array") {
			parts |= typed
		}
		if word == "includes" {
			newer = newIterators
		}
		helps = helps || helpers[word]
		gives = gives || givers[word] && last != "Object"
		last = word
	}
	if helps && gives {
		parts |= iterators | newer
	}
	return parts
}

// isMember reports whether the word in source[start:end] may name a property: it follows a
// dot or a quote, or a colon, a comma or a brace follows.
func isMember(source string, start, end int) bool {
	if start > 0 {
		switch source[start-1] {
		case '.', '"', '\'', '`':
			return true
		}
	}
	for ; end < len(source); end++ {
		switch source[end] {
		case ' ', '\t', '\n', '\r':
		case ':', ',', '}':
			return true
		default:
			return false
		}
	}
	return false
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80 }
