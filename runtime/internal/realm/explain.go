package realm

import (
	"slices"
	"strings"
)

// What to write instead of syntax that the engine does not read. The first ones are lowered;
// nobody sees them.
const (
	noForAwait   = "for await is not read by the engine"
	noGenerators = "async generators are not read by the engine"
	noUsing      = "using is not read by the engine"
	noDecorators = "decorators are not read by the engine"
	noAccessor   = "accessor is not read by the engine"
	noFieldName  = "a field of a class that is called async, get, set or static is not read by the engine"
	noImport     = "import: only a tool file can import, from its folder; code that has no folder cannot"
	noReexport   = "export … from: only a tool file can import, from its folder; code that has no folder cannot"
	noExport     = "this form of export is not supported; write export default async function run(ctx, inputs) { … }"
	noComputed   = "import() needs a text that is written there, as in import(\"./x.js\")"
	exportInside = "export belongs to the top level of a file"
	noMeta       = "import.meta: a tool file has no address; what depends on a place comes in the inputs"
	noSuper      = "; it belongs in methods and constructors: a field that needs it is set in the constructor"
	// Of { a: [b = 1] = [] }, which the engine reads in an assignment alone.
	noInnerDefault = "a default in an array pattern that has a default itself is not read by the engine; take it apart in two steps, as in const { a: list = [] } = x, [b = 1] = list"
	noSuperThere   = "super in an async generator is not read; put it into a method of its own, as in base() { return super.m() }, and call that"
	noMarkup       = "; if this is JSX, build the text with a template instead"
	noTypes        = "; if this is a type of TypeScript, leave it out, or let the name of the file end in .ts"
)

// noRow is of #x in o instanceof C, after which the engine reads no other comparison.
const noRow = "; #x in o needs parentheses beside another comparison, as in (#x in o) === true"

// asksPrivately matches a text that ends in #x in o.
var asksPrivately = pattern(`#[\p{L}\p{N}_$]+\s+in\s+[^;{}]+$`)

// defaulted matches a name with a default.
var defaulted = pattern(`^[\p{L}\p{N}_$]+\s*=[^=>]`)

// explain adds what to do about forms that other engines support.
func explain(src string, offset int, msg string) string {
	offset = min(offset, len(src))
	rest, before := src[offset:], strings.TrimRight(src[:offset], " \t\n")
	switch {
	case startsWord(rest, "import") && strings.HasPrefix(strings.TrimLeft(rest[len("import"):], " \t"), ".meta"):
		return noMeta
	case startsWord(rest, "import"):
		return noImport
	case startsWord(rest, "export"):
		return exportInside
	case startsWord(rest, "await") && endsWord(before, "for"):
		return noForAwait
	case strings.Contains(msg, "sync generators"), strings.HasSuffix(msg, "token *") && endsWord(strings.TrimRight(strings.TrimSuffix(before, "*"), " \t\n"), "async"):
		return noGenerators
	case endsWord(before, "using") && rest != "" && inWord(rest[0]):
		return noUsing
	case strings.HasPrefix(rest, "@"):
		return noDecorators
	case endsWord(before, "accessor") && rest != "" && (inWord(rest[0]) || rest[0] == '#'):
		return noAccessor
	case strings.HasSuffix(msg, "token =") && endsFieldName(before): // the place is behind the =
		return noFieldName
	case startsWord(rest, "await"), strings.HasSuffix(strings.TrimRight(src[:offset], " \t"), "await"):
		return "await works in async functions only: " + lowerFirst(msg)
	case strings.Contains(msg, "ILLEGAL") && (strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, `"`)):
		return "the text that begins here is not closed in its line"
	case strings.Contains(msg, "ILLEGAL") && strings.HasPrefix(rest, "`"):
		return "the template that begins here is not closed"
	case startsWord(rest, "return"):
		return "return belongs in a function; write export default async function run(ctx, inputs) { … } around it"
	case strings.Contains(msg, "Invalid destructuring binding target") && defaulted().MatchString(rest):
		return noInnerDefault
	case (startsWord(rest, "instanceof") || startsWord(rest, "in") || strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, ">")) && asksPrivately().MatchString(lastLine(before)):
		return lowerFirst(msg) + noRow
	case startsWord(rest, "super") && inAsyncGenerator(src[:offset]):
		return noSuperThere
	case startsWord(rest, "super"):
		return lowerFirst(msg) + noSuper
	case strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, "?:"), strings.HasPrefix(rest, "!."), startsWord(rest, "as"), startsWord(rest, "satisfies"), startsWord(rest, "enum"), typed(src[:offset]):
		return lowerFirst(msg) + noTypes
	case strings.HasPrefix(rest, "<") && len(rest) > 1 && (rest[1] == '>' || inWord(rest[1])):
		return lowerFirst(msg) + noMarkup
	}
	return lowerFirst(msg)
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// inAsyncGenerator reports whether lowered code ends in the body of an async generator. It counts
// braces in texts as well.
func inAsyncGenerator(before string) bool {
	const call = "__asyncGenerator"
	if !strings.Contains(before, "var "+call) {
		return false
	}
	body := before[strings.LastIndex(before, "return "+call)+1:]
	return len(body) < len(before) && strings.Count(body, "{") > strings.Count(body, "}")
}

// endsFieldName reports whether a text ends in a = after a word that begins a method, and can be a name.
func endsFieldName(text string) bool {
	text, ok := strings.CutSuffix(text, "=")
	if text = strings.TrimRight(text, " \t\r\n"); !ok {
		return false
	}
	return slices.ContainsFunc([]string{"async", "get", "set", "static"}, func(word string) bool { return endsWord(text, word) })
}

// endsWord reports whether a text ends in a word.
func endsWord(text, word string) bool {
	before, ok := strings.CutSuffix(text, word)
	return ok && (before == "" || !inWord(before[len(before)-1]) && before[len(before)-1] != '.')
}

// typed reports whether a declaration of a type ends here, before its name or what it holds.
func typed(before string) bool {
	words := strings.Fields(before[strings.LastIndexAny(before, ";{}\n")+1:])
	return len(words) > 0 && slices.Contains([]string{"type", "interface", "declare", "enum", "namespace"}, words[0])
}
