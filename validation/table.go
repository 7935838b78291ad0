package validation

// fileShape returns the table of every key of the policy file. A key whose
// machinery this version does not have is in the table too, with later set, so
// that it is told apart from a typing error.
func fileShape() *shape {
	return object(
		field{
			name: "version", required: true, shape: plain(kindVersion),
			doc: "The version of the format, always 1.",
		},
		field{
			name: "secrets", shape: mapOf(formatName, secretShape()),
			doc: "What exists, who answers for it, until when. The key is the name that grants use.",
		},
		field{
			name: "approvers", shape: mapOf(formatName, text(formatAny)), later: "signed approvals",
			doc: "Who may approve egress, artifacts and checkpoints: public keys by name.",
		},
		field{
			name: "queues", shape: mapOf(formatQueueKey, queueShape()),
			doc: "The policy of each task queue. A key may end in *: exact beats the longest prefix.",
		},
		field{
			name: "default", shape: queueShape(),
			doc: "The policy of every other queue. Without it a worker on an unlisted queue does not start.",
		},
	)
}

func secretShape() *shape {
	return object(
		field{
			name: "ref", required: true, shape: text(formatRef),
			doc: "Where the value is. May hold {namespace}, {task_queue} and named groups of the queue's workflow_id.",
		},
		field{
			name: "owner", required: true, shape: text(formatProse),
			doc: "Who answers for the secret.",
		},
		field{
			name: "reason", required: true, shape: text(formatProse),
			doc: "What it is for.",
		},
		field{
			name: "review_by", required: true, shape: plain(kindDate),
			doc: "Calendar day of the next review. Warned before it and 14 days after, then refused.",
		},
	)
}

func queueShape() *shape {
	return object(
		field{
			name: "mode", required: true, shape: enum("report", "enforce"),
			doc: "report records violations and lets them pass, enforce refuses. Neither resolves what is not granted.",
		},
		field{
			name: "workflow_id", shape: text(formatWorkflowID),
			doc: "Anchored pattern of workflow ids; its named groups may stand in references.",
		},
		field{
			name: "workflows", shape: listOf(text(formatTypeName)),
			doc: "The only workflow types that may use guard data here. Absent means all.",
		},
		field{
			name: "inputs", shape: listOf(inputShape()),
			doc: "Where untyped inputs of activities hold run configs and manifests.",
		},
		field{
			name: "literals", shape: enum("off", "report", "enforce"),
			doc: "What becomes of text with the form of a credential. Follows mode when absent.",
		},
		field{
			name: "allow_literals", shape: listOf(allowLiteralShape()),
			doc: "Places where such text is known and harmless.",
		},
		field{
			name: "sandbox", shape: sandboxShape(),
			doc: "What a manifest may hold. What is not listed is refused.",
		},
		field{
			name: "grants", shape: listOf(grantShape()),
			doc: "Which secret may go where.",
		},
		field{
			name: "redact", shape: listOf(text(formatRef)),
			doc: "References that activities read by themselves, resolved only to hide the values.",
		},
		field{
			name: "network", shape: networkShape(), later: "egress control",
			doc: "What a sandbox may reach.",
		},
		field{
			name: "limits", shape: limitsShape(),
			doc: "What a sandbox may use. What is absent is not limited here.",
		},
		field{
			name: "snapshots", shape: snapshotsShape(), later: "snapshots",
			doc: "What may be kept of a sandbox.",
		},
		field{
			name: "outputs", shape: outputsShape(), later: "publishing",
			doc: "What may be published of a sandbox.",
		},
	)
}

func inputShape() *shape {
	return object(
		field{name: "activity", required: true, shape: text(formatTypeName), doc: "The activity type."},
		field{name: "argument", shape: integer(0, 99), doc: "The index of the argument, 0 when absent."},
		field{
			name: "path", shape: text(formatPointer),
			doc: "Where in the argument it stands, the whole argument when absent. A segment * is any key or index.",
		},
		field{name: "kind", required: true, shape: enum("run_config", "manifest"), doc: "What stands there."},
	)
}

func allowLiteralShape() *shape {
	return object(
		field{
			name: "path", required: true, shape: text(formatLiteralPath),
			doc: "The place: type, argument, pointer. The wire's sandbox and value levels may be left out.",
		},
		field{name: "rule", required: true, shape: enum(literalRules()...), doc: "The rule that does not apply there."},
		field{name: "reason", required: true, shape: text(formatProse), doc: "Why that is harmless."},
	)
}

func sandboxShape() *shape {
	return object(
		field{
			name: "backends", shape: listOf(backendShape()),
			doc: "What may run a sandbox. Absent means what isolates without being degraded: native or bwrap.",
		},
		field{name: "entries", shape: listOf(enum(entryKinds()...)), doc: "The kinds of entry a manifest may hold."},
		field{
			name: "local_roots", shape: mapOf(formatName, text(formatHostDir)),
			doc: "Directories of the worker's host that local_file and local_dir may name, as root:relative.",
		},
		field{
			name: "env_literals", shape: listOf(text(formatVariable)),
			doc: "The environment variables that may hold plain text.",
		},
		field{name: "path_grants", shape: listOf(object(
			field{
				name: "path", required: true, shape: text(formatSandboxPath),
				doc: "A path inside the sandbox; what lies below it is granted too.",
			},
			field{name: "read_only", shape: plain(kindBool), doc: "false also grants writing, true when absent."},
		)), doc: "The extra_path_grants that a manifest may hold."},
	)
}

func grantShape() *shape {
	return object(
		field{name: "secret", required: true, shape: text(formatName), doc: "A key of secrets."},
		field{name: "to", required: true, shape: destinationShape(), doc: "The one destination."},
		field{
			name: "literal", shape: enum("refuse", "replace", "strip"),
			doc: "What becomes of text that stands in the bound field, refuse when absent.",
		},
		field{
			name: "destination_fixed", shape: plain(kindBool),
			doc: "The owner states that no argument of the activity chooses where the secret is sent.",
		},
		field{name: "allow", shape: listOf(text(formatAny)), later: "grants to a tool", doc: "The requests that may carry it."},
		field{name: "max_ttl", shape: duration(0), later: "leases", doc: "How long what is handed out lives."},
	)
}

func destinationShape() *shape {
	return object(
		field{name: "env", shape: text(formatVariable), doc: "A variable in the sandbox's environment."},
		field{name: "activity", shape: text(formatTypeName), doc: "An activity type; without input it asks for the secret with secrets.Get."},
		field{
			name: "input", shape: text(formatInputPointer),
			doc: "The field of the activity's encoded arguments. A segment * is any key or index.",
		},
		field{name: "file", shape: text(formatAny), later: "launchers", doc: "A file in the sandbox."},
		field{name: "tool", shape: text(formatName), later: "tools", doc: "A tool that the worker calls for the sandbox."},
		field{name: "base_url", shape: text(formatAny), later: "tools", doc: "Of a tool."},
		field{name: "template", shape: text(formatAny), later: "tools", doc: "Of a tool's header."},
		field{name: "egress_host", shape: text(formatAny), later: "egress control", doc: "A host whose requests carry the secret."},
		field{name: "header", shape: text(formatAny), later: "tools and egress control", doc: "Of a tool or of egress_host."},
	)
}
