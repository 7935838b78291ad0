package validation

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// readJSON returns the tree of src, which is valid JSON, in the form that the
// YAML library gives its own. JSON is read by itself because YAML reads some of
// it differently: surrogate pairs in escapes, long keys.
func readJSON(src []byte) *yaml.Node {
	r := &jsonReader{src: src, decoder: json.NewDecoder(bytes.NewReader(src)), line: 1, column: 1}
	r.decoder.UseNumber()
	return r.node()
}

// jsonReader follows the decoder's offset with a line and a column.
type jsonReader struct {
	src          []byte
	decoder      *json.Decoder
	offset       int
	line, column int
}

// node reads one value. Depth is bounded by encoding/json.
func (r *jsonReader) node() *yaml.Node {
	at := r.next()
	token, err := r.decoder.Token()
	if err != nil {
		return nil // unreachable: the source is valid
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: at.line, Column: at.column}
	switch t := token.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		if t == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for r.decoder.More() {
			child := r.node()
			if child == nil {
				return nil
			}
			n.Content = append(n.Content, child)
		}
		if _, err := r.decoder.Token(); err != nil {
			return nil
		}
	case string:
		n.Tag, n.Value, n.Style = "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", t.String()
		if bytes.Trim([]byte(n.Value), "-0123456789") == nil || len(bytes.Trim([]byte(n.Value), "-0123456789")) == 0 {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if t {
			n.Value = "true"
		}
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n
}

// next moves to the next token and returns where it begins. Between two tokens
// stand blanks, commas and colons only.
func (r *jsonReader) next() place {
	r.advance(int(r.decoder.InputOffset()))
	for r.offset < len(r.src) {
		switch r.src[r.offset] {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.advance(r.offset + 1)
			continue
		}
		break
	}
	return place{line: r.line, column: r.column}
}

// advance counts lines and characters up to offset.
func (r *jsonReader) advance(to int) {
	for r.offset < to {
		c, size := utf8.DecodeRune(r.src[r.offset:])
		r.offset += size
		r.column++
		if c == '\n' {
			r.line, r.column = r.line+1, 1
		}
	}
}
