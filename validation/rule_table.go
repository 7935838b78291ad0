package validation

// policyRules are the rules that the policy of a queue decides.
var policyRules = []RuleInfo{
	{
		ID:      RuleClientOptionCredential,
		Summary: "The options of a sandbox client, their copies in a session state and the settings of models and tracing travel as plain text.",
		Detail:  "must not hold a credential or an unlisted variable: options, settings and session states are recorded as they are",
		Fix:     "configure the credential on the worker that has the client or the model, and put variables into the manifest's environment",
	},
	{
		ID:      RuleDestinationNotFixed,
		Summary: "A secret is bound to an activity that takes the place it is sent to as an argument.",
		Detail:  "must not be chosen by an argument: the activity is granted a secret, and this argument says where it goes",
		Fix:     "fix the destination in the activity's code and set destination_fixed: true on the grant, stated by the secret's owner",
	},
	{
		ID:      RuleEntryHostPath,
		Summary: "local_file and local_dir read from the worker's host, so they may only name what policy lists.",
		Detail:  "must be root:relative, with a root of the policy's local_roots and a relative path without .. segments",
		Fix:     "add the directory to sandbox.local_roots and name it in src, such as fixtures:reference/rates.csv",
	},
	{
		ID:      RuleEntryKind,
		Summary: "Only the kinds of entry that policy lists may stand in a manifest.",
		Detail:  "must be of a kind that the policy's sandbox.entries lists",
		Fix:     "add the kind to sandbox.entries of the queue, or leave the entry out",
	},
	{
		ID:      RuleEntryPathEscape,
		Summary: "Entries and mounts lie below the workspace root.",
		Detail:  "must be a relative path below the workspace root, without .. segments",
		Fix:     "name the entry relative to the workspace root; use extra_path_grants for what lies outside",
	},
	{
		ID:      RuleEnvLiteralCredential,
		Summary: "A variable of the environment holds a credential as text, or text under a name that says it is one.",
		Detail:  "must be a reference: this text is, or is named like, a credential and would be recorded in history",
		Fix:     `use sandbox.EnvSecret(secrets.Env("NAME")) and grant it, or list a harmless value in allow_literals with the reason`,
	},
	{
		ID:      RuleEnvLiteralUnlisted,
		Summary: "Only the variables that policy lists may hold plain text.",
		Detail:  "must be listed in the policy's sandbox.env_literals, or be a reference",
		Fix:     "add the variable to sandbox.env_literals of the queue, or make it a reference and grant it",
	},
	{
		ID:      RuleHostPathGrant,
		Summary: "A path grant binds a path of the worker's host into the sandbox.",
		Detail:  "must not have a host_path: what it binds would be chosen by the workflow and not by the worker",
		Fix:     "leave host_path out; the worker decides what stands behind a granted path",
	},
	{
		ID:      RuleInputMissing,
		Summary: "Policy names a place in the arguments, for a run config, a manifest or a secret that it binds, and there is none.",
		Detail:  "must hold the run config or manifest that the policy's inputs names for this activity",
		Fix:     "pass it, or correct activity, argument and path in the queue's inputs",
	},
	{
		ID:      RuleLiteralCredential,
		Summary: "An argument, a result, a signal, a memo or a header holds text with the form of a credential.",
		Detail:  "must not hold a credential",
		Fix:     `pass secrets.Env("NAME"), bind the field with a grant to {activity, input}, or list a harmless value in allow_literals with the reason`,
	},
	{
		ID:      RuleLiteralInSecretField,
		Summary: "Text stands in a field that holds a secret's reference, as in runs that began when the field was a string.",
		Detail:  "must be a reference: text stood here and was dropped",
		Fix:     `pass secrets.Env("NAME"), or bind the field with a grant to {activity, input}`,
	},
	{
		ID:      RuleManifestSize,
		Summary: "A manifest travels with every operation of its sandbox, and histories are bounded.",
		Detail:  "must be smaller than 1 MiB and nested no deeper than 32 levels",
		Fix:     "let a local_dir, git_repo or mount entry bring the files in",
	},
	{
		ID:      RuleMountCredential,
		Summary: "A mount or a repository travels as plain text, its credential too.",
		Detail:  "must not hold a credential: mounts and repositories are recorded as they are",
		Fix:     "give the credential to the worker that mounts, and leave the field out",
	},
	{
		ID:      RuleNetworkMode,
		Summary: "The options of a sandbox client ask for a network.",
		Detail:  "must not ask for a network: this version grants none",
		Fix:     `leave the field out, or close it: network_mode "none", allow_internet_access false, network_policy "deny-all"`,
	},
	{
		ID:      RulePathGrantUnlisted,
		Summary: "Only the paths outside the workspace that policy lists may be granted.",
		Detail:  "must be at or below a path of the policy's sandbox.path_grants, and read_only unless that one is not",
		Fix:     "add the path to sandbox.path_grants of the queue, or set read_only: true on the grant",
	},
	{
		ID:      RuleQueueUnlisted,
		Summary: "The task queue has no entry in the policy file and there is no default.",
		Detail:  "must go to a task queue that the policy file has an entry for",
		Fix:     "add the queue, a pattern such as \"deploys-*\", or a default section to the policy file",
	},
	{
		ID:      RuleSecretNotGranted,
		Summary: "A reference stands where policy does not grant its secret.",
		Detail:  "must be a reference to a secret that the policy grants to this place",
		Fix:     "add a grant for the secret and this destination to the queue's grants",
	},
	{
		ID:      RuleSecretReviewDue,
		Summary: "The review of a secret is due within 30 days, or late by up to 14: a warning, nothing is refused.",
		Detail:  "must be reviewed by its owner by its review_by day, and is refused from 15 days after it",
		Fix:     "let the owner confirm the secret and its grants, then move review_by",
	},
	{
		ID:      RuleSecretReviewOverdue,
		Summary: "The review of a secret is more than 14 days late.",
		Detail:  "must have been reviewed by its owner: review_by is more than 14 days past",
		Fix:     "let the owner confirm the secret and its grants, then move review_by",
	},
	{
		ID:      RuleSecretScope,
		Summary: "A reference has placeholders that the run cannot fill.",
		Detail:  "must be used by a run whose namespace, task queue and workflow id fill the placeholders with 1 to 64 characters A-Z a-z 0-9 _ -",
		Fix:     "start the workflow with an id that the queue's workflow_id pattern matches",
	},
	{
		ID:      RuleSecretUntypedPlace,
		Summary: "A secrets.Value stands in a container without types, where the worker could not tell it from text of the same form.",
		Detail:  "must stand in a field of type secrets.Value, in a manifest's environment, or at a place that the policy's grants or inputs name",
		Fix:     "give the field the type secrets.Value, or bind its place with a grant to {activity, input}",
	},
	{
		ID:      RuleWorkflowUnlisted,
		Summary: "The queue's policy lists the workflow types that may use secrets and sandboxes, and this one is not among them.",
		Detail:  "must be used by a workflow type that the policy's workflows lists",
		Fix:     "add the workflow type to the queue's workflows",
	},
}
