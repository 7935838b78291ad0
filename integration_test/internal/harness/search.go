package harness

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// window is how many bytes of a value in a row count as the value.
const window = 12

// Hit is a place in which a searched value, or a piece of it, was found.
type Hit struct {
	Where string
	// Form is how the value was written there: raw, json or base64.
	Form string
}

// String reads "history event 5 ActivityTaskScheduled (raw)".
func (h Hit) String() string { return fmt.Sprintf("%s (%s)", h.Where, h.Form) }

// Search looks for a value in every blob: any 12 bytes of it in a row (all of
// it when it is shorter), as they are, escaped for JSON, and in standard or URL
// base64 at each of the three alignments. A blob counts once for each form.
func Search(value string, blobs []Blob) []Hit {
	var hits []Hit
	for _, form := range forms(value) {
		for _, b := range blobs {
			if containsAny(b.Data, form.needles) {
				hits = append(hits, Hit{Where: b.Where, Form: form.name})
			}
		}
	}
	return hits
}

type form struct {
	name    string
	needles [][]byte
}

// forms lists what to look for. An empty value has no forms.
func forms(value string) []form {
	raw, escaped, encoded := form{name: "raw"}, form{name: "json"}, form{name: "base64"}
	for _, piece := range pieces(value) {
		raw.needles = append(raw.needles, piece)
		if e := escape(piece); !bytes.Equal(e, piece) {
			escaped.needles = append(escaped.needles, e)
		}
		for offset := range 3 {
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				if text := align(encoding, piece, offset); len(text) > 0 {
					encoded.needles = append(encoded.needles, text)
				}
			}
		}
	}
	return []form{raw, escaped, encoded}
}

func pieces(value string) [][]byte {
	if value == "" {
		return nil
	}
	if len(value) <= window {
		return [][]byte{[]byte(value)}
	}
	var all [][]byte
	for i := 0; i+window <= len(value); i++ {
		all = append(all, []byte(value[i:i+window]))
	}
	return all
}

func escape(piece []byte) []byte {
	quoted, err := json.Marshal(string(piece))
	if err != nil {
		return piece
	}
	return quoted[1 : len(quoted)-1]
}

// align encodes a piece that begins offset bytes into a three-byte group and
// cuts the characters that its neighbours have a part in.
func align(encoding *base64.Encoding, piece []byte, offset int) []byte {
	padded := append(make([]byte, offset), piece...)
	text := []byte(encoding.EncodeToString(padded))
	head := []int{0, 2, 3}[offset]
	if len(padded)%3 != 0 {
		text = text[:len(text)-1]
	}
	return text[head:]
}

func containsAny(data []byte, needles [][]byte) bool {
	for _, n := range needles {
		if bytes.Contains(data, n) {
			return true
		}
	}
	return false
}
