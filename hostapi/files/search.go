package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

var searchDef = &definition{
	name: "search",
	data: `as grep and glob; for bm25 [{file, score, line, text}], the best first; text is the first 1,000 bytes of the line that has most of the words`, metadata: `as grep and glob; for bm25 files of more than 1 MiB are large`,
	effect: hostapi.EffectRead, paths: ofPath, folder: true, much: true, do: search,
	summary: "Searches files: by regular expression (grep), by name (glob), or by relevance to words (bm25).",
	schema: `{"type":"object","required":["mode","query"],"additionalProperties":false,"properties":{
		"mode":{"enum":["grep","glob","bm25"],"description":"how query is taken"},
		"query":{"type":"string","minLength":1,"description":"a regular expression, a pattern of names, or words"},
		"path":{"type":"string","default":".","description":"the folder, or a file"},
		"include":{"type":"string","description":"only files that match, such as *.go; not for glob"},
		` + grepSchema + `,
		"details":{"type":"boolean","default":false,"description":"glob: data is [{path, type, size, modified}] in place of [path]"},
		` + sortSchema + `,"limit":{"type":"integer","minimum":1,"maximum":50000,"description":"how many; if it is left out 20 of bm25, and else all that fit, 50000 at most"},
		` + cursorSchema + `,` + ignoreSchema + `}}`,
}

func search(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	switch args.Mode {
	case "grep":
		return grep(ctx, w, args, args.Query, args.Include)
	case "glob":
		return glob(ctx, w, args, args.Query)
	}
	return rank(ctx, w, args)
}

// The bounds of a ranked search, and the usual constants of BM25 (Robertson
// and Zaragoza, 2009).
const (
	maxRanked   = 20_000
	maxQuery    = 4096 // bytes
	maxTerms    = 256  // each is counted in each file
	maxDocument = 1 << 20
	shownRanks  = 20
	k1, b       = 1.2, 0.75
)

// document is a file that holds some of the words.
type document struct {
	File  string  `json:"file"`
	Score float64 `json:"score"`
	Line  int     `json:"line"`
	Text  string  `json:"text"`

	counts []int
	length int
}

func rank(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	if size := len(args.Query); size > maxQuery {
		return hostapi.Result{}, fmt.Errorf("the query has %d bytes; %d is the most", size, maxQuery)
	}
	terms := slices.Compact(slices.Sorted(slices.Values(words(args.Query))))
	if len(terms) == 0 {
		return hostapi.Result{}, errors.New("the query holds no words")
	}
	if len(terms) > maxTerms {
		return hostapi.Result{}, fmt.Errorf("the query has %d different words; %d is the most", len(terms), maxTerms)
	}
	at := args.at[0]
	wanted, err := wantedFiles(at, args.Include)
	if err != nil {
		return hostapi.Result{}, err
	}
	from, err := cursorOf(args)
	if err != nil {
		return hostapi.Result{}, err
	}
	var found []document
	total, length := 0, 0
	how := walkingOf(args)
	how.largest = maxDocument
	err = w.walk(ctx, at, how, func(file walked) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !file.regular && file.path == at.rel {
			return &aboutError{path: at.given, err: errIrregular}
		}
		if !file.regular || !wanted(below(at.rel, file.path)) {
			return nil
		}
		if total == maxRanked {
			how.complete, how.ended = false, fmt.Sprintf("bm25 ranks no more than %d files", maxRanked)
			return errEnough
		}
		text, _, err := readAll(file.in, file.name, file.path, maxDocument)
		switch {
		case err != nil && file.path == at.rel:
			return err
		case errors.Is(err, errLarge):
			how.skips.Large++
			return nil
		case err != nil:
			how.skips.Unreadable++
			return nil
		case isBinary(text):
			if file.path == at.rel {
				return binaryError(at.given, int64(len(text)), "bm25")
			}
			how.skips.passBinary(isUTF16(text))
			return nil
		}
		d := count(file.path, string(text), terms)
		total++
		length += d.length
		if slices.Max(d.counts) > 0 {
			found = append(found, d)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return hostapi.Result{}, err
	}
	score(found, len(terms), total, length)
	slices.SortFunc(found, func(x, y document) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), strings.Compare(x.File, y.File))
	})
	how.last = cursor{}
	rest, err := goOn(found, from, func(d document) string { return d.File })
	if err != nil {
		return hostapi.Result{}, err
	}
	list := pageOf(ctx, args, shownRanks)
	list.ordered = true
	list.asked = true // nobody wants all that is a little relevant
	for _, d := range rest {
		if !list.add(cursor{path: d.File}, fmt.Sprintf("%.2f %s:%d:%s", d.Score, shown(d.File), d.Line, d.Text), d) {
			break
		}
	}
	return list.result(how, map[string]any{})
}

// maxLine is how much is shown of the line of a document that has most of the terms, in bytes.
const maxLine = 1000

// shownLine is a line as text, cut if it is long, and saying so.
func shownLine(line string) string {
	text := lineText([]byte(line))
	if len(text) > maxLine {
		return fmt.Sprintf("%s … (%d bytes)", clip.Head(text, maxLine), len(line))
	}
	return text
}

// count counts the terms in a text and remembers the line that has most of
// them.
func count(file, text string, terms []string) document {
	d := document{File: file, counts: make([]int, len(terms))}
	best, number := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		here := 0
		for _, word := range words(line) {
			d.length++
			if i, ok := slices.BinarySearch(terms, word); ok {
				d.counts[i]++
				here++
			}
		}
		if here > best {
			best, d.Line, d.Text = here, number, strings.TrimSpace(shownLine(line))
		}
	}
	return d
}

// score rates documents against a collection of total documents with length
// words in all.
func score(found []document, terms, total, length int) {
	average := float64(length) / float64(max(total, 1))
	for term := range terms {
		with := 0
		for _, d := range found {
			if d.counts[term] > 0 {
				with++
			}
		}
		rarity := math.Log(1 + (float64(total-with)+0.5)/(float64(with)+0.5))
		for i := range found {
			d := &found[i]
			f := float64(d.counts[term])
			d.Score += rarity * f * (k1 + 1) / (f + k1*(1-b+b*float64(d.length)/max(average, 1)))
		}
	}
	for i := range found {
		found[i].Score = math.Round(found[i].Score*1000) / 1000
	}
}

// words are the runs of letters and digits, in lower case; the parts of a
// camelCase name count, too.
func words(text string) []string {
	var out []string
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out = append(out, strings.ToLower(run))
		from := 0
		runes := []rune(run)
		for i := 1; i < len(runes); i++ {
			if unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i-1]) {
				out = append(out, strings.ToLower(string(runes[from:i])))
				from = i
			}
		}
		if from > 0 {
			out = append(out, strings.ToLower(string(runes[from:])))
		}
	}
	return out
}
