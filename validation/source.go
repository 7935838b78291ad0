package validation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	maxFileSize  = 1 << 20
	maxFileDepth = 32
)

// readDocument turns the source of a policy file into its one document, a tree
// without anchors, aliases and tags. It returns nil when there is none to go on
// with; what is wrong is in ps.
func readDocument(src []byte, ps *problems) *yaml.Node {
	start := place{line: 1, column: 1}
	switch {
	case len(src) > maxFileSize:
		ps.add(place{}, "", "must not be larger than 1 MiB")
		return nil
	case !utf8.Valid(src):
		ps.add(place{}, "", "must be UTF-8")
		return nil
	case len(bytes.TrimSpace(src)) == 0:
		ps.add(start, "", "must not be empty; the least is a version and a default section")
		return nil
	}
	var root *yaml.Node
	if json.Valid(src) {
		root = readJSON(src)
	} else {
		root = readYAML(src, ps)
	}
	if root == nil || !refuseFeatures(root, newLines(src), 1, ps) {
		return nil
	}
	return root
}

// readYAML reads the one document of src.
func readYAML(src []byte, ps *problems) *yaml.Node {
	if at, found := directive(src); found {
		ps.add(at, "", "must not have directives")
		return nil
	}
	if at, found := foreignBreak(src); found {
		ps.add(at, "", "must have line feeds as line breaks, with or without carriage returns before them")
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	var document yaml.Node
	if err := decodeNode(decoder, &document); err != nil {
		if errors.Is(err, io.EOF) {
			ps.add(place{line: 1, column: 1}, "", "must not be empty; the least is a version and a default section")
			return nil
		}
		addSyntaxProblem(src, err, ps)
		return nil
	}
	var second yaml.Node
	switch err := decodeNode(decoder, &second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		addSyntaxProblem(src, err, ps)
		return nil
	default:
		ps.add(placeOf(&second), "", "must hold one document; a second one begins here")
		return nil
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		ps.add(place{line: 1, column: 1}, "", "must be a mapping")
		return nil
	}
	return document.Content[0]
}

// errYAML stands for a panic of the YAML library.
var errYAML = errors.New("yaml: not understood")

// decodeNode reads one document. A panic of the library becomes an error: a file
// that is followed must not end the worker.
func decodeNode(decoder *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if recover() != nil {
			err = errYAML
		}
	}()
	return decoder.Decode(n)
}

// directive finds a line that begins with "%" before the document.
func directive(src []byte) (place, bool) {
	for i, line := range bytes.Split(src, []byte("\n")) {
		switch text := bytes.TrimSpace(line); {
		case bytes.HasPrefix(line, []byte("%")):
			return place{line: i + 1, column: 1}, true
		case len(text) != 0 && text[0] != '#':
			return place{}, false
		}
	}
	return place{}, false
}

// foreignBreak finds a line break of another kind. The YAML library takes them for
// breaks, YAML 1.2 and editors do not, and places would be off by a line.
func foreignBreak(src []byte) (place, bool) {
	for i, r := range string(src) {
		switch r {
		case '\u0085', '\u2028', '\u2029':
			return placeOfOffset(src, i), true
		case '\r':
			if i+1 < len(src) && src[i+1] != '\n' {
				return placeOfOffset(src, i), true
			}
		}
	}
	return place{}, false
}

var (
	yamlErrorText   = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?([a-zA-Z0-9 ',.:<>!/{}\[\]-]+)$`)
	yamlAnchorError = regexp.MustCompile(`(?s)^yaml: unknown anchor '(.*)' referenced$`)
)

// addSyntaxProblem reports what the YAML library found. Its texts are shown only
// when they are among the fixed ones, since others may quote the file.
func addSyntaxProblem(src []byte, err error, ps *problems) {
	if m := yamlAnchorError.FindStringSubmatch(err.Error()); m != nil {
		ps.add(placeOfText(src, "*"+m[1]), "", "must not have %s", aliases)
		return
	}
	at, text := place{line: 1, column: 1}, "is not valid YAML"
	if m := yamlErrorText.FindStringSubmatch(err.Error()); m != nil {
		if line, convErr := strconv.Atoi(m[1]); convErr == nil {
			if strings.HasPrefix(m[2], "did not find expected") && !strings.HasSuffix(m[2], "line break") {
				line++ // the library counts the lines of these from 0
			}
			line = max(1, min(line, bytes.Count(src, []byte("\n"))+1))
			at = place{line: line, column: firstColumn(src, line)}
		}
		if isKnownYAMLText(m[2]) {
			text = "is not valid YAML near this line: " + m[2]
		}
		switch tab, indented := placeOfTab(src, at.line); {
		case m[2] == controlCharacters:
			at, text = placeOfControl(src), "must not hold control characters"
		case m[2] == noAnchorName:
			text = "must have quotes around a text that begins with * or &, as YAML takes it for an alias or an anchor"
		case indented && (m[2] == noToken || strings.Contains(m[2], "tab character")):
			at, text = tab, "must be indented with spaces: a tab stands here"
		}
	}
	ps.add(at, "", "%s", text)
}

// aliases is what a file must not have, and what was meant where one stands.
const aliases = `aliases; a text that begins with * needs quotes, as in "*/0/note"`

// noAnchorName is what the library says of a star or an ampersand alone.
const noAnchorName = "did not find expected alphabetic or numeric character"

// noToken is what the library says of a tab, and of some other characters.
const noToken = "found character that cannot start any token"

// controlCharacters is what the library says of them, without a place.
const controlCharacters = "control characters are not allowed"

// isKnownYAMLText accepts the texts of the scanner and parser that hold nothing
// of the source.
func isKnownYAMLText(s string) bool {
	for _, known := range []string{
		"could not find expected ':'",
		"did not find expected key",
		"did not find expected node content",
		"did not find expected '-' indicator",
		"did not find expected ',' or ']'",
		"did not find expected ',' or '}'",
		"did not find expected <document start>",
		"did not find expected comment or line break",
		"mapping values are not allowed in this context",
		"mapping keys are not allowed in this context",
		"block sequence entries are not allowed in this context",
		noToken,
		"found unexpected end of stream",
		"found unexpected document indicator",
		"found unknown escape character",
		"found a tab character where an indentation space is expected",
		"found a tab character that violates indentation",
	} {
		if s == known {
			return true
		}
	}
	return false
}

// placeOfText returns where text first stands in src.
func placeOfText(src []byte, text string) place {
	return placeOfOffset(src, bytes.Index(src, []byte(text)))
}

// placeOfControl returns where the first control character stands.
func placeOfControl(src []byte) place {
	return placeOfOffset(src, bytes.IndexFunc(src, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	}))
}

// placeOfTab returns where a tab indents a line, or the one behind it: the library
// is not sure which it complains about.
func placeOfTab(src []byte, line int) (place, bool) {
	all := bytes.Split(src, []byte("\n"))
	for i := line; i <= min(line+1, len(all)); i++ {
		text := all[i-1]
		indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 {
			return place{line: i, column: tab + 1}, true
		}
	}
	return place{}, false
}

// placeOfOffset returns the place of a byte, the beginning when offset is -1.
func placeOfOffset(src []byte, offset int) place {
	before := src[:max(0, offset)]
	lastLine := before[bytes.LastIndexByte(before, '\n')+1:]
	return place{line: bytes.Count(before, []byte("\n")) + 1, column: utf8.RuneCount(lastLine) + 1}
}

// firstColumn returns where the text of a line begins.
func firstColumn(src []byte, line int) int {
	text := string(bytes.Split(src, []byte("\n"))[line-1])
	return len(text) - len(strings.TrimLeft(text, " \t")) + 1
}

// refuseFeatures reports anchors, aliases, tags, merge keys and too deep nesting,
// and whether the tree can be gone on with.
func refuseFeatures(n *yaml.Node, src *lines, depth int, ps *problems) bool {
	at := placeOf(n)
	if depth > maxFileDepth {
		ps.add(at, "", "must not be nested deeper than %d levels", maxFileDepth)
		return false
	}
	ok := true
	refuse := func(what string) {
		ps.add(at, "", "must not have %s", what)
		ok = false
	}
	switch {
	case n.Kind == yaml.AliasNode:
		refuse(aliases)
		return false // its Alias would lead into a cycle
	case n.Anchor != "":
		refuse("anchors")
	case n.Tag == "!!merge":
		refuse("merge keys")
	case n.Style&yaml.TaggedStyle != 0, src.at(at) == '!' && isPlain(n), src.at(at) == '!' && n.Kind != yaml.ScalarNode:
		refuse("tags")
	}
	for _, child := range n.Content {
		ok = refuseFeatures(child, src, depth+1, ps) && ok
	}
	return ok
}

// lines is a source by its lines, with a cursor: nodes are asked for in their
// order, and counting the characters of a long line from its beginning each time
// would be quadratic.
type lines struct {
	text         [][]byte
	line, column int // of the cursor
	offset       int // of the cursor within its line
}

func newLines(src []byte) *lines { return &lines{text: bytes.Split(src, []byte("\n"))} }

// at returns the first byte of the character at a place, 0 when there is none.
func (l *lines) at(p place) byte {
	if p.line < 1 || p.line > len(l.text) {
		return 0
	}
	text := l.text[p.line-1]
	if p.line != l.line || p.column < l.column {
		l.line, l.column, l.offset = p.line, 1, 0
	}
	for l.column < p.column && l.offset < len(text) {
		_, size := utf8.DecodeRune(text[l.offset:])
		l.offset += size
		l.column++
	}
	if l.offset >= len(text) {
		return 0
	}
	return text[l.offset]
}
