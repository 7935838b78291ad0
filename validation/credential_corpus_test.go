package validation_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/validation"
)

// corpusLine is a line of a file in testdata/credentials.
type corpusLine struct {
	number          int
	kind, key, text string
}

// readCorpus reads such a file, whose lines have the given number of columns.
func readCorpus(tb testing.TB, name string, columns int) []corpusLine {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", "credentials", name))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var lines []corpusLine
	scanner := bufio.NewScanner(f)
	for number := 1; scanner.Scan(); number++ {
		if scanner.Text() == "" || strings.HasPrefix(scanner.Text(), "#") {
			continue
		}
		cells := strings.SplitN(scanner.Text(), " | ", columns)
		if len(cells) != columns {
			tb.Fatalf("%s:%d: %d columns, want %d", name, number, len(cells), columns)
		}
		line := corpusLine{number: number, text: cells[columns-1], key: cells[columns-2]}
		if columns > 2 {
			line.kind = cells[0]
		}
		if line.key == "-" {
			line.key = ""
		}
		lines = append(lines, line)
	}
	if err := scanner.Err(); err != nil {
		tb.Fatal(err)
	}
	return lines
}

const (
	corpusDigits  = "0123456789"
	corpusLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// corpusAlphabets are the alphabets that a template may name.
var corpusAlphabets = map[string]string{
	"digits":    corpusDigits,
	"hex":       corpusDigits + "abcdef",
	"HEX":       corpusDigits + "ABCDEF",
	"base32":    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"bech32":    "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
	"base36":    corpusDigits + "abcdefghijklmnopqrstuvwxyz",
	"base62":    corpusDigits + corpusLetters,
	"base64":    corpusDigits + corpusLetters + "+/",
	"base64url": corpusDigits + corpusLetters + "-_",
	"letters":   corpusLetters,
	"password":  corpusDigits + corpusLetters + corpusDigits + corpusLetters + "!#%*+-.=^_~",
}

var corpusPart = regexp.MustCompile(`\{(base64json|base64text):((?:[^{}]|\{[^{}]*\})*)\}|\{uuid\}|\{([A-Za-z0-9]+):(\d+)\}`)

// expand makes up the random parts of a template.
func expand(template string, seed uint64) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	text := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(template)
	return corpusPart.ReplaceAllStringFunc(text, func(part string) string {
		m := corpusPart.FindStringSubmatch(part)
		switch {
		case part == "{uuid}":
			hex := corpusAlphabets["hex"]
			return fmt.Sprintf("%s-%s-4%s-a%s-%s", pick(rnd, hex, 8), pick(rnd, hex, 4), pick(rnd, hex, 3), pick(rnd, hex, 3), pick(rnd, hex, 12))
		case m[1] == "base64json":
			return base64.RawURLEncoding.EncodeToString([]byte(m[2]))
		case m[1] == "base64text":
			return base64.StdEncoding.EncodeToString([]byte(m[2]))
		}
		n, err := strconv.Atoi(m[4])
		if err != nil {
			return part
		}
		if m[3] == "key" {
			lines := make([]string, n)
			for i := range lines {
				lines[i] = pick(rnd, corpusAlphabets["base64"], 64)
			}
			return strings.Join(lines, "\n")
		}
		return pick(rnd, corpusAlphabets[m[3]], n)
	})
}

// pick makes up n characters. If the alphabet has letters and digits, so has the result.
func pick(rnd *rand.Rand, alphabet string, n int) string {
	for {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		s := string(b)
		letters, digits := strings.ContainsAny(s, corpusLetters), strings.ContainsAny(s, corpusDigits)
		if n < 4 || letters == strings.ContainsAny(alphabet, corpusLetters) && digits == strings.ContainsAny(alphabet, corpusDigits) {
			return s
		}
	}
}

// expectation cuts the marks out of a text and says what must be found in it.
func expectation(line corpusLine, text string) (string, validation.Finding) {
	before, rest, marked := strings.Cut(text, "«")
	if !marked {
		return text, validation.Finding{Kind: line.kind, Start: 0, End: len(text)}
	}
	middle, after, _ := strings.Cut(rest, "»")
	return before + middle + after, validation.Finding{Kind: line.kind, Start: len(before), End: len(before) + len(middle)}
}

// corpusSeeds is how many texts are made of each line.
const corpusSeeds = 40

// TestDetectsCorpus makes many texts of each line of true.txt and wants exactly what is marked in each. A
// random text now and then does not look random: one in a hundred may be missed of those that have no
// known form, and none of the others.
func TestDetectsCorpus(t *testing.T) {
	lines := readCorpus(t, "true.txt", 3)
	if len(lines) < 60 {
		t.Errorf("%d lines, want at least 60", len(lines))
	}
	texts, missed := 0, 0
	for _, line := range lines {
		for seed := range uint64(corpusSeeds) {
			text, want := expectation(line, expand(line.text, 1000*uint64(line.number)+seed))
			found := validation.DetectNamed(line.key, text)
			texts++
			if found == nil && strings.HasPrefix(line.kind, "random") {
				t.Logf("true.txt:%d: not found: %s: %s", line.number, line.key, text)
				missed++
				continue
			}
			if diff := cmp.Diff([]validation.Finding{want}, found); diff != "" {
				t.Errorf("true.txt:%d: %s: %s (-want +got):\n%s", line.number, line.key, text, diff)
			}
		}
	}
	t.Logf("%d texts, %d missed", texts, missed)
	if missed*100 > texts {
		t.Errorf("%d of %d missed, want at most one in a hundred", missed, texts)
	}
}

// TestDetectsInContext puts each known credential into the places where they are met.
func TestDetectsInContext(t *testing.T) {
	contexts := [][2]string{
		{`{"a":"`, `","b":1}`},
		{`{\"a\":\"`, `\"}`},
		{`line one\n`, `\nline three`},
		{"line one\n", "\nline three"},
		{"token=", "&x=1"},
		{"export X='", "'"},
		{"say ", "."},
		{"say ", ", then"},
		{"<td>", "</td>"},
		{"(", ")"},
		{`\u0026`, `\u0026`},
		{"https://host.example/x?t=", "#top"},
		{"%20", "%20"},
	}
	for _, line := range readCorpus(t, "true.txt", 3) {
		if line.key != "" || strings.Contains(line.text, "«") || strings.HasPrefix(line.text, "s.") {
			continue
		}
		token := expand(line.text, uint64(line.number))
		for _, context := range contexts {
			text := context[0] + token + context[1]
			want := []validation.Finding{{Kind: line.kind, Start: len(context[0]), End: len(context[0]) + len(token)}}
			if diff := cmp.Diff(want, validation.DetectCredentials(text)); diff != "" {
				t.Errorf("true.txt:%d: %s (-want +got):\n%s", line.number, text, diff)
			}
		}
	}
}

// TestSparesLookalikes wants nothing to be found in any text made of lookalike.txt.
func TestSparesLookalikes(t *testing.T) {
	lines := readCorpus(t, "lookalike.txt", 2)
	if len(lines) < 60 {
		t.Errorf("%d lines, want at least 60", len(lines))
	}
	for _, line := range lines {
		for seed := range uint64(corpusSeeds) {
			text := expand(line.text, 1000*uint64(line.number)+seed)
			if found := validation.DetectNamed(line.key, text); found != nil {
				t.Errorf("lookalike.txt:%d: %v in %s: %s", line.number, found, line.key, text)
				break
			}
		}
	}
}
