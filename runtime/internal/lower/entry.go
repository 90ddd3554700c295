package lower

import (
	"encoding/json"

	"github.com/evanw/esbuild/pkg/api"
)

// The entry is looked for in the entry's own file, before anything is put together: in a bundle
// a function of another file can have its name, and tree shaking drops one that is not exported.

// form is how a file gives its entry.
type form int

const (
	formNone     form = iota // it gives none
	formDefault              // export default
	formRun                  // an export that is called run
	formPlain                // a function or a constant called run, exported or not
	formCommonJS             // module.exports, or exports.run
)

// export is the name under which the bundle exports the entry.
func (f form) export() string {
	switch f {
	case formNone:
		return ""
	case formRun:
		return "run"
	}
	return "default"
}

// ofEntry is what esbuild calls what takes the entry out of the exports of CommonJS.
const ofEntry = "entry"

// asExport is what the exports of CommonJS give as the entry.
const asExport = `export default (made => typeof made === "function" ? made : made.run || made.default)(require("entry"))`

// plainExport exports a function of the file.
const plainExport = "\nexport { run as default };"

// formOf is how the entry's file gives its entry, in a bundle whose packages are empty.
func (b *bundle) formOf(metafile, text string) (form, error) {
	var meta struct {
		Inputs map[string]struct {
			Format string `json:"format"`
		} `json:"inputs"`
		Outputs map[string]struct {
			Exports []string `json:"exports"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return formNone, err
	}
	if meta.Inputs[space+":"+b.entry.Name].Format == "cjs" {
		return formCommonJS, nil
	}
	found := formNone
	for _, output := range meta.Outputs {
		for _, name := range output.Exports {
			switch name {
			case "default":
				return formDefault, nil
			case "run":
				found = formRun
			}
		}
	}
	// What the file declares comes before what it passes on with export *.
	if b.entry.Declares != nil {
		if script, ok := b.script(text); ok && b.entry.Declares(script) {
			found = formPlain
		}
	}
	return found, nil
}

// script is a text without imports and exports, which declares what the text does.
func (b *bundle) script(text string) (string, bool) {
	loader := api.LoaderJS
	if b.entry.TypeScript {
		loader = api.LoaderTS
	}
	result := api.Transform(withoutMap(text), api.TransformOptions{
		Loader: loader, Format: api.FormatCommonJS, Target: api.ESNext, Supported: b.entry.lacking(), TsconfigRaw: settings,
		Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
	})
	return string(result.Code), len(result.Errors) == 0
}

// loadEntry gives esbuild what takes the entry out of the exports of CommonJS.
func loadEntry(api.OnLoadArgs) (api.OnLoadResult, error) {
	code := asExport
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
}
