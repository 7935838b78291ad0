package redact

import "sort"

// node is one value or key of a JSON text.
type node struct {
	kind       nodeKind
	key        bool
	start, end int
	parent     int // index of the array or object around it, -1 for the outermost
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota // number, true, false, null
	stringNode
	containerNode
)

// parse lists the nodes of a valid JSON text in the order in which they begin.
func parse(text []byte) []node {
	var nodes []node
	parent := -1
	expectKey := false
	for at := 0; at < len(text); {
		switch c := text[at]; c {
		case ' ', '\t', '\r', '\n':
			at++
		case ',':
			expectKey = nodes[parent].object(text)
			at++
		case ':':
			expectKey = false
			at++
		case '{', '[':
			nodes = append(nodes, node{kind: containerNode, start: at, parent: parent})
			parent = len(nodes) - 1
			expectKey = c == '{'
			at++
		case '}', ']':
			at++
			nodes[parent].end = at
			parent = nodes[parent].parent
		case '"':
			n := node{kind: stringNode, key: expectKey, start: at, parent: parent}
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			at++
			n.end = at
			nodes = append(nodes, n)
		default:
			n := node{kind: scalarNode, start: at, parent: parent}
			for at < len(text) && !ends(text[at]) {
				at++
			}
			n.end = at
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (n node) object(text []byte) bool { return text[n.start] == '{' }

// ends reports whether c ends a number or literal.
func ends(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ':', ']', '}':
		return true
	}
	return false
}

// innermost is the index of the smallest node that holds all of the span, or of the outermost node if
// the span begins before it or ends behind it.
func innermost(nodes []node, sp span) int {
	at := sort.Search(len(nodes), func(i int) bool { return nodes[i].start > sp.start }) - 1
	for at > 0 && nodes[at].end < sp.end {
		at = nodes[at].parent
	}
	return max(at, 0)
}
