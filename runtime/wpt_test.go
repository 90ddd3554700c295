package runtime_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// wpt is a copy of the tests of the web platform, which are not part of this repository:
// github.com/web-platform-tests/wpt.
var (
	wpt        = flag.String("wpt", "", "run the tests of the web platform in a `folder`, a copy of web-platform-tests/wpt")
	wptVerbose = flag.Bool("wpt.failed", false, "show each test of the web platform that fails")
)

// wptSuites are the tests that apply to scripts, and how many of a hundred have to pass. What
// needs a page, a worker or a stream is left out.
var wptSuites = []struct {
	name    string
	goal    int
	files   []string // patterns below the folder
	without string   // parts of the names of files that are left out
}{
	{"URL parse", 98, []string{"url/url-constructor.any.js", "url/url-statics-*.any.js", "url/historical.any.js", "url/url-tojson.any.js"}, ""},
	{"URL setters", 95, []string{"url/url-setters.any.js", "url/url-setters-stripping.any.js"}, ""},
	{"URL origin", 98, []string{"url/url-origin.any.js"}, ""},
	{"URL names", 90, []string{"url/toascii.window.js", "url/IdnaTestV2.window.js"}, ""},
	{"URLSearchParams", 100, []string{"url/urlsearchparams-*.any.js", "url/url-searchparams.any.js", "url/urlencoded-parser.any.js"}, ""},
	{"base64", 100, []string{"html/webappapis/atob/base64.any.js"}, ""},
	{"encoding", 90, []string{"encoding/*.any.js"}, "idlharness iso-2022 replacement unsupported-encodings"},
	{"structuredClone", 97, []string{"html/webappapis/structured-clone/structured-clone.any.js"}, ""},
	{"abort", 90, []string{"dom/abort/AbortSignal.any.js", "dom/abort/abort-signal-any.any.js", "dom/abort/event.any.js", "dom/abort/timeout.any.js"}, ""},
	{"events", 90, []string{"dom/events/*.any.js"}, "legacy"},
	{"DOMException", 90, []string{"webidl/ecmascript-binding/es-exceptions/*.any.js"}, ""},
	{"console", 85, []string{"console/*.any.js"}, "idlharness"},
	{"Blob", 80, []string{"FileAPI/blob/Blob-*.any.js"}, "stream newobject"},
	{"crypto", 90, []string{"WebCryptoAPI/digest/digest.https.any.js", "WebCryptoAPI/sign_verify/hmac.https.any.js", "WebCryptoAPI/getRandomValues.any.js", "WebCryptoAPI/randomUUID.https.any.js"}, ""},
	{"time", 85, []string{"hr-time/basic.any.js", "hr-time/monotonic-clock.any.js", "html/webappapis/microtask-queuing/queue-microtask.any.js"}, ""},
}

// wptResult is what testdata/wpt.js returns.
type wptResult struct {
	Passed    int
	Failed    []string
	Elsewhere int // about what scripts have not
}

// TestWebPlatform runs the tests of the web platform in a folder. It does nothing unless one
// is named.
func TestWebPlatform(t *testing.T) {
	if *wpt == "" {
		return
	}
	harness, err := os.ReadFile("testdata/wpt.js")
	if err != nil {
		t.Fatal(err)
	}
	runner := workers(t, runtime.Options{})
	for _, suite := range wptSuites {
		var all wptResult
		for _, pattern := range suite.files {
			files, err := filepath.Glob(filepath.Join(*wpt, filepath.FromSlash(pattern)))
			if err != nil || len(files) == 0 {
				t.Errorf("%s: %d files: %v", pattern, len(files), err)
			}
			for _, file := range files {
				if slices.ContainsFunc(strings.Fields(suite.without), func(part string) bool { return strings.Contains(filepath.Base(file), part) }) {
					continue
				}
				one, err := runWPT(t, runner, string(harness), file)
				if err != nil {
					one.Failed = append(one.Failed, filepath.Base(file)+": "+err.Error())
				}
				all.Passed, all.Elsewhere = all.Passed+one.Passed, all.Elsewhere+one.Elsewhere
				for _, failed := range one.Failed {
					all.Failed = append(all.Failed, filepath.Base(file)+": "+failed)
				}
			}
		}
		total := all.Passed + len(all.Failed)
		rate := 100 * float64(all.Passed) / float64(max(total, 1))
		t.Logf("%-16s %5d of %5d, %5.1f %% (goal %d), and %d about what is not here", suite.name, all.Passed, total, rate, suite.goal, all.Elsewhere)
		if rate < float64(suite.goal) {
			t.Errorf("%s: %.1f %%, less than %d", suite.name, rate, suite.goal)
		}
		if *wptVerbose {
			for _, failed := range all.Failed {
				t.Logf("    %s", failed)
			}
		}
	}
}

// wptScript matches the scripts that a test needs, and wptFetch the data that it fetches.
var (
	wptScript = regexp.MustCompile(`(?m)^// META: script=(\S+)`)
	wptFetch  = regexp.MustCompile(`fetch(?:_json)?\(['"]([^'"]+\.json)['"]`)
)

// runWPT runs one file with its scripts. The data that it fetches is the input.
func runWPT(t *testing.T, runner *runtime.Runner, harness, file string) (result wptResult, err error) {
	t.Helper()
	place := func(name string) string {
		if path, ok := strings.CutPrefix(name, "/"); ok {
			return filepath.Join(*wpt, filepath.FromSlash(path))
		}
		return filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
	}
	read := func(path string) string {
		text, readErr := os.ReadFile(path)
		if readErr != nil {
			err = readErr
		}
		return string(text)
	}
	source := read(file)
	body := ""
	for _, script := range wptScript.FindAllStringSubmatch(source, -1) {
		body += read(place(script[1])) + "\n;\n"
	}
	body += source
	data := map[string]json.RawMessage{}
	for _, fetched := range wptFetch.FindAllStringSubmatch(body, -1) {
		data[fetched[1]] = json.RawMessage(read(place(fetched[1])))
	}
	if err != nil {
		return result, err
	}
	inputs, err := json.Marshal(data)
	if err != nil {
		return result, err
	}
	program, err := runner.Compile(t.Context(), runtime.Source{Name: "wpt.js", Body: []byte(strings.Replace(harness, "/* TESTS */", body, 1))})
	if err != nil {
		return result, err
	}
	report := runner.Run(t.Context(), runtime.Request{Program: program, Inputs: inputs, Limits: runtime.Limits{MaxOutputBytes: 8 << 20, MaxMemoryBytes: 2 << 30}})
	if report.Err() != nil {
		return result, fmt.Errorf("%w", report.Err())
	}
	return result, json.Unmarshal(report.Value, &result)
}
