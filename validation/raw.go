package validation

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// rawNode is a JSON value that was kept as it came. It keeps every member of an
// object, also those whose key is repeated: readers differ in which one counts,
// history holds them all.
type rawNode struct {
	members []rawMember // of an object
	items   []*rawNode  // of an array
	text    string      // of a scalar
	kind    byte        // '{' '[' '"' 'n' for null, 'v' for numbers and truth values
}

type rawMember struct {
	key   string
	value *rawNode
}

// parseRaw reads one JSON value, and reports whether data is just that.
func parseRaw(data []byte) (*rawNode, bool) {
	if !json.Valid(data) {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return readRaw(decoder)
}

func readRaw(decoder *json.Decoder) (*rawNode, bool) {
	token, err := decoder.Token()
	if err != nil {
		return nil, false
	}
	switch t := token.(type) {
	case json.Delim:
		n := &rawNode{kind: '['}
		if t == '{' {
			n.kind = '{'
		}
		for decoder.More() {
			key := ""
			if t == '{' {
				keyToken, err := decoder.Token()
				if err != nil {
					return nil, false
				}
				key, _ = keyToken.(string)
			}
			child, ok := readRaw(decoder)
			if !ok {
				return nil, false
			}
			if t == '{' {
				n.members = append(n.members, rawMember{key, child})
			} else {
				n.items = append(n.items, child)
			}
		}
		_, err := decoder.Token()
		return n, err == nil
	case string:
		return &rawNode{kind: '"', text: t}, true
	case nil:
		return &rawNode{kind: 'n'}, true
	}
	return &rawNode{kind: 'v', text: fmt.Sprint(token)}, true
}

// isEmpty reports whether n holds nothing: null, "", {} or [].
func (n *rawNode) isEmpty() bool {
	switch n.kind {
	case '{':
		return len(n.members) == 0
	case '[':
		return len(n.items) == 0
	case '"':
		return n.text == ""
	}
	return n.kind == 'n'
}

// countBelow returns the index of key among the sorted distinct keys of an
// object.
func (n *rawNode) countBelow(key string) int {
	below := map[string]bool{}
	for _, m := range n.members {
		if m.key < key {
			below[m.key] = true
		}
	}
	return len(below)
}
