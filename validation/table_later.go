package validation

// The shapes in this file belong to keys that this version refuses. They are
// kept complete, so that a typing error inside them is reported as one.

func networkShape() *shape {
	return object(
		field{name: "mode", required: true, shape: enum("offline", "allowlist", "reviewed"), doc: "How the network is opened."},
		field{name: "allow", shape: listOf(object(
			field{name: "host", required: true, shape: text(formatAny), doc: "A host name."},
			field{name: "ports", shape: listOf(integer(0, 65535)), doc: "Its ports."},
		)), doc: "What may be reached."},
		field{name: "review", shape: object(
			field{name: "approvers", required: true, shape: listOf(text(formatName)), doc: "Keys of approvers."},
			field{name: "max_duration", shape: duration(0), doc: "How long an approval holds."},
			field{name: "max_uses", shape: integer(0, 1<<20), doc: "How often it may be used."},
		), doc: "How the rest is asked for."},
	)
}

func snapshotsShape() *shape {
	return object(
		field{name: "allow", shape: plain(kindBool), doc: "Whether a workspace may be kept."},
		field{name: "exclude", shape: listOf(text(formatAny)), doc: "Patterns of paths that are left out."},
		field{name: "approvers", shape: listOf(text(formatName)), doc: "Keys of approvers."},
	)
}

func outputsShape() *shape {
	return object(
		field{name: "publish", shape: text(formatName), doc: "What is published."},
		field{name: "approvers", shape: listOf(text(formatName)), doc: "Keys of approvers."},
	)
}
