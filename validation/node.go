package validation

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// placeOf returns where a node begins.
func placeOf(n *yaml.Node) place { return place{line: n.Line, column: n.Column} }

// isPlain reports whether n is a scalar without quotes.
func isPlain(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Style&quoted == 0
}

// isStringNode reports whether n is text by the rules of YAML 1.2. Timestamps are
// a type of YAML 1.1 only.
func isStringNode(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.Tag == "!!str" || n.Tag == "!!timestamp")
}

// describe says of what kind a node is, without quoting it.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		switch n.Tag {
		case "!!null":
			return "nothing"
		case "!!bool":
			return "a truth value"
		case "!!int", "!!float":
			return "a number"
		}
		return "a string"
	case yaml.DocumentNode, yaml.AliasNode:
	}
	return "something else"
}

// inQuotes returns what makes a scalar of another type text.
func inQuotes(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return ": put it in quotes"
	}
	return ""
}

// butNot returns ", not a list" where that says more than want does.
func butNot(n *yaml.Node, want string) string {
	if strings.HasPrefix(want, "a string") || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ", not " + describe(n)
	}
	return ""
}

// join appends a key to a path of the file.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// showKey returns a key of the file as a path may show it. The star of a queue
// pattern is not among the characters of a safe segment.
func showKey(key string, index int) string {
	if prefix, ok := strings.CutSuffix(key, "*"); ok && (prefix == "" || SafeSegment(prefix, index) == prefix) {
		return key
	}
	return SafeSegment(key, index)
}

// oneOf lists words for a message.
func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
