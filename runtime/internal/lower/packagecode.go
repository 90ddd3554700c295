package lower

import (
	"regexp"
	"strings"
	"sync"
)

// defined is what stands for names of Node and browsers in packages. Bundlers for browsers agree
// on it; without it a package asks for code that is made of strings.
func (b *bundle) defined() map[string]string {
	if !b.packages {
		return nil
	}
	return map[string]string{"global": "globalThis", "self": "globalThis", "process.env.NODE_ENV": `"production"`}
}

// smallZod makes a file import zod's names one by one. Through its export z, an object of all of
// them, 800 KB are needed, in place of a fifth of that. The import is that of the file if nothing
// else in it names the package; then the name stands where it stood.
func smallZod(text string) string {
	at := namedZod().FindAllStringIndex(text, 2)
	if len(at) != 1 || strings.Count(text, `"zod"`)+strings.Count(text, "'zod'")+strings.Count(text, "`zod`") != 1 {
		return text
	}
	before, after := at[0][0], at[0][1]
	name := after - len(`"zod"`)
	const small = "import*as z from"
	if len(small) > name-before {
		return text
	}
	return text[:before] + small + strings.Repeat(" ", name-before-len(small)) + text[name:]
}

var namedZod = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`import[ \t]*\{[ \t]*z[ \t]*\}[ \t]*from[ \t]*(?:"zod"|'zod')`)
})
